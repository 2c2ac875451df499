"""A diagnosis in sentences: the same for a page, a report and the shell.

The functions take a function that translates: pages give their catalogue's, the shell ``str``.
"""

from collections.abc import Mapping, Sequence

from ..data.account import BLANK, UNCHOSEN, Account
from ..data.corpus import Corpus
from ..data.embeddings import VectorSet
from ..data.number_text import change, estimate, signed
from ..data.pairs import Pairs, RowPairs
from ..data.relevance import JudgedQueries
from ..data.translations import Translate, paragraph, text_tables
from ..encode.pool import POOLING_NAMES
from ..evaluate.specs import parse_treatment
from ..measure.intervals import MIN_ROWS, Estimate
from ..measure.retrieval import MIN_QUERIES
from ..transform.treatments import TREATMENTS
from .diagnosis import MOST_UNKNOWN, Diagnosis
from .findings import MOST_OF_IT, Finding
from .storage import Storage, Stored
from .trial import POWER, TIE, Cure
from .yardsticks import FOUND, NEIGHBOURS

TEXTS = text_tables("diagnosis")
SENTENCES = TEXTS["sentences"]
REPORT = TEXTS["report"]
STORAGE = TEXTS["storage"]
STORAGE_SENTENCES = TEXTS["storage_sentences"]
# decimals of the numbers in sentences, by the finding's code
DECIMALS = {"rank": {"ratio": 2, "effective": 0}, "hubs": {"value": 2, "baseline": 2}}
LEAST_USED = 0.9  # share of pairs, queries or ids; below it, the note says to check the ids
_MOST_COLUMNS = 8  # unused columns that are named
TOLERATED = 0.02  # a loss that the sentence on the smallest form of storage tolerates


def title(finding: Finding, _: Translate) -> str:
    answer = _(SENTENCES["answer"])
    what = _(TEXTS["titles"][finding.code])
    return answer.format(what=what, answer=_(TEXTS["states"][finding.state]))


def finding_sentence(finding: Finding, _: Translate) -> str:
    code = f"{finding.code}-{finding.state}"
    numbers = finding.numbers
    if finding.code == "rogue" and finding.state in ("found", "slight"):
        value = numbers.get("value")
        has_cosine = isinstance(value, float) and value > MOST_OF_IT
        code = "rogue-found" if has_cosine else "rogue-length"
    elif code == "rogue-none" and numbers["value"] is None:
        code = "rogue-absent"
    elif finding.state == "slight" and f"{finding.code}-slight" not in SENTENCES:
        code = f"{finding.code}-found"
    if finding.code == "duplicates" and numbers["texts"] is not None:
        code = f"{code}-texts"
    printed = _printed(finding.code, numbers, _)
    if finding.share is not None:
        printed["share"] = _share(finding.share)
    said = [_(SENTENCES[code]).format(**printed)]
    if finding.effect is not None:
        subject = {"rogue": "dimensions", "cone": "cone", "rank": "rank"}.get(finding.code, "rows")
        said.append(_(SENTENCES[f"effect-{subject}"]).format(change=_change(finding.effect)))
    if finding.state == "unknown" and "units" in numbers:
        said.append(_(SENTENCES["count-once"]).format(**printed))
    if "sample" in numbers:
        said.append(_(SENTENCES["sample"]).format(**printed))
    return paragraph(said)


def counts(found: object) -> dict[str, str]:
    """The whole numbers among what an object has, with commas in all but the seed."""
    numbers = {name: each for name, each in vars(found).items() if isinstance(each, int)}
    return {name: str(n) if name == "seed" else f"{n:,}" for name, n in numbers.items()}


def _share(share: float) -> str:
    """A share as a percentage: 0.01% is not 0%."""
    if share >= 0.1:
        return f"{share:.0%}"
    return f"{share:.1%}" if share >= 0.001 else f"{share:.2%}"


def _printed(code: str, numbers: Mapping[str, object], _: Translate) -> dict[str, str]:
    decimals = DECIMALS.get(code, {})
    found = {name: _number(value, decimals.get(name), _) for name, value in numbers.items()}
    if code == "outliers":
        found["rows"] = _(", ").join(f"{int(row) + 1:,}" for row in numbers["rows"])  # type: ignore[attr-defined]
        found["least"] = str(MIN_ROWS)
    for name, low, high, n in (
        ("value", "low", "high", 3),
        ("angle", "angle_low", "angle_high", 1),
    ):
        value, start, end = (numbers.get(each) for each in (name, low, high))
        if isinstance(value, float) and isinstance(start, float) and isinstance(end, float):
            found[name] = estimate(value, start, end, n)
    return found


def _number(value: object, decimals: int | None, _: Translate) -> str:
    if isinstance(value, tuple):
        return _(", ").join(str(each) for each in value)
    if value is None:
        return "–"
    if isinstance(value, float):
        if decimals is not None:
            return signed(value, decimals)
        return f"{value:g}" if value == round(value, 2) else signed(value, 3)
    return f"{value:,}"


def rounded(value: float | None, decimals: int) -> str:
    return "–" if value is None else signed(value, decimals)


def recommendation(diagnosis: Diagnosis, _: Translate) -> str:
    return _advice(diagnosis, diagnosis.chosen, _)


def stay_here(diagnosis: Diagnosis, _: Translate) -> str:
    """What to do at this layer where another one is recommended; else ""."""
    if diagnosis.chosen.place is None:
        return ""
    here = diagnosis.trial.here
    sentence = _(SENTENCES["here"]).format(advice=_advice(diagnosis, here, _))
    if here.kind == "leave":
        return sentence
    found = _(SENTENCES["here-evidence"]).format(difference=cure_change(here))
    return paragraph([sentence, found])


def _advice(diagnosis: Diagnosis, cure: Cure, _: Translate) -> str:
    trial = diagnosis.trial
    if cure.kind == "leave":
        # with another layer recommended, "helps" is about that layer
        because = "nothing_helps" if trial.because == "helps" else trial.because
        code = f"leave-{because}"
        amount = trial.amount
        least = MIN_QUERIES if diagnosis.yardstick == "queries" else MIN_ROWS
        if trial.because == "too_few" and amount >= least and trial.n_fit < MIN_ROWS:
            code = f"{code}-fit"
            amount = trial.n_fit
            least = MIN_ROWS
        elif trial.because == "too_few":
            code = f"{code}-{_yardstick(diagnosis)}"
        return _(SENTENCES[code]).format(
            least=least,
            amount=f"{amount:,}",
            share=f"{diagnosis.unknown_share or 0:.0%}",
            limit=f"{MOST_UNKNOWN:.0%}",
        )
    if cure.place is not None:
        layer, pooling = cure.place
        return _(SENTENCES["layer"]).format(layer=layer, pooling=_(POOLING_NAMES[pooling]))
    template = _sentence(cure.kind, cure) or SENTENCES["treat"]
    return _(template).format(name=cure_name(cure, _), **_settings(cure, _))


def evidence(diagnosis: Diagnosis, _: Translate) -> str:
    """The score before and after the recommended cure; "" where nothing was compared."""
    trial = diagnosis.trial
    raw = trial.cures[0]
    cure = trial.chosen
    if "leave" not in cure.against or raw.score is None or cure.score is None:
        return ""
    is_grouped = diagnosis.yardstick == "pairs" and trial.amount < trial.n_items
    code = "evidence-pairs-units" if is_grouped else f"evidence-{_yardstick(diagnosis)}"
    values = counts(trial) | {
        "score": score_name(diagnosis, _),
        "before": signed(raw.score, 3),
        "after": signed(cure.score, 3),
        "difference": cure_change(cure),
    }
    said = [_(SENTENCES[code]).format(**values)]
    for name, difference in cure.more.items():
        score = _(SENTENCES[f"score-{name}"]).format(found=FOUND)
        said.append(_(SENTENCES["further"]).format(name=score, difference=_change(difference)))
    return paragraph(said)


def certainty(diagnosis: Diagnosis, _: Translate) -> str:
    """Ties with the recommendation, what the data could have shown, and whether splits agree."""
    trial = diagnosis.trial
    chosen = trial.chosen
    if trial.cures[0].score is None:
        return ""
    found = []
    by_kind = {cure.kind: cure for cure in trial.cures}
    if trial.ties:
        names = _("; ").join(cure_name(by_kind[kind], _) for kind in trial.ties)
        found.append(_(SENTENCES["ties"]).format(tie=signed(TIE, 3), names=names))
    compared = [cure for cure in trial.cures if cure.place is None and cure.score is not None]
    best = max(compared, key=lambda cure: cure.score or 0.0)
    difference = best.against.get(chosen.kind)
    if difference is None and best.kind in chosen.against:
        ahead = chosen.against[best.kind]  # of a simpler arm
        ends = (None if end is None else -end for end in (ahead.high, ahead.low))
        difference = Estimate(-ahead.value, *ends)
    if difference is not None and difference.value >= TIE:
        said = _(SENTENCES["open"])
        found.append(said.format(name=cure_name(best, _), difference=_change(difference)))
    if chosen.kind == "leave":
        gains = [cure for cure in compared if cure.smallest_gain is not None]
        likely = max(gains, key=lambda cure: cure.against["leave"].value, default=None)
        if likely is not None and likely.smallest_gain:
            gain = signed(likely.smallest_gain, 3)
            found.append(_(SENTENCES["smallest"]).format(gain=gain, power=f"{POWER:.0%}"))
    code = "agree" if trial.n_agree == trial.n_splits else "disagree"
    found.append(_(SENTENCES[code]).format(**counts(trial)))
    return paragraph(found)


def _yardstick(diagnosis: Diagnosis) -> str:
    """What is counted: rows with labels, whole texts with labels, pairs, or queries."""
    is_by_text = diagnosis.yardstick == "labels" and diagnosis.n_units is not None
    return f"{diagnosis.yardstick}{'-units' if is_by_text else ''}"


def score_name(diagnosis: Diagnosis, _: Translate) -> str:
    return _(SENTENCES[f"score-{diagnosis.yardstick}"]).format(k=NEIGHBOURS, found=FOUND)


def basis(diagnosis: Diagnosis, _: Translate) -> str:
    """The fit set, what was held out, how the intervals were made, which layers were compared."""
    trial = diagnosis.trial
    yardstick = diagnosis.yardstick if trial.cures[0].score is not None else "none"
    values = counts(trial) | {
        "ratio": signed(trial.n_fit / diagnosis.d, 2),
        "seed": str(diagnosis.seed),
        "chance": rounded(trial.chance, 3),
    }
    said = [_(SENTENCES[f"basis-{yardstick}"]).format(**values)] if trial.n_fit else []
    n_drawn = diagnosis.n_pairs_drawn
    n_pairs = diagnosis.n_pairs
    if n_drawn is not None and n_pairs is not None and n_drawn < n_pairs:
        sample = _(SENTENCES["pairs-sample"])
        said.append(sample.format(n_drawn=f"{n_drawn:,}", n=f"{n_pairs:,}"))
    if "layer" not in diagnosis.about and not trial.others:
        return paragraph(said)
    layers: dict[str, list[str]] = {}
    for layer, pooling in trial.others:
        layers.setdefault(pooling, []).append(str(layer))
    places = _("; ").join(
        _("{text} ({note})").format(text=_(", ").join(each), note=_(POOLING_NAMES[pooling]))
        for pooling, each in layers.items()
    )
    code = "others" if places else "no-others"
    return paragraph([*said, _(SENTENCES[code]).format(places=places)])


def measured(diagnosis: Diagnosis, _: Translate) -> str:
    said = [_(SENTENCES["measured"]).format(**counts(diagnosis))]
    if diagnosis.n_zero:
        said.append(_(SENTENCES["zero"]).format(n=f"{diagnosis.n_zero:,}"))
    if diagnosis.n_units is not None:
        said.append(_(SENTENCES["units"]).format(n=f"{diagnosis.n_units:,}"))
    return paragraph(said)


def file_notes(own: Corpus | VectorSet | Pairs, _: Translate) -> list[str]:
    """Notes on the file: what was sampled, and which of its rows and columns are left out."""
    notes: list[str] = []
    if not isinstance(own, VectorSet):
        if isinstance(own, Corpus) and own.n_available is not None:
            notes.append(_sample_note(len(own), own.n_available, own.seed, _))
        return [*notes, *_account_notes(own.account, _)]
    report = own.report
    if report is None:
        return []
    if report.n_sampled is not None:
        notes.append(_sample_note(report.n_sampled, report.n_rows, report.seed, _))
    whole = report.whole
    if whole is not None and whole.mean_cosine is not None:
        sentence = _(SENTENCES["file-whole"])
        cosine = f"{whole.mean_cosine:.3f}"
        norm = f"{whole.mean_norm:.3g}"
        notes.append(sentence.format(n=f"{whole.n_rows:,}", cosine=cosine, norm=norm))
    bad = {"dropped": (report.n_dropped, report.dropped), "zero": (report.n_zero, report.zero)}
    for code, (n, rows) in bad.items():
        if n:
            sentence = _(SENTENCES[f"file-{code}"])
            notes.append(sentence.format(n=f"{n:,}", rows=_first(rows, n, _)))
    return [*notes, *_account_notes(own.account, _, blank="file-no_vector")]


def _account_notes(
    account: Account | None, _: Translate, *, blank: str = "file-blank"
) -> list[str]:
    notes: list[str] = []
    if account is None:
        return notes
    without = (each for each in account.left_out if each.reason == BLANK)
    for each in (*without, *account.notes):
        code = blank if each.reason == BLANK else f"file-{each.reason}"
        sentence = _(SENTENCES[code])
        notes.append(sentence.format(n=f"{each.n:,}", rows=_first(each.rows, each.n, _)))
    if account.columns_left_out:
        names = account.columns_left_out
        reasons = account.column_reasons or (UNCHOSEN,) * len(names)
        named = [
            _(SENTENCES[f"column-{reason}"]).format(column=name)
            for name, reason in zip(names, reasons, strict=True)
        ]
        shown = _first(named[:_MOST_COLUMNS], len(names), _)
        notes.append(_(SENTENCES["file-columns"]).format(columns=shown))
    return notes


def _first(shown: Sequence[object], n: int, _: Translate) -> str:
    more = ["…"] if n > len(shown) else []
    return _(", ").join([*map(str, shown), *more])


def _sample_note(n: int, n_all: int, seed: int, _: Translate) -> str:
    return _(SENTENCES["file-sample"]).format(n=f"{n:,}", all=f"{n_all:,}", seed=seed)


def evidence_note(found: RowPairs | JudgedQueries, _: Translate) -> str:
    """How many of the pairs or queries are used, and how their ids were matched."""
    said = TEXTS["ids"]
    if isinstance(found, RowPairs):
        note = _(said["pairs"]).format(
            n=f"{len(found):,}", all=f"{found.n_pairs:,}", by=_(said[found.named_by])
        )
        used = [len(found) / found.n_pairs]
    else:
        note = _(said["queries"]).format(
            n=f"{len(found):,}",
            all=f"{found.n_queries:,}",
            queries_by=_(said[found.queries_by]),
            rows_by=_(said[found.rows_by]),
            missing=f"{found.n_missing:,}",
        )
        n_answers = sum(map(len, found.relevant))
        used = [len(found) / found.n_queries, n_answers / (n_answers + found.n_missing)]
    return note if min(used) >= LEAST_USED else paragraph([note, _(said["few"])])


def cure_name(cure: Cure, _: Translate) -> str:
    if cure.place is not None:
        layer, pooling = cure.place
        return _(SENTENCES["place"]).format(layer=layer, pooling=_(POOLING_NAMES[pooling]))
    kind = TREATMENTS[parse_treatment(cure.treatment).name]
    template = _sentence(f"name-{cure.kind}", cure) or kind.phrase or kind.label
    return _(template).format(**_settings(cure, _))


def cure_verdict(cure: Cure, _: Translate) -> str:
    """Whether it is better than raw vectors; "" where it was not compared."""
    if "leave" not in cure.against:
        return ""
    if cure.beats("leave"):
        return _(SENTENCES["better"])
    return _(SENTENCES["worse" if cure.hurts else "not-clear"])


def cure_change(cure: Cure) -> str:
    """The difference to raw vectors with its interval; "" where it was not compared."""
    return _change(cure.against["leave"]) if "leave" in cure.against else ""


def _change(difference: Estimate) -> str:
    return change(difference.value, difference.low, difference.high)


def _settings(cure: Cure, _: Translate) -> dict[str, object]:
    knobs = parse_treatment(cure.treatment).knobs
    k = knobs.n_components if knobs.n_removed is None else knobs.n_removed
    if knobs.shrinkage is None:
        shrinkage = _(SENTENCES["without-shrinkage"])
    elif knobs.shrinkage == "ledoit-wolf":
        shrinkage = _(SENTENCES["ledoit-wolf"])
    else:
        shrinkage = _(SENTENCES["shrinkage"]).format(a=knobs.shrinkage)
    return {"k": k, "shrinkage": shrinkage}


def _sentence(code: str, cure: Cure) -> str | None:
    is_all = parse_treatment(cure.treatment).knobs.n_components is None
    return SENTENCES.get(code) or SENTENCES.get(f"{code}-{'all' if is_all else 'some'}")


# ---- what stored vectors cost ----


def storage_summary(storage: Storage, _: Translate) -> str:
    """The smallest form whose interval excludes a loss of TOLERATED; of equal ones the best."""
    small = [
        row
        for row in storage.rows
        if row.change is not None and row.change.low is not None and row.change.low > -TOLERATED
    ]
    loss = f"{TOLERATED:.2f}"
    best = min(small, key=lambda row: (row.n_bytes, -(row.score or 0.0)), default=None)
    names = {cure.kind: cure_name(cure, _) for cure in storage.cures}
    if best is None or best.smaller <= 1:
        return _(STORAGE_SENTENCES["no-smaller"]).format(loss=loss)
    return _(STORAGE_SENTENCES["smallest"]).format(
        loss=loss,
        name=names[best.kind],
        **counts(best),
        form=best.form,
        smaller=f"{best.smaller:.3g}",
        change=_loss(best),
    )


def storage_basis(storage: Storage, _: Translate) -> str:
    rules = _(STORAGE_SENTENCES["basis"]).format(**counts(storage))
    return paragraph([_(STORAGE_SENTENCES["forms"]), rules])


def storage_rows(storage: Storage, _: Translate) -> tuple[list[str], list[list[str]]]:
    names = {cure.kind: cure_name(cure, _) for cure in storage.cures}
    head = [
        _(REPORT["cure"]),
        *(_(STORAGE[code]) for code in ("dimensions", "form", "bytes", "smaller")),
        _(REPORT[f"score-{storage.yardstick}"]),
        _(STORAGE["change"]),
    ]
    rows = []
    for row in storage.rows:
        size = [f"{row.n_bytes:,}", signed(row.smaller, 1)]
        rows.append(
            [names[row.kind], str(row.k), row.form, *size, rounded(row.score, 3), _loss(row)]
        )
    return head, rows


def _loss(row: Stored) -> str:
    return "" if row.change is None else _change(row.change)
