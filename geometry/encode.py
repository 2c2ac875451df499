"""Texts to vectors: one forward pass a batch keeps every layer and every pooling asked for."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import bundled
from .bundled import ModelFilesError
from .pieces import Coverage, PieceReader
from .pool import POOLINGS, check_pooling

if TYPE_CHECKING:
    from tokenizers import Encoding

Progress = Callable[[int, int], None]  # (texts done, texts in all); raise in it to stop

TOKENS_PER_BATCH = 2048  # padded tokens in one forward pass; see bench/encode.py
# What BERT, DistilBERT and GPT-2 call the same thing in config.json.
LAYER_SETTINGS = ("num_hidden_layers", "n_layers", "n_layer")
DIMENSION_SETTINGS = ("hidden_size", "dim", "n_embd")


@dataclass(frozen=True)
class TokenEmbeddings:
    """Contextual tokens, one row each, in the order of the texts.

    vectors (N, d) float32; tokens: N word pieces; sentence (N,) index of the text;
    position (N,) place in its text, counted with special tokens from 0.
    """

    vectors: np.ndarray
    tokens: tuple[str, ...]
    sentence: np.ndarray
    position: np.ndarray


@dataclass(frozen=True)
class VectorTable:
    """Static vectors (n, d) float32 and the n words they belong to."""

    vectors: np.ndarray
    words: tuple[str, ...]


class Encoder:
    """A transformer in a folder. Cheap to make: weights are read at the first forward pass.

    name : as given to ``load_encoder``.   fingerprint : sha256 naming weights and tokenizer.
    n_layers : transformer layers; hidden states have n_layers + 1 rows, row 0 the embedding
    layer.   dimension : d.   max_tokens : longest text read, special tokens included.
    """

    def __init__(self, folder: Path, *, name: str, fingerprint: str | None = None) -> None:
        self.folder = folder
        self.name = name
        config = _read_json(folder / "config.json")
        self.n_layers: int = _setting(config, *LAYER_SETTINGS, model=name)
        self.dimension: int = _setting(config, *DIMENSION_SETTINGS, model=name)
        limits = [
            config.get("max_position_embeddings"),
            _read_json(folder / "tokenizer_config.json", {}).get("model_max_length"),
            _read_json(folder / "sentence_bert_config.json", {}).get("max_seq_length"),
        ]
        self.max_tokens: int = int(min(limit for limit in limits if limit))
        self._known_fingerprint = fingerprint

    @cached_property
    def _reader(self) -> PieceReader:
        self._verify("tokenizer.json")
        return PieceReader(self.folder / "tokenizer.json", max_tokens=self.max_tokens)

    @cached_property
    def fingerprint(self) -> str:
        """sha256 over the model's files; known beforehand for the bundled encoder."""
        if self._known_fingerprint:
            return self._known_fingerprint
        digest = hashlib.sha256()
        for path in [*sorted(self.folder.glob("*.safetensors")), self.folder / "tokenizer.json"]:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()

    @cached_property
    def _model(self) -> Any:
        import torch
        from transformers import AutoModel
        from transformers.utils import logging

        logging.disable_progress_bar()
        self._verify("model.safetensors")
        model = AutoModel.from_pretrained(
            self.folder,
            dtype=torch.float32,  # whatever the file holds: NumPy has no bfloat16
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
        ).eval()
        if _is_amd() and torch.backends.mkldnn.is_available():
            _multiply_by_onednn(model)
        return model

    def _verify(self, file: str) -> None:
        if self._known_fingerprint == bundled.FINGERPRINT:
            bundled.verify_file(self.folder / file, bundled.SHA256[file])

    def encode(
        self,
        texts: Sequence[str],
        *,
        layer: int | tuple[int, ...] = -1,
        pooling: str = "mean",
        progress: Progress | None = None,
    ) -> np.ndarray:
        """One vector a text, (n, d) float32.

        layer : index into the hidden states, 0 = embedding layer, -1 = last; a tuple is
        averaged.   pooling : one of ``POOLINGS``, over tokens only.
        Raises ValueError for an unknown pooling or layer, TypeError for a text that is no str.
        """
        layers = self._layer_indices(layer)
        pooled = self._pooled(texts, layers, (check_pooling(pooling),), progress)
        return pooled[pooling].mean(axis=0, dtype=np.float32)

    def encode_layers(
        self,
        texts: Sequence[str],
        *,
        poolings: Sequence[str] = ("cls", "mean"),
        progress: Progress | None = None,
    ) -> dict[str, np.ndarray]:
        """Every layer and every pooling from one pass: {pooling: (n_layers + 1, n, d) float32}."""
        layers = tuple(range(self.n_layers + 1))
        return self._pooled(texts, layers, tuple(map(check_pooling, poolings)), progress)

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """Count the texts that are cut and the tokens the model does not know."""
        return self._reader.coverage(texts)

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
        encodings = self._reader.encodings(texts)
        keep = [
            [i for i, special in enumerate(e.special_tokens_mask) if include_special or not special]
            for e in encodings
        ]
        starts = np.cumsum([0, *(len(k) for k in keep)])
        vectors = np.empty((starts[-1], self.dimension), dtype=np.float32)
        for rows, _, hidden in self._forward(encodings, progress):
            states = hidden[index].numpy()  # (b, L, d), padded on the right
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
        weights = self._model.get_input_embeddings().weight.detach().float().numpy()
        words = self._reader.words()
        return VectorTable(
            weights.copy(), tuple(words.get(i, f"[{i}]") for i in range(len(weights)))
        )

    def layer_index(self, layer: int) -> int:
        """The layer counted from 0 (the embedding layer); ValueError where there is none."""
        return self._layer_indices(layer)[0]

    def _layer_indices(self, layer: int | tuple[int, ...]) -> tuple[int, ...]:
        asked = layer if isinstance(layer, tuple) else (layer,)
        if not asked:
            raise ValueError("layer is an empty tuple: name at least one to average")
        count = self.n_layers + 1
        for index in asked:
            if not -count <= index < count:
                raise ValueError(
                    f"layer {index} does not exist: {self.name} has hidden states 0 (embedding "
                    f"layer) to {self.n_layers}"
                )
        return tuple(index % count for index in asked)

    def _pooled(
        self,
        texts: Sequence[str],
        layers: tuple[int, ...],
        poolings: tuple[str, ...],
        progress: Progress | None,
    ) -> dict[str, np.ndarray]:
        encodings = self._reader.encodings(texts)
        shape = (len(layers), len(encodings), self.dimension)
        out = {pooling: np.empty(shape, dtype=np.float32) for pooling in poolings}
        for rows, mask, hidden in self._forward(encodings, progress):
            for place, layer in enumerate(layers):
                for pooling in poolings:
                    out[pooling][place, rows] = POOLINGS[pooling](hidden[layer], mask).numpy()
        return out

    def _forward(
        self, encodings: list[Encoding], progress: Progress | None
    ) -> Iterator[tuple[np.ndarray, Any, Any]]:
        """(rows (b,), mask (b, L), hidden states) batch by batch, longest texts first.

        Longest first, so that memory is seen to suffice at the start and the time left,
        estimated from what is done, errs on the long side.
        """
        import torch

        model = self._model
        done = 0
        for rows in batches_by_tokens([len(e.ids) for e in encodings], TOKENS_PER_BATCH):
            longest = len(encodings[rows[0]].ids)
            ids = torch.zeros((len(rows), longest), dtype=torch.long)
            mask = torch.zeros_like(ids)
            for place, row in enumerate(rows):
                tokens = encodings[row].ids
                ids[place, : len(tokens)] = torch.tensor(tokens)
                mask[place, : len(tokens)] = 1
            with torch.no_grad():  # oneDNN's layers refuse inference mode
                # no mask where nothing is padded: attention then skips the masked kernel
                attention_mask = None if bool(mask.all()) else mask
                output = model(
                    input_ids=ids, attention_mask=attention_mask, output_hidden_states=True
                )
                yield rows, mask, output.hidden_states
            done += len(rows)
            if progress is not None:
                progress(done, len(encodings))


def _is_amd() -> bool:
    """True on AMD's processors, as far as the system tells."""
    listed = Path("/proc/cpuinfo")
    told = listed.read_text(encoding="utf8") if listed.is_file() else platform.processor()
    return "AuthenticAMD" in told


def _multiply_by_onednn(model: Any) -> None:
    """Let oneDNN do the linear layers: there MKL, torch's default, takes its slow path.

    The same float32 products, a fifth faster, equal to 1e-5 after all layers.
    """
    import torch
    from torch.utils.mkldnn import MkldnnLinear

    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if type(child) is torch.nn.Linear:
                setattr(parent, name, MkldnnLinear(child, torch.float32))


def batches_by_tokens(lengths: Sequence[int], budget: int) -> Iterator[np.ndarray]:
    """Row indices, longest first, cut so that rows x longest stays within ``budget``.

    A single row longer than the budget is a batch of its own.
    """
    order = np.argsort(-np.asarray(lengths), kind="stable")
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def _setting(config: dict[str, Any], *names: str, model: str) -> int:
    for name in names:
        if name in config:
            return int(config[name])
    raise ModelFilesError(
        f"the config.json of {model} has none of {', '.join(names)}: it is no transformer "
        "encoder that can be read here"
    )


def _read_json(path: Path, default: dict[str, Any] | None = None) -> dict[str, Any]:
    if default is not None and not path.is_file():
        return default
    return json.loads(path.read_text(encoding="utf8"))
