"""Texts to tokens: read by the model's tokenizer, cut at its limit, counted, batched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ..data.limits import MOST_CHARACTERS
from ..hub.errors import ModelFilesError, converting_faults
from ..hub.model_files import incomplete
from ..process import Progress, no_report
from .errors import TextError
from .split_apart import TextTokens, is_plain, split_apart

BATCH_CHARACTERS = 100_000  # characters between two reports: half a second

Found = TypeVar("Found")

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer
    from torch import Tensor


@dataclass(frozen=True)
class Coverage:
    """How much of the texts a model reads."""

    n_texts: int
    truncated: int  #: texts that are cut at max_tokens, or at MOST_CHARACTERS characters
    max_tokens: int  #: special tokens included
    tokens: int  #: before the cut at max_tokens, without special tokens and prefix
    unknown: int  #: how many of these are the unknown token
    unknown_token: str = ""  #: such as "[UNK]"; "" of word vectors, which leave unknown words out

    @property
    def unknown_share(self) -> float:
        """unknown / tokens in [0, 1]; 0 for texts without tokens."""
        return self.unknown / self.tokens if self.tokens else 0.0


class PieceReader:
    """A fast tokenizer (tokenizer.json). Special tokens and the prefix count in ``max_tokens``.

    What ``report``, called with (texts read, texts in all), raises stops the work.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        max_tokens: int,
        lowercase: bool = False,
        prefix: str = "",
    ) -> None:
        self._path, self._name, self._prefix = path, name, prefix
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
        return list(alone.ids)

    def encodings(self, texts: Sequence[str], report: Progress = no_report) -> list[TextTokens]:
        """Each text as the model reads it, special tokens included."""
        strings: dict[str, str] = {}  # each token once, however often it occurs

        def read(batch: list[str], report: Progress) -> list[TextTokens]:
            encodings = self._encoded(self._tokenizer, batch, report)
            if any(len(e.ids) > self.max_tokens for e in encodings):
                # cut before the template is applied, so that [SEP] is still the last token
                encodings = self._encoded(self._cutting_tokenizer, batch, report)
            return [self._kept(each, strings) for each in encodings]

        found = in_batches(texts, read, report, prefix=self._prefix)
        empty = [i for i, encoding in enumerate(found) if not len(encoding.ids)]
        if empty and not self._tokenizer.num_special_tokens_to_add(False):
            raise TextError("no_tokens", row=empty[0] + 1, n_empty=len(empty), n=len(found))
        return found

    def _kept(self, encoding: Encoding | TextTokens, strings: dict[str, str]) -> TextTokens:
        """What is used of an Encoding, which takes 100 bytes a token; a prefix is special.

        A Unigram model gives an unknown token the text's own characters; here it has its name.
        """
        mask = np.array(encoding.special_tokens_mask, dtype=np.uint8)
        ordinary = np.flatnonzero(mask == 0)
        ids = np.array(encoding.ids, dtype=np.int32)
        mask[ordinary[: _shared(self._prefix_ids, ids[ordinary])]] = 1
        tokens = [
            self._unknown_token if i == self._unknown_id and self._unknown_token else token
            for i, token in zip(encoding.ids, encoding.tokens, strict=True)
        ]
        return TextTokens(ids, tuple(strings.setdefault(each, each) for each in tokens), mask)

    def _encoded(
        self,
        tokenizer: Tokenizer,
        texts: list[str],
        report: Progress = no_report,
        *,
        special: bool = True,
    ) -> Sequence[Encoding | TextTokens]:
        if self._is_apart:
            rules = tokenizer.to_str()
            return split_apart(rules, texts, special=special, name=self._name, report=report)
        with converting_faults(self._name):
            return tokenizer.encode_batch(texts, add_special_tokens=special)

    def pieces(self, texts: Sequence[str], report: Progress = no_report) -> list[list[str]]:
        """The word pieces of each text as strings, without special tokens and prefix."""
        return [
            [t for t, special in zip(e.tokens, e.special_tokens_mask, strict=True) if not special]
            for e in self.encodings(texts, report)
        ]

    @cached_property
    def _unknown_id(self) -> int | None:
        model = json.loads(self._tokenizer.to_str())["model"]
        if "unk_id" in model:  # a Unigram model states the id, the others the text
            return model["unk_id"]
        unknown = model.get("unk_token")
        return None if unknown is None else self._tokenizer.token_to_id(unknown)

    @cached_property
    def _unknown_token(self) -> str:
        unknown = self._unknown_id
        return "" if unknown is None else self._tokenizer.id_to_token(unknown) or ""

    def coverage(self, texts: Sequence[str], report: Progress = no_report) -> Coverage:
        def read(batch: list[str], report: Progress) -> list[tuple[int, int, int]]:
            """Of each text the tokens, those of the prefix, and those that are unknown."""
            counts = []
            for encoding in self._encoded(self._tokenizer, batch, report, special=False):
                ids = list(encoding.ids)
                of_prefix = _shared(self._prefix_ids, ids)
                counts.append((len(ids), of_prefix, ids[of_prefix:].count(self._unknown_id)))
            return counts

        counts = in_batches(texts, read, report, prefix=self._prefix)
        limit = self.max_tokens - self._tokenizer.num_special_tokens_to_add(False)
        return Coverage(
            n_texts=len(counts),
            truncated=sum(
                length > limit or len(self._prefix) + len(text) > MOST_CHARACTERS
                for (length, _, _), text in zip(counts, texts, strict=True)
            ),
            max_tokens=self.max_tokens,
            tokens=sum(length - of_prefix for length, of_prefix, _ in counts),
            unknown=sum(unknown for _, _, unknown in counts),
            unknown_token=self._unknown_token,
        )

    @cached_property
    def special_tokens(self) -> tuple[str, ...]:
        """The tokens that the tokenizer adds to a text, in order, each once."""
        [around] = self._encoded(self._tokenizer, [""])
        named = zip(around.tokens, around.special_tokens_mask, strict=True)
        return tuple(dict.fromkeys(token for token, is_special in named if is_special))

    def words(self) -> dict[int, str]:
        return {i: word for word, i in self._tokenizer.get_vocab().items()}


def _shared(prefix: Sequence[int], ids: Sequence[int] | np.ndarray) -> int:
    """How many ids of the prefix begin the text's."""
    pairs = enumerate(zip(prefix, ids, strict=False))
    shorter = min(len(prefix), len(ids))
    return next((place for place, (a, b) in pairs if a != b), shorter)


def check_text(text: str, place: int) -> bytes:
    """The text as UTF-8. TypeError if it is no string, TextError for half a surrogate pair."""
    if not isinstance(text, str):
        raise TypeError(f"text {place} is {type(text).__name__}, not str")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"U+{ord(text[error.start]):04X}"
        raise TextError("half_character", row=place + 1, half=half) from error


def in_batches(
    texts: Sequence[str],
    read: Callable[[list[str], Progress], list[Found]],
    report: Progress = no_report,
    *,
    prefix: str = "",
) -> list[Found]:
    """What ``read`` gives for each text, read by batches; ``report`` is called after each.

    A text is cut at MOST_CHARACTERS. A batch has BATCH_CHARACTERS at most, or one text.
    TypeError if ``texts`` is one string; errors as by ``check_text``.
    """
    if isinstance(texts, str):
        raise TypeError("texts must be a sequence of strings; got one string")
    for place, text in enumerate(texts):
        check_text(text, place)
    found: list[Found] = []

    def report_here(*_: int) -> None:
        report(len(found), len(texts))

    batch: list[str] = []
    size = 0
    for text in texts:
        cut = (prefix + text)[:MOST_CHARACTERS]
        size += len(cut)
        if batch and size > BATCH_CHARACTERS:
            found += read(batch, report_here)
            report_here()
            batch = []
            size = len(cut)
        batch.append(cut)
    if batch:
        found += read(batch, report_here)
    return found


def batches_by_tokens(lengths: Sequence[int], budget: int) -> Iterator[np.ndarray]:
    """Row indices of each batch, longest texts first: rows x longest within ``budget``, or one."""
    order = np.argsort(-np.asarray(lengths), kind="stable")
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def rectangle(texts: Sequence[TextTokens], pad_id: int) -> tuple[Tensor, Tensor, Tensor]:
    """(ids, mask, 1 where a token is not special) of one batch, padded to the longest: (b, L).

    The padding is on the right, whatever the tokenizer's settings state. On the left GPT-2 and BERT
    would count positions through it, and a text would not have the vector that it has alone.
    """
    import torch

    lengths = np.array([len(text.ids) for text in texts])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, pad_id, dtype=np.int64)
    ids[mask] = np.concatenate([text.ids for text in texts])
    ordinary = np.zeros_like(ids)
    ordinary[mask] = 1 - np.concatenate([text.special_tokens_mask for text in texts])
    return torch.from_numpy(ids), torch.from_numpy(mask).long(), torch.from_numpy(ordinary)
