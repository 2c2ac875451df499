"""The whole diagnosis as one HTML file that needs no network, and as numbers for a program."""

import platform
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from importlib.metadata import version
from typing import Any

import numpy as np

from ..data.number_text import signed
from ..data.translations import Translate
from ..encode.pool import POOLING_NAMES
from ..measure.table_measures import TABLE_MEASURES
from ..palette import DARK, LIGHT, Theme
from . import sentences, svg, threshold_sentences
from .diagnosis import Diagnosis
from .sentences import REPORT, rounded
from .storage import Storage
from .thresholds import EDGES

# The file contains no script and loads nothing from another address.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body { font: 16px/1.5 system-ui, "Noto Sans TC", sans-serif; color: var(--ink);
  background: var(--paper); max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.advice { border: 1px solid var(--rule); border-radius: .5rem; padding: .75rem 1rem; }
.advice strong { font-size: 1.1rem; } small { color: var(--soft); }
table { border-collapse: collapse; width: 100%; } .wide { overflow-x: auto; }
th, td { border-bottom: 1px solid var(--rule); padding: .3rem .5rem; text-align: left;
  vertical-align: top; } td:only-of-type { overflow-wrap: anywhere; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { flex: 1 1 min(26rem, 100%); max-width: 30rem; margin: 0; }
figcaption { color: var(--soft); font-size: .9rem; }
svg { width: 100%; height: auto; } svg text { font-size: 14px; fill: var(--ink); }
.bar, .bar-key { fill: var(--bar); } .dot { fill: var(--bar); fill-opacity: .6; }
.line { fill: none; stroke: var(--line); stroke-width: 2; } .line-key { fill: var(--line); }
.axis { stroke: var(--soft); fill: none; }
"""


def _variables(theme: Theme) -> str:
    return (
        f"--ink: {theme.ink}; --paper: {theme.paper}; --rule: {theme.grid}; "
        f"--bar: {theme.raw}; --line: {theme.white};"
    )


_COLOURS = f"""
:root {{ color-scheme: light dark; {_variables(LIGHT)}
  --soft: color-mix(in srgb, var(--ink) 70%, var(--paper)); }}
@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}"""


def report_html(
    diagnosis: Diagnosis,
    *,
    notes: Sequence[str] = (),
    storage: Storage | None = None,
    translate: Translate = str,
    language: str = "en",
) -> str:
    """The report as a page of HTML. Every text of the reader is escaped.

    Parameters
    ----------
    diagnosis : Diagnosis
    notes : sequence of str
        Lines about the file, in that language, such as ``sentences.file_notes``.
    storage : Storage, optional
        Of ``storage_table``; a section of the report.
    translate : callable, from English to the language
    language : str, its code, for the file's ``lang``
    """
    _ = translate
    name = diagnosis.about.get("corpus", "")
    title = _(REPORT["title"]).format(name=name) if name else _(REPORT["title-nameless"])
    said = (sentences.evidence, sentences.certainty, sentences.stay_here, sentences.basis)
    lines = [*(each(diagnosis, _) for each in (*said, sentences.measured)), *notes]
    advice = f"<p><strong>{escape(sentences.recommendation(diagnosis, _))}</strong></p>" + "".join(
        f"<p><small>{escape(line)}</small></p>" for line in lines if line
    )
    findings = "".join(
        f"<li><b>{escape(sentences.title(each, _))}</b> "
        f"{escape(sentences.finding_sentence(each, _))}</li>"
        for each in diagnosis.findings
    )
    head, rows = cure_table(diagnosis, _)
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<section class="advice">{advice}</section>',
        f"<h2>{escape(_(REPORT['findings']))}</h2><ul>{findings}</ul>",
        *_thresholds(diagnosis, _),
        f"<h2>{escape(_(REPORT['pictures']))}</h2>",
        f'<div class="pictures">{_figures(diagnosis, _)}</div>',
        f"<h2>{escape(_(REPORT['cures']))}</h2>",
        f'<div class="wide">{table(rows, head)}</div>',
        *_storage(storage, _),
        f"<h2>{escape(_(REPORT['settings']))}</h2>",
        table(list(settings(diagnosis, _).items())),
    ]
    return page(title, body, language)


def page(title: str, body: Sequence[str], language: str = "en") -> str:
    """One file of HTML, without a script; the parts of the body are HTML."""
    return (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_COLOURS}{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def cure_table(diagnosis: Diagnosis, _: Translate) -> tuple[list[str], list[list[str]]]:
    """(head, rows): what each cure changes on held-out rows, and whether it helps."""
    cures = diagnosis.trial.cures
    columns = {_(REPORT["cure"]): [sentences.cure_name(cure, _) for cure in cures]}
    if cures[0].score is not None:
        columns |= {
            _(REPORT[f"score-{diagnosis.yardstick}"]): [rounded(cure.score, 3) for cure in cures],
            _(REPORT["change"]): [sentences.cure_change(cure) for cure in cures],
            _(REPORT["verdict"]): [sentences.cure_verdict(cure, _) for cure in cures],
        }
    for name, decimals in (("mean_cosine", 3), ("isoscore", 3), ("hubness", 2)):
        label = _(TABLE_MEASURES[name].label)
        columns[label] = [rounded(cure.measures[name], decimals) for cure in cures]
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


def settings(diagnosis: Diagnosis, _: Translate) -> dict[str, str]:
    """What the numbers depend on: the data with their hashes, the seed, the versions."""
    about = dict(diagnosis.about)
    if about.get("pooling") in POOLING_NAMES:
        about["pooling"] = _(POOLING_NAMES[about["pooling"]])
    trial = diagnosis.trial
    name = sentences.cure_name(trial.here, _)
    cure = _("{text} ({note})").format(text=name, note=trial.here.treatment)
    found = {_(REPORT.get(name, name)): value for name, value in about.items()} | {
        "n": f"{diagnosis.n:,}",
        "d": f"{diagnosis.d:,}",
        "n/d": signed(diagnosis.n / diagnosis.d, 2),
        _(REPORT["fit-rows"]): f"{trial.n_fit:,}",
        _(REPORT["held-out-rows"]): f"{trial.n_held_out:,}",
        _(REPORT["treatment"]): cure,
        _(REPORT["seed"]): str(diagnosis.seed),
        _(REPORT["vectors-hash"]): diagnosis.vectors_sha256,
    }
    if diagnosis.texts_sha256 is not None:
        found[_(REPORT["texts-hash"])] = diagnosis.texts_sha256
    return found | {_(REPORT["versions"]): _(", ").join(_versions())}


def diagnosis_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis as numbers and texts that ``json.dumps`` writes, without the pictures."""
    found = asdict(diagnosis)
    del found["pictures"]
    for arm in found["thresholds"]["arms"] if diagnosis.thresholds is not None else ():
        del arm["unrelated_shares"], arm["related_shares"]
    found["versions"] = dict(each.split(" ") for each in _versions())
    told = ("recommendation", "evidence", "certainty", "basis")
    found["sentences"] = {
        **{name: getattr(sentences, name)(diagnosis, str) for name in told},
        "findings": [sentences.finding_sentence(each, str) for each in diagnosis.findings],
        "thresholds": threshold_sentences.summary(diagnosis, str),
    }
    return found


def _versions() -> list[str]:
    from .. import __version__

    return [
        f"narrow-cone {__version__}",
        *(f"{name} {version(name)}" for name in ("numpy", "scipy", "torch", "transformers")),
        f"python {platform.python_version()}",
    ]


def _figures(diagnosis: Diagnosis, _: Translate) -> str:
    pictures = diagnosis.pictures
    words = {name: _(REPORT[name]) for name in REPORT if name.startswith(("picture-", "axis-"))}
    drawn = svg.histogram(
        pictures.edges,
        pictures.cosines,
        pictures.isotropic,
        title=words["picture-cosines"],
        x_label=words["axis-cosine"],
        names=(words["axis-measured"], words["axis-isotropic"]),
    )
    if len(pictures.points):
        points = svg.points(
            pictures.points,
            title=words["picture-points"],
            x_label=words["axis-across"],
            y_label=words["axis-mean"],
            origin=words["axis-origin"],
        )
        drawn = points + drawn
    if len(pictures.shares):
        drawn += svg.bars(
            pictures.shares,
            list(map(str, pictures.dimensions)),
            title=words["picture-shares"],
            x_label=words["axis-dimension"],
            y_label=words["axis-share"],
        )
    return drawn


def _thresholds(diagnosis: Diagnosis, _: Translate) -> list[str]:
    found = diagnosis.thresholds
    if found is None:
        return []
    names, drawn = threshold_sentences.labels(_), ""
    for kind, title in (("leave", "picture-raw"), ("centre", "picture-centre")):
        arm = found.arm(kind)
        if arm is None or arm.related is None:
            continue
        best = arm.threshold("f1")
        drawn += svg.histogram(
            EDGES,
            np.array(arm.unrelated_shares),
            np.array(arm.related_shares),
            title=names[title],
            x_label=names["axis-cosine"],
            names=(names["unrelated"], names["related"]),
            mark=None if best is None else best.cosine,
        )
    said = [of(diagnosis, _) for of in (threshold_sentences.summary, threshold_sentences.basis)]
    made = (threshold_sentences.cosine_table, threshold_sentences.cut_table)
    return _section(names["title"], said, [of(diagnosis, _) for of in made], drawn)


def _storage(storage: Storage | None, _: Translate) -> list[str]:
    if storage is None:
        return []
    title = _(sentences.STORAGE["title"])
    said = [of(storage, _) for of in (sentences.storage_summary, sentences.storage_basis)]
    return _section(title, said, [sentences.storage_rows(storage, _)])


def _section(
    title: str,
    said: Sequence[str],
    tables: Sequence[tuple[list[str], list[list[str]]]],
    pictures: str = "",
) -> list[str]:
    summary, basis = said
    return [
        f"<h2>{escape(title)}</h2>",
        f"<p>{escape(summary)}</p>",
        f'<div class="pictures">{pictures}</div>' if pictures else "",
        *(f'<div class="wide">{table(rows, head)}</div>' for head, rows in tables if rows),
        f"<p><small>{escape(basis)}</small></p>",
    ]


def table(rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> str:
    above = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    below = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f"<table>{f'<thead><tr>{above}</tr></thead>' if head else ''}<tbody>{below}</tbody></table>"
    )
