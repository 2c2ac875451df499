"""Texts to vectors: one forward pass a batch gives every requested layer and pooling."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.embeddings import TokenEmbeddings, VectorTable
from ..data.limits import LIMITS
from ..hub import bundled
from ..hub.errors import ModelFilesError, converting_faults
from ..hub.model_files import count_weights
from ..process import Progress, no_report
from .architecture import Architecture, TransformerStates, probed_states, read_architecture
from .errors import TextError
from .layers import resolve_layers
from .own_output import OwnOutput
from .pool import DEFAULT_POOLING, OWN, POOLINGS, as_poolings, check_pooling
from .precision import check_dtype, choose_device, need_bfloat16, refuse_too_narrow
from .split_apart import TextTokens
from .tokenizer import Coverage, PieceReader, batches_by_tokens, rectangle
from .trial import SHORT_TEXT, longest_text, try_model
from .word_table import TableReader, WordReader, WordStates, read_word_architecture, word_folder

if TYPE_CHECKING:
    from torch import Tensor

Layer = int | str | tuple[int, ...]

# Tokens of one pass, with padding; see bench/encode.py
TOKENS_PER_BATCH, GPU_TOKENS_PER_BATCH = 2048, 16384
FEWEST_TOKENS_PER_BATCH = 256  # with fewer, products of matrices are slow
PASS_OPERATIONS = 5e10  # operations of one pass on a processor: a third of a second on two cores
MOST_LAYERS = 200  # layers may share their weights, so a small file may have any number
CHUNK = 8 * 2**20  # bytes of model files read between two reports
MOST_WORDS = 1_000_000  # of a text for a ``WordEncoder``
# attributes that are not sent to another process, which reads them from the folder itself
NOT_SENT = ("_model", "_reader", "_own", "_own_steps")


class Encoder:
    """A model in a folder. Creating it is cheap: weights are read at the first forward pass.

    Results are float32 NumPy arrays, whatever the dtype of the model. ``fingerprint`` is the sha256
    of everything that the vectors depend on: weights, tokenizer, settings, dtype and prefix.

    There are ``n_layers`` + 1 hidden states; state 0 is the embedding layer. Static word vectors
    have state 0 only. The last state is the model's output: GPT-2, Llama, ModernBERT and T5 apply a
    final normalisation to it, and not to the states before it. ``max_tokens`` of the longest text
    count special ones; the trial lowers it if the pass of such a text would take more than 2 GB.

    Parameters
    ----------
    folder : Path
        The folder of tokenizer, settings and weights.
    name : str
        For messages.
    revision : str, optional
        The hub's commit; None for a local folder.
    fingerprint : str, optional
        By default computed from the files at its first use.
    dtype, device, trial, prefix
        As in ``load_encoder``. The tokens of the prefix are pooled unless ``special_tokens`` is
        False, and are no contextual tokens of the text unless ``include_special`` is True.
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
        trial: bool = True,
        prefix: str = "",
    ) -> None:
        self._is_bundled = fingerprint == bundled.FINGERPRINT
        self._needs_trial = trial and not self._is_bundled
        self.folder, self.name, self.revision, self.prefix = folder, name, revision, prefix
        self.dtype = check_dtype(dtype)
        self._given_device = device
        if self.is_approximate:
            need_bfloat16(self.device)
        with converting_faults(name):
            settings = self._read_settings()
        if settings.n_layers > MOST_LAYERS or settings.dimension > LIMITS.dimensions:
            found = {"layers": settings.n_layers, "dimension": settings.dimension}
            most = {"most_layers": MOST_LAYERS, "most_dimensions": LIMITS.dimensions}
            raise ModelFilesError("too_wide", name=name, **found, **most)
        self._settings = settings
        self.n_layers = settings.n_layers
        self.dimension = settings.dimension
        self.max_tokens = settings.max_tokens
        self._known_fingerprint = fingerprint

    def _read_settings(self) -> Architecture:
        self._words = word_folder(self.folder)
        read = read_word_architecture if self._words else read_architecture
        return read(self._words or self.folder, name=self.name)

    def __getstate__(self) -> dict[str, object]:
        """The state for another process, without weights and tokenizer."""
        return {name: value for name, value in vars(self).items() if name not in NOT_SENT}

    @cached_property
    def device(self) -> str:
        """torch's name of the device that the model runs on, such as "cpu" or "cuda"."""
        return choose_device(self._given_device)

    @property
    def is_approximate(self) -> bool:
        """True in bfloat16, where the smallest cosine to float32 is near 0.9999 instead of 1."""
        return self.dtype != "float32"

    @cached_property
    def memory_bytes(self) -> int:
        """Bytes of the weights in memory."""
        return count_weights(self.folder, name=self.name) * (2 if self.is_approximate else 4)

    @property
    def poolings(self) -> tuple[str, ...]:
        """The poolings of ``encode``: ``POOLINGS``, and "own" if the folder defines an output."""
        try:
            _ = self._own
        except ModelFilesError:
            return tuple(POOLINGS)
        return (*POOLINGS, OWN)

    @property
    def widest(self) -> int:
        """The most numbers that a vector of any pooling has."""
        return max(self.dimension, self._own.dimension if OWN in self.poolings else 0)

    @cached_property
    def _own(self) -> OwnOutput:
        with converting_faults(self.name):
            return OwnOutput(self.folder, name=self.name, dimension=self.dimension)

    @cached_property
    def _own_steps(self) -> Callable[[Tensor, Tensor], Tensor]:
        self._try_first()
        with converting_faults(self.name):
            return self._own.loaded(self.device)

    @cached_property
    def _reader(self) -> PieceReader | WordReader:
        self._try_first()
        how: dict[str, Any] = {"max_tokens": self.max_tokens, "prefix": self.prefix}
        if self._words is not None:
            return WordReader.read(self._words, **how)
        self._verify("tokenizer.json")
        path = self.folder / "tokenizer.json"
        return PieceReader(path, name=self.name, lowercase=self._settings.lowercase, **how)

    @cached_property
    def fingerprint(self) -> str:
        return self._fingerprint()

    def _fingerprint(self, report: Progress = no_report) -> str:
        found = self._known_fingerprint
        if found is None or self.is_approximate:
            parts = [found.encode()] if found else _names_and_digests(self.folder, report)
            found = hashlib.sha256(b"".join([*parts, self.dtype.encode()])).hexdigest()
        if not self.prefix:
            return found
        return hashlib.sha256(f"{found} {self.prefix}".encode()).hexdigest()

    @property
    def content_key(self) -> str:
        return self.fingerprint

    def read_files(self, progress: Progress | None = None) -> None:
        """Read all files and the model once, so that later calls do not wait for them.

        progress : called with (bytes read, bytes in all), and with (0, 0) during the trial.
        """
        self._try_first(progress or no_report)
        self.coverage(["."])
        self.fingerprint = self._fingerprint(progress or no_report)
        _ = self._model

    def _try_first(self, report: Progress = no_report) -> None:
        """Raise ModelFilesError if the model's trial in a process of its own fails."""
        if self._needs_trial:
            longest = try_model(self.folder, name=self.name, report=report)
            self.max_tokens = min(self.max_tokens, longest)
            self._needs_trial = False

    def try_out(self, texts: Sequence[str]) -> int:
        """Read everything and use it once, as the trial does. ModelFilesError if that fails.

        Returns the tokens of the longest text that it reads within a limit of memory.
        """
        with converting_faults(self.name):
            self.coverage(texts)
            self._reader.encodings([".", "a"])
            _ = self._model
            if OWN in self.poolings:
                _ = self._own_steps
            return self.max_tokens if self.max_tokens <= SHORT_TEXT else longest_text(self._model)

    @cached_property
    def _model(self) -> TransformerStates | WordStates:
        self._try_first()
        how = {"dtype": self.dtype, "device": self.device}
        if self._words is not None:
            with converting_faults(self.name):
                return WordStates.read(self._words, **how)
        self._verify("model.safetensors")
        return probed_states(self.folder, self._settings, name=self.name, **how)

    def _verify(self, file: str) -> None:
        if self._is_bundled:
            bundled.verify_file(self.folder / file, bundled.SHA256[file])

    def encode(
        self,
        texts: Sequence[str],
        *,
        layer: Layer = -1,
        pooling: str = DEFAULT_POOLING,
        special_tokens: bool = True,
        progress: Progress | None = None,
    ) -> np.ndarray:
        """One vector (d,) a text, as an (n, d) array of float32.

        ValueError for an unknown pooling or layer, and for a text that has special tokens only if
        they are left out. PrecisionError if bfloat16 can't resolve the directions of the vectors.

        Parameters
        ----------
        texts : sequence of str
        layer : int, tuple of int or str
            Index of a hidden state: 0 is the embedding layer, -1 the last. Several are averaged,
            given as a tuple or as a name in ``LAYER_SETS``.
        pooling : str
            One of ``poolings``. "own" is the output of sentence-transformers, of the last layer;
            its dimension may differ.
        special_tokens : bool
            Whether [CLS], [SEP], <s> … are pooled too. "cls" is the first token either way.
        progress : callable (int, int), optional
            Called with (texts done, texts in all). An exception raised in it ends the encoding.
        """
        layers = self.layer_indices(layer)
        if pooling == OWN:
            self._refuse_own(layers, special_tokens)
        else:
            check_pooling(pooling)
        pooled = self._pooled(texts, layers, (pooling,), special_tokens, progress)[pooling]
        X = pooled.mean(axis=0, dtype=np.float32)
        if self.is_approximate:
            refuse_too_narrow(X, texts)
        return X

    def encode_layers(
        self,
        texts: Sequence[str],
        *,
        poolings: Sequence[str] = ("cls", "mean"),
        layers: Sequence[int] | None = None,
        special_tokens: bool = True,
        progress: Progress | None = None,
    ) -> dict[str, np.ndarray]:
        """Every layer and every pooling from one pass: {pooling: (n_layers + 1, n, d) float32}.

        In bfloat16 no layer is refused here; ``encode`` refuses those that it can't resolve.

        Parameters
        ----------
        texts : sequence of str
        poolings : sequence of str
            Some of ``POOLINGS``.
        layers : sequence of int, optional
            Only these, in this order, in place of every layer.
        special_tokens : bool
        progress : callable, optional
        """
        chosen = range(self.n_layers + 1) if layers is None else layers
        indices = tuple(self.layer_index(layer) for layer in chosen)
        return self._pooled(texts, indices, as_poolings(poolings), special_tokens, progress)

    def coverage(self, texts: Sequence[str], *, progress: Progress | None = None) -> Coverage:
        """Count the texts that are cut and the tokens that are unknown."""
        return self._reader.coverage(texts, progress or no_report)

    def _encodings(self, texts: Sequence[str], progress: Progress | None) -> Sequence[TextTokens]:
        """Each text's tokens. While long texts are split, none is encoded."""
        report = progress or no_report
        return self._reader.encodings(texts, lambda _, n: report(0, n))

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """The tokens that are added to every text, such as ("[CLS]", "[SEP]"); () if none."""
        if self._is_bundled:
            return bundled.SPECIAL_TOKENS  # so that the first page does not wait for the tokenizer
        return self._reader.special_tokens

    def tokenize(
        self, texts: Sequence[str], *, progress: Progress | None = None
    ) -> list[list[str]]:
        """Word pieces of each text, cut at ``max_tokens``, without special tokens."""
        return self._reader.pieces(texts, progress or no_report)

    def encode_tokens(
        self,
        texts: Sequence[str],
        *,
        layer: int = -1,
        include_special: bool = False,
        progress: Progress | None = None,
    ) -> TokenEmbeddings:
        """Contextual vectors of every word piece at one layer.

        Parameters
        ----------
        texts : sequence of str
        layer : int
            From 0 to n_layers, or negative, counted from the last.
        include_special : bool
            Include vectors of special tokens such as [CLS] and [SEP].
        progress : callable, optional
        """
        [tokens] = self.encode_token_layers(
            texts, layers=(layer,), include_special=include_special, progress=progress
        )
        return tokens

    def encode_token_layers(
        self,
        texts: Sequence[str],
        *,
        layers: Sequence[int] | None = None,
        include_special: bool = False,
        progress: Progress | None = None,
    ) -> tuple[TokenEmbeddings, ...]:
        """``encode_tokens`` for several layers, from one pass: the same tokens in the same order.

        Parameters
        ----------
        texts : sequence of str
        layers : sequence of int, optional
            By default every layer, from 0 to n_layers.
        include_special : bool
        progress : callable, optional
        """
        chosen = range(self.n_layers + 1) if layers is None else layers
        indices = [self.layer_index(layer) for layer in chosen]
        encodings = self._encodings(texts, progress)
        positions = [
            [i for i, special in enumerate(e.special_tokens_mask) if include_special or not special]
            for e in encodings
        ]
        starts = np.cumsum([0, *map(len, positions)])
        vectors = np.empty((len(indices), starts[-1], self.dimension), dtype=np.float32)
        for rows, _, _, hidden in self._forward(encodings, progress):
            for of_layer, index in zip(vectors, indices, strict=True):
                states = hidden[index].float().cpu().numpy()  # (b, L, d), padded on the right
                for place, row in enumerate(rows):
                    of_layer[starts[row] : starts[row + 1]] = states[place, positions[row]]
        tokens = tuple(e.tokens[i] for e, p in zip(encodings, positions, strict=True) for i in p)
        sentence = np.repeat(np.arange(len(encodings)), np.diff(starts))
        position = np.array([i for p in positions for i in p], dtype=np.int64)
        return tuple(TokenEmbeddings(each, tokens, sentence, position) for each in vectors)

    def type_embeddings(self) -> VectorTable:
        """The input embedding matrix: one static vector a vocabulary entry, in id order."""
        if self._is_bundled and not self.is_approximate:
            self._verify("model.safetensors")
            weights = bundled.read_types(self.folder)
        else:
            weights = self._model.input_embeddings().float().cpu().numpy()
        words = self._reader.words()
        names = tuple(words.get(i, f"[{i}]") for i in range(len(weights)))
        return VectorTable(weights.copy(), names)

    def layer_index(self, layer: int) -> int:
        """The index of one layer, counted from 0; ValueError for an unknown one or several."""
        layers = self.layer_indices(layer)
        if len(layers) != 1:
            raise ValueError(
                f"layer must be one layer here, and {layer!r} is the average of {len(layers)}. "
                "Name one by number, or average what several calls give"
            )
        return layers[0]

    def layer_indices(self, layer: Layer) -> tuple[int, ...]:
        """The indices of a layer, of several, or of a name in ``LAYER_SETS``, counted from 0."""
        return resolve_layers(layer, n_layers=self.n_layers, name=self.name)

    def _refuse_own(self, layers: tuple[int, ...], special_tokens: bool) -> None:
        """Raise ValueError if the model has no output of its own, or not of these layers."""
        try:
            _ = self._own
        except ModelFilesError as reason:
            raise ValueError(
                f'pooling "{OWN}" can\'t be had: {reason} There are {", ".join(POOLINGS)}'
            ) from reason
        if layers != (self.n_layers,) or not special_tokens:
            raise ValueError(
                'pooling "own" is the model\'s own output: of the last layer (layer=-1), special '
                "tokens as the model takes them"
            )

    def _pooled(
        self,
        texts: Sequence[str],
        layers: tuple[int, ...],
        poolings: tuple[str, ...],
        special_tokens: bool,
        progress: Progress | None,
    ) -> dict[str, np.ndarray]:
        encodings = self._encodings(texts, progress)
        if not special_tokens:
            for place, encoding in enumerate(encodings):
                if all(encoding.special_tokens_mask):
                    raise TextError("only_special_tokens", row=place + 1)
        out = {}
        for pooling in poolings:
            d = self._own.dimension if pooling == OWN else self.dimension
            out[pooling] = np.empty((len(layers), len(encodings), d), dtype=np.float32)
        for rows, mask, ordinary, hidden in self._forward(encodings, progress):
            for place, layer in enumerate(layers):
                states = hidden[layer].float()  # sums in bfloat16 would lose precision
                for pooling in poolings:
                    pool = self._own_steps if pooling == OWN else POOLINGS[pooling]
                    tokens = mask if special_tokens or pooling == "cls" else ordinary
                    out[pooling][place, rows] = pool(states, tokens).cpu().numpy()
        return out

    def _forward(
        self, encodings: Sequence[TextTokens], progress: Progress | None
    ) -> Iterator[tuple[np.ndarray, Tensor, Tensor, tuple[Tensor, ...]]]:
        """(rows (b,), mask and ordinary (b, L), hidden states) of each batch.

        The longest texts are first: a lack of memory then shows at the start.
        """
        import torch

        model = self._model
        n_types = len(model.input_embeddings())
        done = 0
        budget = GPU_TOKENS_PER_BATCH
        if self.device == "cpu":
            # fewer for a large model, whose pass takes longer: work can be cancelled only between
            # two passes. A token costs about 24 d^2 operations a layer
            fitting = PASS_OPERATIONS / (24 * max(self.n_layers, 1) * self.dimension**2)
            budget = min(TOKENS_PER_BATCH, max(int(fitting), FEWEST_TOKENS_PER_BATCH))
        for rows in batches_by_tokens([len(e.ids) for e in encodings], budget):
            batch = rectangle([encodings[row] for row in rows], model.pad_id)
            if (highest := int(batch[0].max())) >= n_types:  # no row in the model's matrix
                name = self.name
                raise ModelFilesError("foreign_tokenizer", name=name, token=highest, tokens=n_types)
            ids, mask, ordinary = (tensor.to(self.device) for tensor in batch)
            with torch.no_grad():  # oneDNN's layers refuse inference mode
                yield rows, mask, ordinary, model(ids, mask)
            done += len(rows)
            if progress is not None:
                progress(done, len(encodings))


class WordEncoder(Encoder):
    """Static word vectors as an encoder of layer 0; words are found as for averages."""

    poolings = tuple(POOLINGS)

    def __init__(self, table: VectorTable) -> None:
        self._table = table
        self._is_bundled = self._needs_trial = False
        self.name, self.revision, self.dtype = table.name, None, "float32"
        self.n_layers, self.max_tokens = 0, MOST_WORDS
        self.dimension = table.vectors.shape[1]
        self.device, self.prefix = "cpu", ""
        self.memory_bytes = table.vectors.nbytes

    @cached_property
    def fingerprint(self) -> str:
        digest = hashlib.sha256(self._table.vectors.tobytes())
        digest.update("\n".join(self._table.words).encode())
        return digest.hexdigest()

    def type_embeddings(self) -> VectorTable:
        return self._table

    @cached_property
    def _reader(self) -> WordReader:
        return TableReader(self._table, max_tokens=self.max_tokens)

    @cached_property
    def _model(self) -> WordStates:
        import torch

        return WordStates(torch.tensor(self._table.vectors))


def _names_and_digests(folder: Path, report: Progress) -> Iterator[bytes]:
    """The path of each file of weights, tokenizer and settings, and its sha256."""
    paths = sorted([*folder.rglob("*.safetensors"), *folder.rglob("*.json")])
    total = sum(path.stat().st_size for path in paths)
    done = 0
    for path in paths:
        yield path.relative_to(folder).as_posix().encode()
        of_file = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                of_file.update(chunk)
                done += len(chunk)
                report(done, total)
        yield of_file.digest()
