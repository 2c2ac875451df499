"""How often words occur: from a file, or guessed from a table's order."""

from __future__ import annotations

import math

from ..data.decode import Source, read_text_file
from ..data.embeddings import VectorTable
from ..data.limits import MAX_BYTES, CorpusError, refuse_empty
from ..data.tables import is_number


def read_counts(
    source: Source, *, encoding: str | None = None, max_bytes: int = MAX_BYTES
) -> dict[str, float]:
    """Words and their counts, one pair a line with spaces, tabs or a comma between.

    A first line that has no number is a header; a word that comes twice has the sum.
    Raises CorpusError as ``read_corpus`` does, and "bad_count" with the line's number.
    """
    file = read_text_file(source, encoding=encoding, max_bytes=max_bytes)
    counts: dict[str, float] = {}
    for number, line in enumerate(file.text.splitlines(), start=1):
        fields = (line.rsplit(",", 1) if file.suffix == ".csv" else line.rsplit(None, 1)) or [""]
        if not line.strip() or (number == 1 and not is_number(fields[-1])):
            continue
        if len(fields) != 2 or not is_number(fields[1]) or not 0 <= float(fields[1]) < math.inf:
            raise CorpusError("bad_count", line=number)
        word = fields[0].strip()
        counts[word] = counts.get(word, 0.0) + float(fields[1])
    refuse_empty(len(counts))
    return counts


def rank_counts(table: VectorTable) -> dict[str, float]:
    """1/rank by the table's order: Zipf's law in place of counts, where there are none.

    Right only where the most frequent words come first, as in GloVe's, word2vec's and fastText's
    files; say so wherever it is used.
    """
    counts: dict[str, float] = {}
    for rank, word in enumerate(table.words, start=1):
        counts.setdefault(word, 1 / rank)
    return counts
