"""Texts to sentences, and to words: one tokeniser of averages, counts and training texts."""

import re
import unicodedata
from collections.abc import Callable, Sequence

import regex

from .errors import CorpusError

# How a text becomes words. "unicode": runs of letters, marks and numbers, with apostrophes inside.
# "characters": likewise, and each Chinese or Japanese character is a word. "jieba": Chinese by the
# segmenter of that name. "ascii": the recipe of many STS figures, lower case, [a-z0-9']+.
TOKENIZERS = ("unicode", "characters", "jieba", "ascii")
STOP_LISTS = ("none", "sklearn")  # names of lists of stop words; "none" keeps every word
Tokenizer = str | Callable[[str], Sequence[str]]

_CJK = r"\p{Han}\p{Hiragana}\p{Katakana}ー"
_LETTER = r"[\p{L}\p{N}]"
_LETTER_NO_CJK = rf"(?![{_CJK}]){_LETTER}"
_JOINED = "\u200c\u200d"  # inside words of Persian and of Indic scripts
_CLITIC = r"(?<!\S)['’]\p{L}{1,2}(?![\p{L}\p{M}\p{N}'’])"  # "dog 's", as treebanks split
_ALONE = rf"[{_CJK}]\p{{M}}*"
_LEAST_SPACED = 0.25  # share of neighbouring characters with a space between: 4 letters a word


def _run(letter: str) -> str:
    part = rf"{letter}(?:{letter}|[\p{{M}}{_JOINED}])*"
    return rf"{part}(?:(?:['’·\u05f3\u05f4]|_+|(?<=\p{{N}})[.,](?=\p{{N}})){part})*"


def _run_of_signs(letter: str) -> str:
    return rf"(?:{letter}|_)(?:{letter}|[\p{{M}}{_JOINED}_])*"


_WORDS = {
    "unicode": regex.compile(f"{_CLITIC}|{_run(_LETTER)}"),
    "characters": regex.compile(f"{_CLITIC}|{_run(_LETTER_NO_CJK)}|{_ALONE}"),
    "ascii": regex.compile("[a-z0-9']+"),
}
_WORDS_AND_SIGNS = {
    "unicode": regex.compile(rf"{_run_of_signs(_LETTER)}|\S"),
    "characters": regex.compile(rf"{_run_of_signs(_LETTER_NO_CJK)}|{_ALONE}|\S"),
    "ascii": regex.compile(r"[a-z0-9']+|[^a-z0-9'\s]"),
}
_JOINS = regex.compile(rf"[{_CJK}](\s*+)(?=[{_CJK}])")
_HAS_LETTER = regex.compile(_LETTER)
_FOLDED = str.maketrans("’ʼ＇", "'''", f"{_JOINED}\u00ad")  # noqa: RUF001


def words_in(text: str, tokenizer: str = "unicode", *, signs: bool = False) -> list[str]:
    """The words of a text as they are written; with ``signs`` other characters are words too."""
    if tokenizer == "jieba":
        try:
            import jieba
        except ImportError as error:
            raise CorpusError("missing_segmenter") from error
        jieba.setLogLevel("WARNING")
        words = jieba.lcut(text)
        if signs:
            return [word for word in words if not word.isspace()]
        return [word for word in words if _HAS_LETTER.search(word)]
    if tokenizer not in TOKENIZERS:
        known = ", ".join(TOKENIZERS)
        raise ValueError(f"tokenizer must be one of {known}, or a function; got {tokenizer!r}")
    if tokenizer == "ascii":
        text = text.lower()
    text = text.replace("\u00ad", "")  # a soft hyphen is a place where a line may end
    found: list[str] = (_WORDS_AND_SIGNS if signs else _WORDS)[tokenizer].findall(text)
    return found


def words_of(text: str, tokenizer: str = "unicode") -> list[str]:
    """The words of a text in lower case; see ``geometry.data.words.TOKENIZERS``."""
    return [word.lower() for word in words_in(text, tokenizer)]


def stop_list(name: str) -> frozenset[str]:
    """The words of a list of ``STOP_LISTS``, in lower case; it is read from its package."""
    if name not in STOP_LISTS:
        raise ValueError(f"stop_words must be one of {', '.join(STOP_LISTS)}; got {name!r}")
    if name == "none":
        return frozenset()
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def tokenizer_for(texts: Sequence[str]) -> str:
    """ "characters" where Chinese or Japanese has no spaces between words, else "unicode"."""
    spaces = [each for text in texts for each in _JOINS.findall(text)]
    spaced = sum(map(bool, spaces))
    return "characters" if spaces and spaced < _LEAST_SPACED * len(spaces) else "unicode"


def folded(word: str) -> str:
    """A key that is equal for words which differ in case, apostrophes or Unicode's forms."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", word.translate(_FOLDED)).casefold()


# Letters before a full stop that usually ends no sentence.
_SHORT = (
    "mr", "mrs", "ms", "dr", "prof", "st", "no", "vs", "etc", "e.g", "i.e", "fig", "eq", "al",
    "jr", "sr", "inc", "ltd", "co", "u.s", "u.k", "p", "pp", "cf", "approx",
)  # fmt: skip
_CLOSING = r"[\"'”’)\]」』）》]*"
_END = re.compile(
    rf"[。！？]+{_CLOSING}\s*"  # Chinese: no space is needed
    rf"|(?:[.!?…]+){_CLOSING}\s+(?=[\"'“‘(\[「『（]*[^\W_a-z])"  # else a capital or a digit follows
    r"|\n\s*\n"
)
_LAST_WORD = re.compile(r"([^\s(\[“‘\"']+)\.$")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, stripped. Usual abbreviations and single letters end none."""
    sentences, start = [], 0
    for found in _END.finditer(text):
        piece = text[start : found.end()].strip()
        last = _LAST_WORD.search(piece)
        if last and (last[1].casefold() in _SHORT or re.fullmatch(r"[A-Z]", last[1])):
            continue
        if piece:
            sentences.append(piece)
        start = found.end()
    if rest := text[start:].strip():
        sentences.append(rest)
    return sentences
