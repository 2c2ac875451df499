"""From a folder's config.json to a model that gives hidden states, whatever its architecture.

Encoders (BERT), decoders (GPT-2, Llama) and the encoder half of encoder-decoders (T5, BART) differ
in names of settings, limits of tokens and the last normalisation. Only this module knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..hub.errors import ModelFilesError, first_line_of, is_fault_of_the_model
from ..hub.model_files import (
    CONFIG,
    DIMENSION_SETTINGS,
    LAYER_SETTINGS,
    read_json,
    refuse_other_models,
)

if TYPE_CHECKING:
    from torch import Tensor

    _States = tuple[Tensor, ...]

POSITION_SETTINGS = ("max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length")
# Models with relative positions: n_positions in an old config.json is no limit.
WITHOUT_POSITIONS = {"t5", "mt5", "umt5", "longt5", "switch_transformers", "bloom", "xlnet"}
# Models that count positions from pad_token_id + 1: as many rows of the position table are unused.
COUNTING_FROM_PAD = {
    *("roberta", "xlm-roberta", "xlm-roberta-xl", "roberta-prelayernorm", "camembert", "mpnet"),
    *("data2vec-text", "ibert", "lilt", "longformer", "luke", "markuplm", "xmod", "esm"),
}
# A decoder may state 131,072 tokens; the hidden states of one such text would fill the memory.
MOST_TOKENS = 8192
NO_LIMIT = 10**9  # tokenizers write 1e30 for no limit
SHORT, LONG = 3, 16  # tokens of the two rows of a model's first pass
# Largest |difference| / |state| of a token that is accepted as rounding. Rounding alone gives about
# 1e-6, and 1e-2 in bfloat16 (six layers of 384). FNet and ConvBERT are above 0.3: a Fourier
# transform and convolutions mix the padding into the tokens.
ROUNDING = {"float32": 1e-3, "bfloat16": 2e-1}


@dataclass(frozen=True)
class Architecture:
    n_layers: int  # transformer layers; of an encoder-decoder those of the encoder
    dimension: int
    # of the longest text, special tokens included: the smallest limit of the positions, the
    # tokenizer and sentence-transformers' settings, and at most MOST_TOKENS
    max_tokens: int
    lowercase: bool  # whether sentence-transformers' settings require lower case


def read_architecture(folder: Path, *, name: str) -> Architecture:
    """Read a folder's settings. Raises ModelFilesError if they are not of a text model."""
    config = read_json(folder / CONFIG)
    refuse_other_models(config, name=name)
    stated_by = sorted(folder.glob("sentence_*_config.json"))  # sentence_bert_, sentence_roberta_ …
    settings: dict[str, Any] = read_json(stated_by[0]) if stated_by else {}
    kind = config.get("model_type")
    positions = next((config[key] for key in POSITION_SETTINGS if config.get(key)), None)
    if kind in WITHOUT_POSITIONS:
        positions = None
    elif kind in COUNTING_FROM_PAD and isinstance(positions, int):
        pad = config.get("pad_token_id")
        positions -= (pad if isinstance(pad, int) else 1) + 1
    limits = [
        positions,
        read_json(folder / "tokenizer_config.json", {}).get("model_max_length"),
        settings.get("max_seq_length"),
    ]
    for limit in limits:
        if limit is not None and not isinstance(limit, int | float):
            raise ModelFilesError("no_longest_text", name=name, found=str(limit))
    stated = [int(limit) for limit in limits if limit and 0 < limit < NO_LIMIT]
    return Architecture(
        n_layers=_number(config, LAYER_SETTINGS),
        dimension=_number(config, DIMENSION_SETTINGS),
        max_tokens=min([*stated, MOST_TOKENS]),
        lowercase=bool(settings.get("do_lower_case")),
    )


class TransformerStates:
    """A model of transformers: ids and mask (b, L) to n_layers + 1 hidden states (b, L, d).

    The first is the input of the first layer: for BERT embeddings with positions, normalised; for
    Llama and T5 rows of the embedding matrix. The last is the output; see ``Encoder.n_layers``.
    """

    def __init__(self, model: Any, *, device: str, packed: bool = True) -> None:
        pad = getattr(model.config, "pad_token_id", None)  # RWKV's settings have none
        # RoBERTa computes its positions from the padding; other models ignore it
        self.pad_id: int = pad if isinstance(pad, int) and pad >= 0 else 0
        if device == "cpu" and packed:
            speed_up_linear_layers(model)
        self._model = model.to(device)

    def __call__(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        # without padding no mask is passed: attention without a mask is faster
        attention_mask = None if bool(mask.all()) else mask
        output = self._model(
            input_ids=ids, attention_mask=attention_mask, output_hidden_states=True
        )
        return output.hidden_states

    def input_embeddings(self) -> Tensor:
        return self._model.get_input_embeddings().weight.detach()


def read_model(folder: Path, *, name: str, dtype: str) -> Any:
    """The model, or the encoder half of an encoder-decoder. No code from the folder is run."""
    import torch
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    config.use_cache = False  # nothing is generated, so keys and values are not needed
    for setting in ("decoder_layers", "num_decoder_layers"):
        if hasattr(config, setting):
            setattr(config, setting, 0)  # the decoder's weights are then never read
    if getattr(config, "attention_type", None) == "block_sparse":
        # BigBird's blocks depend on the padded length, and after one short batch it uses full
        # attention. With full attention from the start, each text has one vector.
        config.attention_type = "original_full"
    with quiet_loading():
        model, report = AutoModel.from_pretrained(
            folder,
            config=config,
            # chosen by transformers, not by config.json, which may name code on the hub
            attn_implementation=None,
            experts_implementation=None,
            dtype=getattr(torch, dtype),
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # other sizes raise an error below
        )
    # its attributes show it: the config of an encoder that was saved alone does not state it
    has_both = hasattr(model, "encoder") and hasattr(model, "decoder")
    absent = [
        key
        for key in sorted(report["missing_keys"])
        # not used: a decoder beside an encoder, and a pooler
        if not (has_both and key.startswith("decoder.")) and "pooler" not in key
    ]
    unfit = sorted({key for key, *_ in report["mismatched_keys"]})
    if absent or unfit:  # transformers would fill them with random numbers
        raise ModelFilesError(
            "mismatched", name=name, architecture=config.model_type, weight=(absent or unfit)[0]
        )
    if has_both:
        model = model.get_encoder()
    if model.main_input_name != "input_ids":
        raise ModelFilesError("other_input", name=name, input=model.main_input_name)
    if getattr(model, "pooler", None) is not None:
        # a layer over the first token that no hidden state depends on; SqueezeBERT calls it
        model.pooler = torch.nn.Identity()
    return model.eval()


@contextmanager
def quiet_loading() -> Iterator[None]:
    """Turn off transformers' progress bar and its list of weights that are not loaded."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)


def speed_up_linear_layers(model: Any) -> None:
    """Replace linear layers by oneDNN's: weights packed once, the activation in the same pass.

    torch multiplies float32 by MKL otherwise. On AMD processors oneDNN takes half the time of MKL,
    on Intel's a twentieth less. Hidden states differ by 1e-5 at most after all layers.
    """
    import torch

    class PackedLinear(torch.nn.Module):
        """x (…, k) to f(x Wᵀ + b) (…, m), W in oneDNN's own order of blocks, f by its name."""

        def __init__(self, linear: Any, activation: str) -> None:
            super().__init__()
            self.weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), None)
            self.bias = None if linear.bias is None else linear.bias.detach()
            self.activation = activation

        def forward(self, x: Any) -> Any:
            multiply = torch.ops.mkldnn._linear_pointwise
            return multiply(x, self.weight, self.bias, self.activation, [], "none")

    # torch's own compiler uses these two; another version of torch may not have them
    needed = ("_reorder_linear_weight", "_linear_pointwise")
    can_pack = all(hasattr(torch.ops.mkldnn, name) for name in needed)
    if not torch.backends.mkldnn.is_available() or not can_pack:
        return
    for parent in list(model.modules()):
        # the exact GELU, which follows the widest layer in BERT and its relatives
        activation = getattr(getattr(parent, "intermediate_act_fn", None), "act", None)
        before_gelu = "dense" if activation is torch.nn.functional.gelu else None
        for name, child in list(parent.named_children()):
            if type(child) is torch.nn.Linear:
                packed = PackedLinear(child, "gelu" if name == before_gelu else "none")
                setattr(parent, name, packed)
                if name == before_gelu:  # the packed layer includes it
                    parent.intermediate_act_fn = torch.nn.Identity()


def probed_states(
    folder: Path, settings: Architecture, *, name: str, dtype: str, device: str
) -> TransformerStates:
    """The model, after a first pass that agreed with its ``settings``."""
    kind = str(read_json(folder / CONFIG).get("model_type"))
    about = {"name": name, "file": CONFIG, "architecture": kind}

    def tried(*, packed: bool) -> tuple[TransformerStates, _States, _States]:
        read = read_model(folder, name=name, dtype=dtype)
        model = TransformerStates(read, device=device, packed=packed)
        ids = _rows(model, settings)
        short = max(1, min(SHORT, ids.shape[1] - 1))  # fewer tokens than the longer row has
        alone = _states(model, ids[:1, :short], device)
        return model, alone, _states(model, ids, device, short=short)

    try:
        try:
            model, alone, beside = tried(packed=True)
        except Exception as error:
            if not is_fault_of_the_model(error):
                raise
            model, alone, beside = tried(packed=False)  # Mamba reads its layers' weights
    except Exception as error:  # from transformers or the model
        if not is_fault_of_the_model(error):
            raise
        raise ModelFilesError("failed", said=first_line_of(error), **about) from error
    _refuse_misshapen(alone, settings, about)
    n = alone[0].shape[1]
    for layer, (short, padded) in enumerate(zip(alone, beside, strict=True)):
        h = short[0].float()  # (n, d)
        difference = h - padded[0, :n].float()
        apart = (difference.norm(dim=-1) / h.norm(dim=-1).clamp(min=1e-6)).max().item()
        if not apart <= ROUNDING[dtype]:  # also refuses NaN
            raise ModelFilesError("mixes", layer=layer, **about)
    return model


def _refuse_misshapen(alone: _States, settings: Architecture, about: dict[str, str]) -> None:
    promised = (settings.n_layers + 1, settings.dimension)
    found = sorted({(len(alone), state.shape[-1]) for state in alone} - {promised})
    n = alone[0].shape[1]  # a model may return fewer tokens than its input has
    if found or any(state.shape[:2] != (1, n) for state in alone) or not 0 < n <= SHORT:
        layers, width = (found or [promised])[0]
        stated = {"promised_layers": promised[0], "promised_width": promised[1]}
        raise ModelFilesError("misshapen", layers=layers, width=width, **stated, **about)


def _rows(model: TransformerStates, settings: Architecture) -> Tensor:
    """(2, L) ids from the middle of the vocabulary, which has no special tokens; never the pad."""
    import torch

    size = len(model.input_embeddings())
    length = min(LONG, settings.max_tokens)
    ordinary = [i % size for i in range(size // 2, size // 2 + size) if i % size != model.pad_id]
    return torch.tensor([[ordinary[i % len(ordinary)] for i in range(length)]] * 2)


def _states(
    model: TransformerStates, ids: Tensor, device: str, *, short: int | None = None
) -> _States:
    """States of the rows. With ``short``, the first row is cut to that many tokens and padded."""
    import torch

    mask = torch.ones_like(ids)
    if short is not None:
        ids = ids.clone()
        ids[0, short:], mask[0, short:] = model.pad_id, 0
    with torch.no_grad():
        return tuple(model(ids.to(device), mask.to(device)))


def _number(config: Mapping[str, Any], names: tuple[str, ...]) -> int:
    return next(int(config[name]) for name in names if isinstance(config.get(name), int))
