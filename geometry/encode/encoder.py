"""Texts to vectors: one forward pass a batch keeps every layer and every pooling asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..data.embeddings import TokenEmbeddings, VectorTable
from ..hub import bundled
from ..hub.model_errors import ModelFilesError
from ..hub.model_files import count_weights
from .architecture import TransformerStates, read_architecture
from .layers import only_layer, resolve_layers
from .own_output import OwnOutput
from .pool import OWN, POOLINGS, as_poolings, check_pooling
from .precision import check_dtype, choose_device, need_bfloat16, refuse_too_narrow
from .probe import probed_states
from .tokens import (
    Coverage,
    PieceReader,
    Pieces,
    batches_by_tokens,
    need_known_ids,
    need_ordinary_tokens,
    rectangle,
)
from .word_table import WordReader, WordStates, read_word_architecture, word_folder

if TYPE_CHECKING:
    from torch import Tensor

Progress = Callable[[int, int], None]  # (texts done, texts in all); raise in it to stop
Layer = int | str | tuple[int, ...]

TOKENS_PER_BATCH, GPU_TOKENS_PER_BATCH = 2048, 16384  # padded, in one pass; see bench/encode.py
CHUNK = 8 * 2**20  # bytes read between two reports


class Encoder:
    """A model in a folder. Cheap to make: weights are read at the first forward pass.

    name : as given to ``load_encoder``.   revision : the hub's commit, None for a folder of one's
    own.   fingerprint : sha256 naming all that its numbers depend on: weights, tokenizer, settings
    and dtype.   n_layers : transformer layers; hidden states have n_layers + 1 rows, row 0 the
    embedding layer; static word vectors have row 0 only. The last row is the model's output: of
    GPT-2, Llama, ModernBERT and T5 it has passed a final normalisation that the rows before it
    have not.   dimension : d.   max_tokens : longest text read, special tokens included.
    dtype : "float32" or "bfloat16".   device : as torch names it; None takes a CUDA GPU where
    there is one. Results are float32 NumPy in any case.
    """

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        revision: str | None = None,
        fingerprint: str | None = None,
        dtype: str = "float32",
        device: str | None = None,
    ) -> None:
        self.folder, self.name, self.revision = folder, name, revision
        self.dtype = check_dtype(dtype)
        self._asked_device = device
        if self.is_approximate:
            need_bfloat16(self.device)
        self._words = word_folder(folder)
        read = read_word_architecture if self._words else read_architecture
        settings = read(self._words or folder, name=name)
        self._settings = settings
        self.n_layers, self.dimension = settings.n_layers, settings.dimension
        self.max_tokens, self._lowercase = settings.max_tokens, settings.lowercase
        self._known_fingerprint = fingerprint

    @cached_property
    def device(self) -> str:
        """Where the model runs, as torch names it: "cpu", "cuda"."""
        return choose_device(self._asked_device)

    @property
    def is_approximate(self) -> bool:
        """True in bfloat16: the smallest cosine to float32 is near .9999, not 1."""
        return self.dtype != "float32"

    @cached_property
    def memory_bytes(self) -> int:
        """What its weights take in memory once they are read."""
        return count_weights(self.folder, name=self.name) * (2 if self.is_approximate else 4)

    @property
    def poolings(self) -> tuple[str, ...]:
        """What ``encode`` offers: ``POOLINGS``, and "own" where the folder states its own."""
        try:
            _ = self._own
        except ModelFilesError:
            return tuple(POOLINGS)
        return (*POOLINGS, OWN)

    @cached_property
    def _own(self) -> OwnOutput:
        return OwnOutput(self.folder, name=self.name, dimension=self.dimension)

    @cached_property
    def _own_steps(self) -> Callable[[Tensor, Tensor], Tensor]:
        return self._own.loaded(self.device)

    @cached_property
    def _reader(self) -> PieceReader | WordReader:
        if self._words is not None:
            return WordReader(self._words, max_tokens=self.max_tokens)
        self._verify("tokenizer.json")
        return PieceReader(
            self.folder / "tokenizer.json", max_tokens=self.max_tokens, lowercase=self._lowercase
        )

    @cached_property
    def fingerprint(self) -> str:
        """sha256 over the model's files and dtype; the bundled files' is known beforehand."""
        return fingerprint_of(self.folder, known=self._known_fingerprint, dtype=self.dtype)

    def read_files(self, progress: Progress | None = None) -> None:
        """Read all files once, so that ``fingerprint`` is known; progress is in bytes.

        Raises ModelFilesError where the tokenizer is damaged or the model can't be used, before
        any text is asked for.
        """
        self.coverage(["."])
        known, dtype = self._known_fingerprint, self.dtype
        told = fingerprint_of(self.folder, known=known, dtype=dtype, progress=progress)
        self.__dict__["fingerprint"] = told  # what the cached property would keep
        _ = self._model

    @cached_property
    def _model(self) -> TransformerStates | WordStates:
        if self._words is not None:
            return WordStates(self._words, dtype=self.dtype, device=self.device)
        self._verify("model.safetensors")
        if self._known_fingerprint == bundled.FINGERPRINT:  # what these files give is known
            read: Callable[..., TransformerStates] = TransformerStates
        else:
            read = partial(probed_states, settings=self._settings)
        return read(self.folder, name=self.name, dtype=self.dtype, device=self.device)

    def _verify(self, file: str) -> None:
        if self._known_fingerprint == bundled.FINGERPRINT:
            bundled.verify_file(self.folder / file, bundled.SHA256[file])

    def encode(
        self,
        texts: Sequence[str],
        *,
        layer: Layer = -1,
        pooling: str = "mean",
        special_tokens: bool = True,
        progress: Progress | None = None,
    ) -> np.ndarray:
        """One vector a text, (n, d) float32.

        layer : index into the hidden states, 0 = embedding layer, -1 = last; a tuple of them
        is averaged; so is a name of ``LAYER_SETS``.   pooling : one of ``poolings``, over
        tokens only; "own" is what sentence-transformers gives, at the last layer, of that
        model's own dimension.   special_tokens : whether [CLS], [SEP], <s> … take part in it;
        "cls" is the first token either way.
        Raises ValueError for an unknown pooling or layer, and naming a text of special tokens
        only where they take no part, and (PrecisionError) for vectors in bfloat16 too close for
        it; TypeError for a text or a layer of another type.
        """
        layers = self.layer_indices(layer)
        if pooling == OWN:
            X = self._own_output(texts, layers, special_tokens, progress)
        else:
            one = (check_pooling(pooling),)
            pooled = self._pooled(texts, layers, one, special_tokens, progress)
            X = pooled[pooling].mean(axis=0, dtype=np.float32)
        if self.is_approximate:
            refuse_too_narrow(X, texts)
        return X

    def encode_layers(
        self,
        texts: Sequence[str],
        *,
        poolings: Sequence[str] = ("cls", "mean"),
        special_tokens: bool = True,
        progress: Progress | None = None,
    ) -> dict[str, np.ndarray]:
        """Every layer and every pooling from one pass: {pooling: (n_layers + 1, n, d) float32}.

        In bfloat16 no layer is refused here: those too close for it are ``encode``'s to name.
        """
        layers = tuple(range(self.n_layers + 1))
        return self._pooled(texts, layers, as_poolings(poolings), special_tokens, progress)

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """Count the texts that are cut and the tokens the model does not know."""
        return self._reader.coverage(texts)

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """What the model puts around every text, as ("[CLS]", "[SEP]"); empty where nothing."""
        if self._known_fingerprint == bundled.FINGERPRINT:
            return bundled.SPECIAL_TOKENS  # a first page need not wait for the tokenizer
        return self._reader.special_tokens

    def tokenize(self, texts: Sequence[str]) -> list[list[str]]:
        """Word pieces of each text as the model reads it: cut, without special tokens."""
        return self._reader.pieces(texts)

    def encode_tokens(
        self,
        texts: Sequence[str],
        *,
        layer: int = -1,
        include_special: bool = False,
        progress: Progress | None = None,
    ) -> TokenEmbeddings:
        """Contextual vectors of every word piece; ``include_special`` keeps [CLS] and [SEP]."""
        index = self.layer_index(layer)
        encodings: Sequence[Pieces] = self._reader.encodings(texts)
        keep = [
            [i for i, special in enumerate(e.special_tokens_mask) if include_special or not special]
            for e in encodings
        ]
        starts = np.cumsum([0, *(len(k) for k in keep)])
        vectors = np.empty((starts[-1], self.dimension), dtype=np.float32)
        for rows, _, _, hidden in self._forward(encodings, progress):
            states = hidden[index].float().cpu().numpy()  # (b, L, d), padded on the right
            for place, row in enumerate(rows):
                vectors[starts[row] : starts[row + 1]] = states[place, keep[row]]
        return TokenEmbeddings(
            vectors=vectors,
            tokens=tuple(e.tokens[i] for e, k in zip(encodings, keep, strict=True) for i in k),
            sentence=np.repeat(np.arange(len(encodings)), np.diff(starts)),
            position=np.array([i for k in keep for i in k], dtype=np.int64),
        )

    def type_embeddings(self) -> VectorTable:
        """The input embedding matrix: one static vector a vocabulary entry, in id order."""
        weights = self._model.input_embeddings().float().cpu().numpy()
        words = self._reader.words()
        return VectorTable(
            weights.copy(), tuple(words.get(i, f"[{i}]") for i in range(len(weights)))
        )

    def layer_index(self, layer: int) -> int:
        """The layer counted from 0 (the embedding layer); ValueError for none, or several."""
        return only_layer(self.layer_indices(layer), layer)

    def layer_indices(self, layer: Layer) -> tuple[int, ...]:
        """The layers that one index, a tuple or a name of ``LAYER_SETS`` stands for, from 0."""
        return resolve_layers(layer, n_layers=self.n_layers, name=self.name)

    def _own_output(
        self,
        texts: Sequence[str],
        layers: tuple[int, ...],
        special_tokens: bool,
        progress: Progress | None,
    ) -> np.ndarray:
        try:
            own = self._own
        except ModelFilesError as reason:
            raise ValueError(
                f'pooling "{OWN}" can\'t be had: {reason}. Choose one of {", ".join(POOLINGS)}'
            ) from reason
        if layers != (self.n_layers,) or not special_tokens:
            raise ValueError(
                'pooling "own" is the model\'s own output: of the last layer (layer=-1), special '
                "tokens as the model takes them"
            )
        encodings = self._reader.encodings(texts)
        out = np.empty((len(encodings), own.dimension), dtype=np.float32)
        for rows, mask, _, hidden in self._forward(encodings, progress):
            out[rows] = self._own_steps(hidden[-1].float(), mask).cpu().numpy()
        return out

    def _pooled(
        self,
        texts: Sequence[str],
        layers: tuple[int, ...],
        poolings: tuple[str, ...],
        special_tokens: bool,
        progress: Progress | None,
    ) -> dict[str, np.ndarray]:
        encodings = self._reader.encodings(texts)
        if not special_tokens:
            need_ordinary_tokens(encodings)
        shape = (len(layers), len(encodings), self.dimension)
        out = {pooling: np.empty(shape, dtype=np.float32) for pooling in poolings}
        for rows, mask, ordinary, hidden in self._forward(encodings, progress):
            pooled_over = mask if special_tokens else ordinary
            for place, layer in enumerate(layers):
                states = hidden[layer].float()  # sums in bfloat16 would lose what it still has
                for pooling in poolings:
                    seen = mask if pooling == "cls" else pooled_over
                    out[pooling][place, rows] = POOLINGS[pooling](states, seen).cpu().numpy()
        return out

    def _forward(
        self, encodings: Sequence[Pieces], progress: Progress | None
    ) -> Iterator[tuple[np.ndarray, Tensor, Tensor, tuple[Tensor, ...]]]:
        """(rows (b,), mask and ordinary (b, L), hidden states) by batches, longest texts first.

        Longest first, so that memory is seen to suffice at the start and the time left,
        estimated from what is done, errs on the long side.
        """
        import torch

        model = self._model
        n_types = len(model.input_embeddings())
        budget = TOKENS_PER_BATCH if self.device == "cpu" else GPU_TOKENS_PER_BATCH
        done = 0
        for rows in batches_by_tokens([len(e.ids) for e in encodings], budget):
            batch = rectangle([encodings[row] for row in rows], model.pad_id)
            need_known_ids(batch[0], n_types, name=self.name)
            ids, mask, ordinary = (tensor.to(self.device) for tensor in batch)
            with torch.no_grad():  # oneDNN's layers refuse inference mode
                yield rows, mask, ordinary, model(ids, mask)
            done += len(rows)
            if progress is not None:
                progress(done, len(encodings))


def fingerprint_of(
    folder: Path,
    *,
    known: str | None,
    dtype: str,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """sha256 over weights, tokenizer, every setting in the folder, and the dtype.

    known : the files' own where it is known beforehand; then nothing is read. In float32 it is
    returned as it is.   progress : called with bytes read and bytes in all; raise in it to stop.
    """
    digest = hashlib.sha256()
    if known is not None:
        if dtype == "float32":
            return known
        digest.update(known.encode())
    else:
        paths = sorted([*folder.rglob("*.safetensors"), *folder.rglob("*.json")])
        total, done = sum(path.stat().st_size for path in paths), 0
        for path in paths:
            digest.update(path.relative_to(folder).as_posix().encode())
            of_file = hashlib.sha256()
            with path.open("rb") as file:
                while chunk := file.read(CHUNK):
                    of_file.update(chunk)
                    done += len(chunk)
                    if progress is not None:
                        progress(done, total)
            digest.update(of_file.digest())
    digest.update(dtype.encode())
    return digest.hexdigest()
