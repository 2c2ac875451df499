"""How often words occur: from a file, or guessed from a table's order."""

from ..data.decode import Source, TextFile, lines_of, read_text_file
from ..data.embeddings import VectorTable
from ..data.errors import CorpusError
from ..data.limits import LARGEST_COUNT, LIMITS, Limits, refuse_row_count
from ..data.recognise import is_number, is_running
from ..errors import own_errors


def read_counts(
    source: Source,
    *,
    name: str | None = None,
    encoding: str | None = None,
    limits: Limits = LIMITS,
) -> dict[str, float]:
    """Words and their counts, one pair a line with spaces, tabs or a comma between.

    A first line that has no number is a header; a word that comes twice has the sum. Numbers of
    rows before the words are left out. CorpusError "bad_count" has the line's number.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        Name of the file; its suffix says whether a comma separates the columns.
    encoding : str, optional
    limits : Limits
    """
    # A reader accepts 50 lines for each row of the limit
    limits = limits.but(rows=limits.words // 50)
    file = read_text_file(source, name=name, encoding=encoding, limits=limits)
    with own_errors(CorpusError):
        return _counts_of(file, limits)


def _counts_of(file: TextFile, limits: Limits) -> dict[str, float]:
    rows: list[tuple[int, str, float]] = []
    for number, line in lines_of(file.text, limits, most=limits.line_characters):
        fields = (line.rsplit(",", 1) if file.suffix == ".csv" else line.rsplit(None, 1)) or [""]
        if not line.strip() or (number == 1 and not is_number(fields[-1].strip())):
            continue
        if len(fields) != 2 or not is_number(fields[1]):
            raise CorpusError("bad_count", line=number)
        word, count = fields[0].strip(), float(fields[1])
        if not 0 <= count <= LARGEST_COUNT:
            raise CorpusError("bad_count", line=number)
        rows.append((number, word, count))
    refuse_row_count(len(rows), len(rows))
    parts = [word.replace(",", "\t", 1).split(None, 1) for _, word, _ in rows]
    is_numbered = all(len(each) == 2 for each in parts) and is_running([each[0] for each in parts])
    counts: dict[str, float] = {}
    for (number, word, count), each in zip(rows, parts, strict=True):
        word = each[1] if is_numbered else word
        if any(map(is_number, word.split("\t")[1:])):  # more columns of numbers
            raise CorpusError("bad_count", line=number)
        counts[word] = counts.get(word, 0.0) + count
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
