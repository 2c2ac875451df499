"""Texts to tokens: read by the model's tokenizer, cut at its limit, counted, batched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..data.limits import MOST_CHARACTERS
from ..errors import GeometryError
from ..hub.model_errors import ModelFilesError
from ..hub.model_files import incomplete
from ..process import Report, no_report
from .faults import converting_faults
from .split_apart import Split, is_plain, split_apart

BATCH_CHARACTERS = 100_000  # characters between two calls of ``after``: half a second

# Called with the texts done; an exception raised in it stops the work
After = Callable[[int], None]

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer
    from torch import Tensor


class TextError(GeometryError):
    """A text that can't be encoded. The message counts texts from 1."""

    subject = "text"


@dataclass(frozen=True)
class Coverage:
    """How much of the texts a model reads.

    Attributes
    ----------
    n_texts : int
    truncated : int
        Texts that are cut at max_tokens, or at MOST_CHARACTERS characters.
    max_tokens : int
        The model's limit, special tokens included.
    tokens : int
        Word pieces of all texts before the cut at max_tokens, without special tokens and prefix.
    unknown : int
        How many of these are the unknown token.
    unknown_token : str
        The tokenizer's text for it, such as "[UNK]" or "<unk>"; "" if it has none. Word vectors
        have none: unknown words are left out.
    """

    n_texts: int
    truncated: int
    max_tokens: int
    tokens: int
    unknown: int
    unknown_token: str = ""

    @property
    def unknown_share(self) -> float:
        """unknown / tokens in [0, 1]; 0 for texts without tokens."""
        return self.unknown / self.tokens if self.tokens else 0.0


@dataclass(frozen=True)
class CutText:
    """One text's tokens: the part of a tokenizer's Encoding that is used, in less memory.

    An Encoding takes some 100 bytes a token, and contains the tokens beyond the cut.

    ids : (L,) int32.
    tokens : L word pieces.
    special_tokens_mask : (L,) uint8, 1 for special tokens and those of a prefix.
    """

    ids: np.ndarray
    tokens: tuple[str, ...]
    special_tokens_mask: np.ndarray

    @classmethod
    def of(
        cls,
        encoding: Encoding | Split,
        strings: dict[str, str],
        prefix: Sequence[int] = (),
        unknown: Mapping[int, str] | None = None,
    ) -> CutText:
        """strings : the tokens so far, so that equal ones are one object.

        prefix : ids of the prefix. Those with which the text begins are marked as special.
        unknown : id and text of the unknown token. A Unigram model gives the text's own characters.
        """
        unknown = unknown or {}
        mask = np.array(encoding.special_tokens_mask, dtype=np.uint8)
        ordinary = np.flatnonzero(mask == 0)
        ids = np.array(encoding.ids, dtype=np.int32)
        mask[ordinary[: _shared(prefix, ids[ordinary])]] = 1
        named = map(unknown.get, encoding.ids, encoding.tokens)
        return cls(ids, tuple(strings.setdefault(token, token) for token in named), mask)


class PieceReader:
    """A fast tokenizer (tokenizer.json). Special tokens and the prefix count in ``max_tokens``."""

    def __init__(
        self,
        path: Path,
        *,
        name: str = "",
        max_tokens: int,
        lowercase: bool = False,
        prefix: str = "",
    ) -> None:
        self._path, self._prefix = path, prefix
        self._name = name or str(path.parent)
        self._lowercase = lowercase
        self.max_tokens = max_tokens

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer, normalizers

        try:
            with converting_faults(self._name):
                tokenizer = Tokenizer.from_file(str(self._path))
        except ModelFilesError as error:
            raise incomplete(self._name, self._path.name, "it is no tokenizer") from error
        if self._lowercase:
            own = [tokenizer.normalizer] if tokenizer.normalizer is not None else []
            tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), *own])
        tokenizer.no_padding()
        tokenizer.no_truncation()  # so that cut texts can be counted
        return tokenizer

    @cached_property
    def _cutting_tokenizer(self) -> Tokenizer:
        """A second tokenizer that cuts; switching the first one would disturb other threads."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self._tokenizer.to_str())
        tokenizer.enable_truncation(self.max_tokens)
        return tokenizer

    @cached_property
    def _is_apart(self) -> bool:
        """Whether texts are read by a process of its own, because of rules that may be slow."""
        with converting_faults(self._name):
            return not is_plain(self._tokenizer)

    @cached_property
    def _prefix_ids(self) -> Sequence[int]:
        """The ids of the prefix alone. With a text behind it, the last ones may be others."""
        [alone] = self._encoded(self._tokenizer, [self._prefix], special=False)
        return alone.ids

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """The checked texts, each behind the prefix."""
        return batches_by_characters([self._prefix + text for text in checked_texts(texts)])

    def encodings(self, texts: Sequence[str], after: After | None = None) -> list[CutText]:
        """Each text as the model reads it, special tokens included.

        after : called with the number of texts read, after each batch but the last. If another
        process reads them, it is called several times a second.
        """
        special = self._tokenizer.num_special_tokens_to_add(False)
        encodings: list[CutText] = []
        strings: dict[str, str] = {}  # each token once, however often it occurs
        for batch in self._batches(texts):
            report = _report(after, len(encodings))
            of_batch = self._encoded(self._tokenizer, batch, report)
            if any(len(e.ids) > self.max_tokens for e in of_batch):
                # cut before the template is applied, so that [SEP] is still the last token
                of_batch = self._encoded(self._cutting_tokenizer, batch, report)
            encodings += [
                CutText.of(each, strings, self._prefix_ids, self._unknown) for each in of_batch
            ]
            if after is not None and len(encodings) < len(texts):
                after(len(encodings))
        if special == 0 and (empty := [i for i, e in enumerate(encodings) if not len(e.ids)]):
            n_empty, n = len(empty), len(encodings)
            raise TextError("no_tokens", row=empty[0] + 1, n_empty=n_empty, n=n)
        return encodings

    def _encoded(
        self,
        tokenizer: Tokenizer,
        texts: list[str],
        report: Report = no_report,
        *,
        special: bool = True,
    ) -> Sequence[Encoding | Split]:
        if self._is_apart:
            json_text, name = tokenizer.to_str(), self._name
            return split_apart(json_text, texts, special=special, name=name, report=report)
        with converting_faults(self._name):
            encodings: list[Encoding] = tokenizer.encode_batch(texts, add_special_tokens=special)
        return encodings

    def pieces(self, texts: Sequence[str], after: After | None = None) -> list[list[str]]:
        """The word pieces of each text as strings, without special tokens and prefix."""
        return [
            [t for t, special in zip(e.tokens, e.special_tokens_mask, strict=True) if not special]
            for e in self.encodings(texts, after)
        ]

    @cached_property
    def _unknown_id(self) -> int | None:
        model = json.loads(self._tokenizer.to_str())["model"]
        if "unk_id" in model:  # a Unigram model states the id, the others the text
            return model["unk_id"]
        unknown = model.get("unk_token")
        return None if unknown is None else self._tokenizer.token_to_id(unknown)

    @cached_property
    def _unknown(self) -> dict[int, str]:
        """The unknown token's id and text; empty for a tokenizer without one."""
        text = None if self._unknown_id is None else self._tokenizer.id_to_token(self._unknown_id)
        return {} if self._unknown_id is None or text is None else {self._unknown_id: text}

    def coverage(self, texts: Sequence[str], after: After | None = None) -> Coverage:
        """Count the texts that are cut and the tokens that are unknown; ``after`` as above."""
        unknown = self._unknown_id
        limit = self.max_tokens - self._tokenizer.num_special_tokens_to_add(False)
        lengths: list[int] = []
        n_unknown = of_prefix = 0
        for batch in self._batches(texts):
            report = _report(after, len(lengths))
            for encoding in self._encoded(self._tokenizer, batch, report, special=False):
                ids = encoding.ids
                lengths.append(len(ids))
                n_shared = _shared(self._prefix_ids, ids)
                of_prefix += n_shared
                n_unknown += 0 if unknown is None else ids[n_shared:].count(unknown)
            if after is not None and len(lengths) < len(texts):
                after(len(lengths))
        return Coverage(
            n_texts=len(lengths),
            truncated=sum(
                length > limit or len(self._prefix) + len(text) > MOST_CHARACTERS
                for length, text in zip(lengths, texts, strict=True)
            ),
            max_tokens=self.max_tokens,
            tokens=sum(lengths) - of_prefix,
            unknown=n_unknown,
            unknown_token="" if unknown is None else self._tokenizer.id_to_token(unknown) or "",
        )

    @cached_property
    def special_tokens(self) -> tuple[str, ...]:
        """The tokens that the tokenizer adds to a text, in order, each once."""
        [around] = self._encoded(self._tokenizer, [""])
        named = zip(around.tokens, around.special_tokens_mask, strict=True)
        return tuple(dict.fromkeys(token for token, is_special in named if is_special))

    def words(self) -> dict[int, str]:
        """The vocabulary: from id to word piece."""
        return {i: word for word, i in self._tokenizer.get_vocab().items()}


def _shared(prefix: Sequence[int], ids: Sequence[int] | np.ndarray) -> int:
    """How many ids of the prefix begin the text's."""
    pairs = enumerate(zip(prefix, ids, strict=False))
    shorter = min(len(prefix), len(ids))
    return next((place for place, (a, b) in pairs if a != b), shorter)


def _report(after: After | None, done: int) -> Report:
    return no_report if after is None else lambda *_: after(done)


def checked_texts(texts: Sequence[str]) -> list[str]:
    """The texts as a list.

    Raises
    ------
    TypeError
        If ``texts`` is one string, or if an item is not a string; the message gives its index.
    ValueError
        If a text has half of a surrogate pair, which no encoding of Unicode can represent.
    """
    if isinstance(texts, str):
        raise TypeError("texts must be a sequence of strings; got one string")
    for place, text in enumerate(texts):
        check_text(text, place)
    return list(texts)


def check_text(text: str, place: int) -> bytes:
    """The text as UTF-8. Raises the errors of ``checked_texts``; ``place`` is its index."""
    if not isinstance(text, str):
        raise TypeError(f"text {place} is {type(text).__name__}, not str")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"U+{ord(text[error.start]):04X}"
        raise TextError("half_character", row=place + 1, half=half) from error


class Pieces(Protocol):
    """The tokens of one text."""

    @property
    def ids(self) -> Sequence[int] | np.ndarray: ...

    @property
    def tokens(self) -> Sequence[str]: ...

    @property
    def special_tokens_mask(self) -> Sequence[int] | np.ndarray: ...


def batches_by_characters(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in their order, each cut at MOST_CHARACTERS characters.

    A batch has BATCH_CHARACTERS at most, or one text. A tokenizer takes up to 600 bytes a
    character.
    """
    batch: list[str] = []
    size = 0
    for text in texts:
        cut = text[:MOST_CHARACTERS]
        if batch and size + len(cut) > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
        batch.append(cut)
        size += len(cut)
    if batch:
        yield batch


def batches_by_tokens(lengths: Sequence[int], budget: int) -> Iterator[np.ndarray]:
    """Row indices of each batch, longest texts first.

    Rows x longest is at most ``budget``. A single row longer than that is a batch of its own.
    """
    order = np.argsort(-np.asarray(lengths), kind="stable")
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def rectangle(texts: Sequence[Pieces], pad_id: int) -> tuple[Tensor, Tensor, Tensor]:
    """(ids, mask, 1 where a token is not special) of one batch, padded to the longest: (b, L).

    The padding is always on the right, whatever the tokenizer's settings state. Every position is
    then the same as without padding, and a decoder's tokens attend to no padding. So each text has
    the vector that it has alone. With padding on the left, GPT-2 and BERT would count positions
    through the padding.
    """
    import torch

    longest = max(len(text.ids) for text in texts)
    ids = np.full((len(texts), longest), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    ordinary = np.zeros_like(ids)
    for row, text in enumerate(texts):
        n = len(text.ids)
        ids[row, :n] = text.ids
        mask[row, :n] = 1
        ordinary[row, :n] = 1 - np.array(text.special_tokens_mask, dtype=np.int64)
    return torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(ordinary)


def need_known_ids(ids: Tensor, n_types: int, *, name: str) -> None:
    """Raise ModelFilesError if an id of the tokenizer has no row in the model's matrix."""
    highest = int(ids.max())
    if highest >= n_types:
        raise ModelFilesError(
            "wrong_architecture",
            because="foreign_tokenizer",
            name=name,
            token=highest,
            tokens=n_types,
        )


def need_ordinary_tokens(texts: Sequence[Pieces]) -> None:
    """Raise TextError if a text has special tokens only; the message gives the first."""
    for place, text in enumerate(texts):
        if all(text.special_tokens_mask):
            raise TextError("only_special_tokens", row=place + 1)
