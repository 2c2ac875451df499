"""The finding thresholds in sentences and tables, as ``sentences`` has the other findings."""

from ..data.number_text import estimate, signed
from ..data.translations import Translate, paragraph
from ..measure.cone import NARROW
from .diagnosis import Diagnosis
from .sentences import REPORT, TEXTS, _change, counts, cure_change, cure_name, score_name
from .thresholds import WANTED, PairCosines, Threshold, Thresholds

RARE = 0.001  # share of related pairs, as in a search among many rows
WEAK = 1 / 3  # share of the unrelated pairs above every threshold that finds WANTED of the related
NO_LOSS = 0.02  # a loss of AUC, or of the score, that must be excluded before that
MOVED = 0.5  # of the distance to 0, from which centring is called a cure for a threshold
THRESHOLDS, SENTENCES = TEXTS["thresholds"], TEXTS["threshold_sentences"]


def labels(_: Translate) -> dict[str, str]:
    """Titles and names of the pictures, by their codes in THRESHOLDS, and of the cosine's axis."""
    found = {code: _(text) for code, text in THRESHOLDS.items()}
    return found | {"axis-cosine": _(REPORT["axis-cosine"])}


def summary(diagnosis: Diagnosis, _: Translate) -> str:
    """How large the cosines are, how far they separate, and whether centring helps a threshold."""
    found = diagnosis.thresholds
    if found is None:
        return ""
    raw = found.arms[0]
    centred = found.arm("centre")
    values = _ends("unrelated", raw.unrelated)
    if raw.auc is None or raw.related is None:
        said = [_(SENTENCES["range-none"]).format(**values)]
        if centred is not None and _is_moved(raw, centred):
            said.append(_(SENTENCES["unjudged"]).format(centred=signed(centred.middle, 3)))
        return paragraph(said)
    values |= _ends("related", raw.related)
    auc = _(SENTENCES["auc"]).format(auc=estimate(raw.auc.value, raw.auc.low, raw.auc.high))
    said = [_(SENTENCES["range"]).format(**values), auc]
    best = raw.threshold("f1")
    if best is not None:
        said.append(_(SENTENCES["best"]).format(**_numbers(best)))
    said.append(_of_centring(diagnosis, found, _))
    cuts = (arm.threshold("recall") for arm in found.arms)
    least = min((cut.false_share for cut in cuts if cut is not None), default=0)
    if least > WEAK:  # no threshold separates the pairs well
        said.append(_(SENTENCES["weak"]).format(wanted=f"{WANTED:.2f}", false=f"{least:.0%}"))
    return paragraph(said)


def _of_centring(diagnosis: Diagnosis, found: Thresholds, _: Translate) -> str:
    """Whether centring moves the unrelated cosines without a loss; "" where it does not."""
    centred = found.arm("centre")
    if centred is None or centred.change is None or not _is_moved(found.arms[0], centred):
        return ""
    cure = next((cure for cure in diagnosis.trial.cures if cure.kind == "centre"), None)
    score = "" if cure is None else cure_change(cure)
    values = {
        "centred": signed(centred.middle, 3),
        "auc": _change(centred.change),
        "change": score,
        "score": score_name(diagnosis, _) if score else "",
        "limit": f"{NO_LOSS:g}",
    }
    if centred.change.falls or (cure is not None and cure.hurts):
        return _(SENTENCES["loss"]).format(**values)
    changes = centred.change, None if cure is None else cure.against.get("leave")
    more = _(SENTENCES["cure-score"]).format(**values) if score else ""
    if any(each and (each.low is None or each.low <= -NO_LOSS) for each in changes):
        return paragraph([_(SENTENCES["unsure"]).format(**values), more])
    best = centred.threshold("f1")
    cosine = "–" if best is None else signed(best.cosine, 3)
    return paragraph([_(SENTENCES["cure"]).format(**values, cosine=cosine), more])


def _is_moved(raw: PairCosines, centred: PairCosines) -> bool:
    return raw.middle >= NARROW and abs(centred.middle) <= (1 - MOVED) * raw.middle


def basis(diagnosis: Diagnosis, _: Translate) -> str:
    """Which pairs are called related, how many, and what the numbers depend on."""
    found = diagnosis.thresholds
    if found is None:
        return ""
    code = "binary" if found.is_binary else found.evidence
    scores = {"least": found.least_related or 0, "most": found.most_unrelated or 0}
    printed = {name: f"{score:.3g}" for name, score in scores.items()}
    said = [_(SENTENCES[f"rule-{code}"]).format(**counts(found), **printed)]
    if found.evidence != "pairs":
        said.append(_(SENTENCES["copies"]))
    if found.n_related:
        said.append(_(SENTENCES["share"]).format(share=f"{found.share:.0%}"))
        said.append(_(SENTENCES["interval"]))
    return paragraph(said)


def cosine_table(diagnosis: Diagnosis, _: Translate) -> tuple[list[str], list[list[str]]]:
    found = diagnosis.thresholds
    if found is None:
        return [], []
    is_judged = found.n_related > 0
    head = [REPORT["cure"], THRESHOLDS["middle-unrelated" if is_judged else "middle-random"]]
    if is_judged:
        head += [THRESHOLDS[code] for code in ("middle-related", "auc", "change")]
    names = {cure.kind: cure_name(cure, _) for cure in diagnosis.trial.cures}
    rows = []
    for arm in found.arms:
        row = [names[arm.kind], _spread(arm.unrelated)]
        if arm.related is not None and arm.auc is not None:
            row += [_spread(arm.related), estimate(arm.auc.value, arm.auc.low, arm.auc.high)]
            row.append("" if arm.change is None else _change(arm.change))
        rows.append(row)
    return list(map(_, head)), rows


def cut_table(diagnosis: Diagnosis, _: Translate) -> tuple[list[str], list[list[str]]]:
    found = diagnosis.thresholds
    if found is None or not found.n_related:
        return [], []
    columns = ("goal", "threshold", "precision", "rare", "recall", "false")
    names = {cure.kind: cure_name(cure, _) for cure in diagnosis.trial.cures}
    rows = []
    for arm in found.arms:
        if arm.kind in ("leave", "centre", diagnosis.trial.here.kind):
            for each in arm.thresholds:
                goal = _(THRESHOLDS[f"goal-{each.code}"]).format(wanted=f"{WANTED:.2f}")
                rows.append([names[arm.kind], goal, *_numbers(each).values()])
    return [_(REPORT["cure"]), *(_(THRESHOLDS[code]) for code in columns)], rows


def _numbers(threshold: Threshold) -> dict[str, str]:
    found = RARE * threshold.recall
    others = (1 - RARE) * threshold.false_most
    return {
        "cosine": signed(threshold.cosine, 3),
        "precision": f"{threshold.precision:.2f}",
        "rare": f"{found / (found + others):.2%}",
        "recall": f"{threshold.recall:.2f}",
        "false_share": f"{threshold.false_share:.1%}",
    }


def _ends(name: str, quantiles: tuple[float, ...]) -> dict[str, str]:
    """The 2.5% quantile, the median and the 97.5% quantile, by their names in sentences."""
    places = {f"{name}_low": 0, name: len(quantiles) // 2, f"{name}_high": -1}
    return {each: signed(quantiles[place], 3) for each, place in places.items()}


def _spread(quantiles: tuple[float, ...]) -> str:
    return "{x} [{x_low}, {x_high}]".format(**_ends("x", quantiles))
