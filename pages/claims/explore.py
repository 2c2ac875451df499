"""The wall of claims, their counts, each claim in full, and all of them as files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st

from geometry import Corpus, Encoder
from geometry.claims import Claim, Number, Tested, read_claims, results
from geometry.claims.claim import CONTRASTIVE, GROUPS
from geometry.data.number_text import change, estimate
from geometry.errors import REASONS
from pages.common import jobs, measures
from pages.common.address import is_presenting
from pages.common.cache import kept
from pages.common.controls import choose
from pages.common.downloads import csv_bytes, offer_csv
from pages.common.draw.clouds import current_theme
from pages.common.folded import show_folded
from pages.common.lesson import note_facts
from pages.common.models import current_encoder
from pages.common.origin import coverage_of, model_line, warn_of_coverage
from pages.common.page_list import page_labels, page_path
from pages.common.seed import SEED
from pages.common.shell import picture_place, show_question
from pages.common.uploads import is_own
from pages.common.words import _, dotted, labelled, language, markdown, names, paragraph

from . import PAGE
from .recorded import Results, place_of, recorded, subject_of

UNTESTED = "untested"
ORDER = ("holds", "partly", "fails", "unknown", UNTESTED)
ALL = "all"


def explore(corpus: Corpus) -> None:
    encoder = current_encoder()
    names = {ALL: _("all"), **signed_names()}
    with st.container(horizontal=True, key="cloud-controls"):
        label = _("Claims shown")
        shown = choose(st.segmented_control, label, names, key="claims-state", required=True)
    warn_of_coverage(coverage_of(corpus))
    with picture_place():
        found = recorded().get(place_of(encoder, corpus))
        is_recorded = found is not None
        if found is None:
            of = (encoder, corpus, is_own(corpus))
            found = jobs.kept_or_made(_measured, *of, what=_("Testing claims"), is_long=True)
        claims = read_claims(language())
        show_wall(claims, found, shown)
    counts = Counter(state_of(found[claim.key]) for claim in claims)
    numbers = [
        measures.BigNumber(name, f"{counts[state]}") for state, name in signed_names().items()
    ]
    measures.show_big_numbers(_("Claims by verdict"), numbers, key="claims-numbers")
    n_tested = len(claims) - counts[UNTESTED]
    note_facts(lambda: {"tested": n_tested, **{state: counts[state] for state in ORDER}})
    about = basis(encoder, corpus, is_recorded=is_recorded)
    tested = _("{tested} of {n} claims tested").format(tested=n_tested, n=len(claims))
    st.caption(markdown(f"{tested} · {about}"))
    if is_presenting():
        return
    for claim in claims:
        if shown in (ALL, state_of(found[claim.key])):
            show_claim(claim, found[claim.key], about)
    for question in ("verdict", "recorded", "add"):
        show_question(PAGE, question)
    icon = ":material/table:"
    show_folded(_("All claims"), "all-measures", _show_all, claims, found, about, icon=icon)


@kept(12)
def _measured(
    encoder: Encoder, corpus: Corpus, private: bool, report: jobs.Progress = jobs.no_report
) -> Results:
    subject = subject_of(encoder, corpus, seed=SEED)
    return {claim.key: tested for claim, tested in results(subject, report)}


def state_names() -> dict[str, str]:
    return {
        "holds": _("holds here"),
        "partly": _("holds in part"),
        "fails": _("does not hold here"),
        "unknown": _("not clear, or not enough data"),
        UNTESTED: _("not tested"),
    }


SIGNS = {"holds": "✓", "partly": "◐", "fails": "✗", "unknown": "?", UNTESTED: "–"}


def signed_names() -> dict[str, str]:
    return {state: f"{SIGNS[state]} {name}" for state, name in state_names().items()}


def missing_words(code: str) -> str:
    words = {
        "layers": _("The model has no layers above its input."),
        "labels": _("The corpus has no labels."),
        "words": _("There are no static word vectors in this language."),
        "weights": _("The model’s files have no LayerNorm that can be read."),
        "rows": _("The corpus has too few sentences."),
        "unknown_text": _("The model does not know this text."),
        CONTRASTIVE: _(
            "The claim is about models that were not trained to compare sentences. This one was, "
            "so there is no verdict."
        ),
    }
    undefined = _("A number is not defined here: {reason}.")
    return words.get(code) or undefined.format(reason=_(REASONS[code]))


def state_of(tested: Tested | None) -> str:
    return UNTESTED if tested is None else tested.state


def number_words(number: Number) -> str:
    write = change if number.is_change else estimate
    return write(number.value, number.low, number.high, number.decimals)


def basis(encoder: Encoder, corpus: Corpus, *, is_recorded: bool) -> str:
    of_corpus = _("corpus: {name}, {n} texts (400 of more, drawn at random)")
    return dotted(
        model_line(encoder),
        of_corpus.format(name=corpus.name, n=f"{len(corpus):,}"),
        _("pairs: the project’s own, in the language of the corpus"),
        _("seed {seed}").format(seed=SEED),
        _("95% intervals, each by itself; those of cures hold together"),
        measures.cone_words(),
        *([_("recorded")] if is_recorded else []),
    )


def show_wall(claims: Sequence[Claim], found: Results, shown: str) -> None:
    rows = []
    theme = current_theme()
    colours = {"holds": theme.white, "partly": theme.categories[4], "fails": theme.raw}
    style = ";".join(f"--{state}:{colours.get(state, theme.other)}" for state in ORDER)
    for group in GROUPS:
        tiles = "".join(
            _tile(claim, found[claim.key])
            for claim in claims
            if claim.group == group and shown in (ALL, state_of(found[claim.key]))
        )
        if tiles:
            name = escape(names("claims")[group])
            rows.append(f"<dt>{name}</dt><dd><ul>{tiles}</ul></dd>")
    if rows:
        st.html(f'<dl class="wall" style="{style}">{"".join(rows)}</dl>')
    else:
        nothing = _("No claim has this verdict.")
        st.html(f"<p>{escape(nothing)}</p>")


def _tile(claim: Claim, tested: Tested | None) -> str:
    state = state_of(tested)
    said = escape(labelled(state_names()[state], _sourced(claim.says, claim.source)), quote=True)
    return (
        f'<li class="tile {state}" style="--verdict:var(--{state})" title="{said}">'
        f'<span aria-hidden="true">{SIGNS[state]}</span> {escape(claim.short)}'
        f'<span class="unseen">{said}</span></li>'
    )


def _sourced(claim: str, source: str) -> str:
    return _("{claim} – {source}").format(claim=claim, source=source)


def show_claim(claim: Claim, tested: Tested | None, about: str) -> None:
    state = state_of(tested)
    icon = measures.ICONS.get(state, ":material/remove:")
    label = _sourced(claim.says, markdown(claim.source))
    with st.expander(label, icon=icon, key=f"of-{claim.key}"):
        there = _("{unit} – {data}").format(
            unit=names("units")[claim.unit], data=markdown(claim.on)
        )
        where = labelled(_("in the source"), markdown(place_words(claim)))
        disputes = [_("it disputes the first papers")] if claim.disputes else []
        st.markdown(dotted(where, labelled(_("measured there on"), there), *disputes))
        if tested is None:
            st.markdown(_("Not tested: {why}.").format(why=claim.untested))
        else:
            measures.show_verdict(verdict_of(claim, tested, about), key=claim.key)
        st.page_link(page_path(claim.page), label=page_labels()[claim.page])


def place_words(claim: Claim) -> str:
    return claim.where if claim.checked else _("{where} (from memory)").format(where=claim.where)


def is_measured(tested: Tested) -> bool:
    return tested.missing in ("", CONTRASTIVE)


def about_of(claim: Claim, about: str) -> str:
    if claim.depends in ("training", "words"):
        return _("the same for every model and corpus that is chosen")
    return about


def verdict_of(claim: Claim, tested: Tested, about: str) -> measures.Verdict:
    measured = [missing_words(tested.missing)] if tested.missing else []
    control: measures.Control | measures.NoControl = measures.nothing_measured()
    parts = [claim.rule, about_of(claim, about)]
    if is_measured(tested):
        measured.append(_("{names}.").format(names=_said(claim.values, tested.values)))
        parts = [claim.here.format(**tested.settings), f"n = {tested.n:,}", *parts]
        control = measures.NoControl(claim.no_control)
        if claim.control:
            beside = _("{names}.").format(names=_said(claim.control, tested.control))
            control = measures.Control(beside)
    heading = _("Does not apply.") if tested.missing == CONTRASTIVE else ""
    said = paragraph(measured)
    of = dotted(*parts)
    return measures.Verdict(claim.says, claim.source, tested.state, said, control, of, heading)


def _said(names: Mapping[str, str], numbers: Mapping[str, Number]) -> str:
    found = [(markdown(names[key]), number_words(each)) for key, each in numbers.items()]
    return _("; ").join(labelled(name, f"**{words}**") for name, words in found)


def _show_all(claims: Sequence[Claim], found: Results, about: str) -> None:
    names = _columns()
    rows = [{names[key]: each[key] for key in names} for each in _rows(claims, found)]
    st.dataframe(rows, hide_index=True, width="stretch")
    offer_csv(_("Download claims (CSV)"), "claims", lambda: claims_csv(claims, found, about))
    st.download_button(
        _("Download claims (HTML)"),
        claims_html(claims, found, about),
        "claims.html",
        "text/html",
        on_click="ignore",
        icon=":material/download:",
    )


def _rows(claims: Sequence[Claim], found: Results) -> list[dict[str, str]]:
    rows = []
    for claim in claims:
        tested = found[claim.key]
        n = here = control = ""
        measured = [claim.untested]
        if tested is not None:
            why = missing_words(tested.missing) if tested.missing else ""
            measured = [why, _plain(claim.values, tested.values)]
            control = _plain(claim.control, tested.control)
            if is_measured(tested):
                n = f"{tested.n}"
                here = claim.here.format(**tested.settings)
        row = {
            "claim": claim.says,
            "source": claim.source,
            "where": place_words(claim),
            "measured_there_on": labelled(names("units")[claim.unit], claim.on),
            "stance": _("it disputes the first papers") if claim.disputes else "",
            "verdict": state_names()[state_of(tested)],
            "measured": _("; ").join(filter(None, measured)),
            "control": control or claim.no_control,
            "n": n,
            "data": here,
            "rule": claim.rule,
            "depends": about_of(claim, _("the chosen model and corpus")),
            "page": page_labels()[claim.page],
        }
        rows.append(row)
    return rows


def _plain(names: Mapping[str, str], numbers: Mapping[str, Number]) -> str:
    return _("; ").join(labelled(names[key], number_words(each)) for key, each in numbers.items())


def _columns() -> dict[str, str]:
    return {
        "claim": _("claim"),
        "source": _("source"),
        "where": _("in the source"),
        "measured_there_on": _("measured there on"),
        "stance": _("stance"),
        "verdict": _("verdict"),
        "measured": _("measured here"),
        "control": _("control"),
        "n": _("n"),
        "data": _("measured here on"),
        "rule": _("rule"),
        "depends": _("depends on"),
        "page": _("page"),
    }


def claims_csv(claims: Sequence[Claim], found: Results, about: str) -> bytes:
    rows = _rows(claims, found)
    return csv_bytes(list(rows[0]), [list(row.values()) for row in rows], about)


def claims_html(claims: Sequence[Claim], found: Results, about: str) -> str:
    """All claims in one file that loads nothing."""
    names = _columns()
    head = "".join(f"<th>{escape(name)}</th>" for name in names.values())
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(value)}</td>" for value in row.values()) + "</tr>"
        for row in _rows(claims, found)
    )
    title = escape(page_labels()[PAGE])
    return (
        f'<!doctype html><html lang="{language()}"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title} · Narrow Cone</title><style>{STYLE}</style></head><body>"
        f"<h1>{title}</h1><p>{escape(about)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></body></html>"
    )


STYLE = (
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2rem}"
    "table{border-collapse:collapse}th,td{border:1px solid GrayText;padding:.4rem;"
    "text-align:left;vertical-align:top;min-width:6rem}"
)
