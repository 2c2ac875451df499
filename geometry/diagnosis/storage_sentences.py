"""What stored vectors cost, in sentences and as a table."""

from ..data.number_text import signed
from ..data.translations import Translate, paragraph
from .sentences import REPORT, TEXTS, _change, counts, cure_name
from .storage import Storage, Stored

TOLERATED = 0.02  # a loss that the sentence on the smallest form tolerates
STORAGE, SENTENCES = TEXTS["storage"], TEXTS["storage_sentences"]


def summary(storage: Storage, _: Translate) -> str:
    """The smallest form whose interval excludes a loss of TOLERATED; of equal ones the best."""
    small = [
        row
        for row in storage.rows
        if row.change is not None and row.change.low is not None and row.change.low > -TOLERATED
    ]
    loss = f"{TOLERATED:.2f}"
    best = min(small, key=lambda row: (row.n_bytes, -(row.score or 0.0)), default=None)
    if best is None or best.smaller <= 1:
        return _(SENTENCES["no-smaller"]).format(loss=loss)
    return _(SENTENCES["smallest"]).format(
        loss=loss,
        name=_names(storage, _)[best.kind],
        **counts(best),
        form=best.form,
        smaller=f"{best.smaller:.3g}",
        change=_loss(best),
    )


def basis(storage: Storage, _: Translate) -> str:
    return paragraph([_(SENTENCES["forms"]), _(SENTENCES["basis"]).format(**counts(storage))])


def table(storage: Storage, _: Translate) -> tuple[list[str], list[list[str]]]:
    names = _names(storage, _)
    head = [
        _(REPORT["cure"]),
        *(_(STORAGE[code]) for code in ("dimensions", "form", "bytes", "smaller")),
        _(REPORT[f"score-{storage.yardstick}"]),
        _(STORAGE["change"]),
    ]
    rows = [
        [
            names[row.kind],
            str(row.k),
            row.form,
            f"{row.n_bytes:,}",
            signed(row.smaller, 1),
            "–" if row.score is None else signed(row.score, 3),
            _loss(row),
        ]
        for row in storage.rows
    ]
    return head, rows


def _names(storage: Storage, _: Translate) -> dict[str, str]:
    return {cure.kind: cure_name(cure, _) for cure in storage.cures}


def _loss(row: Stored) -> str:
    return "" if row.change is None else _change(row.change)
