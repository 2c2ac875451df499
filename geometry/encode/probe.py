"""A model's first pass, on two rows of a few tokens, to check what config.json can't state.

A usable model gives n_layers + 1 states of shape (b, L, d), and those of a text do not depend on
the other texts of its batch. Others would fail in the middle of a page.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..hub.model_errors import ModelFilesError
from ..hub.model_files import CONFIG, read_json
from .architecture import Architecture, TransformerStates, read_model
from .faults import first_line_of, is_fault_of_the_model

if TYPE_CHECKING:
    from torch import Tensor

    _States = tuple[Tensor, ...]

SHORT, LONG = 3, 16  # tokens
# Largest |difference| / |state| of a token that is accepted as rounding. Rounding alone gives about
# 1e-6, and 1e-2 in bfloat16 (six layers of 384). FNet and ConvBERT are above 0.3: a Fourier
# transform and convolutions mix the padding into the tokens.
ROUNDING = {"float32": 1e-3, "bfloat16": 2e-1}


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
    except Exception as error:  # of any class, from transformers or the model
        if not is_fault_of_the_model(error):
            raise
        raise ModelFilesError("failed", said=first_line_of(error), **about) from error
    _refuse_misshapen(alone, settings, about)
    _refuse_mixing(alone, beside, ROUNDING[dtype], about)
    return model


def _refuse_misshapen(alone: _States, settings: Architecture, about: dict[str, str]) -> None:
    promised = (settings.n_layers + 1, settings.dimension)
    found = sorted({(len(alone), state.shape[-1]) for state in alone} - {promised})
    n = alone[0].shape[1]  # a model may return fewer tokens than its input has
    if found or any(state.shape[:2] != (1, n) for state in alone) or not 0 < n <= SHORT:
        layers, width = (found or [promised])[0]
        raise ModelFilesError(
            "misshapen",
            layers=layers,
            width=width,
            promised_layers=promised[0],
            promised_width=promised[1],
            **about,
        )


def _refuse_mixing(alone: _States, beside: _States, rounding: float, about: dict[str, str]) -> None:
    n = alone[0].shape[1]
    for layer, (short, padded) in enumerate(zip(alone, beside, strict=True)):
        h, g = short[0].float(), padded[0, :n].float()  # (n, d)
        apart = ((h - g).norm(dim=-1) / h.norm(dim=-1).clamp(min=1e-6)).max().item()
        if not apart <= rounding:  # also refuses NaN
            raise ModelFilesError("mixes", layer=layer, **about)


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
