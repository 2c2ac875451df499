"""The output that a sentence-transformers folder defines: pooling, dense layers, normalisation.

modules.json lists the steps after the model. Each step has a folder with its settings and its
weights as .safetensors. The results equal those of sentence-transformers up to rounding. Its own
modules are not used: they would be built at the sizes of the settings before any check.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.limits import LIMITS
from ..hub.errors import ModelFilesError
from ..hub.model_files import CONFIG, module_folder, read_json, read_modules
from .pool import pool_cls, pool_last, pool_max, pool_mean, pool_mean_sqrt_len, pool_weighted

if TYPE_CHECKING:
    from torch import Tensor

# In the order in which several poolings are concatenated; older settings have one flag for each.
MODES: dict[str, tuple[str, Callable[[Tensor, Tensor], Tensor]]] = {
    "cls": ("pooling_mode_cls_token", pool_cls),
    "max": ("pooling_mode_max_tokens", pool_max),
    "mean": ("pooling_mode_mean_tokens", pool_mean),
    "mean_sqrt_len_tokens": ("pooling_mode_mean_sqrt_len_tokens", pool_mean_sqrt_len),
    "weightedmean": ("pooling_mode_weightedmean_tokens", pool_weighted),
    "lasttoken": ("pooling_mode_lasttoken", pool_last),
}
MODELS = ("Transformer", "WordEmbeddings")
SKIPPED = "Dropout"  # no effect outside training
WEIGHTED = ("Dense", "LayerNorm")


class OwnOutput:
    """The steps that a folder's modules.json applies to the last hidden states."""

    def __init__(self, folder: Path, *, name: str, dimension: int) -> None:
        if not (folder / "modules.json").is_file():
            raise ModelFilesError("no_modules", name=name)
        self._name = name
        self._dimension = self.dimension = dimension
        self._steps: list[tuple[str, Path, dict[str, Any]]] = []
        modules = read_modules(folder)
        if not modules:
            raise ModelFilesError("empty_modules", name=name)
        if _kind(modules[0]) not in MODELS:
            raise self._unknown(_kind(modules[0]))
        settings = read_json(folder / "config_sentence_transformers.json", {})
        if (settings.get("prompts") or {}).get(settings.get("default_prompt_name")):
            raise ModelFilesError("prompt", name=name)
        for module in modules[1:]:
            if _kind(module) != SKIPPED:
                self._add(_kind(module), module_folder(folder, module["path"], name=name))
        if self.dimension > LIMITS.dimensions:
            said = f"an output of {self.dimension} numbers"
            raise ModelFilesError("broken", name=name, said=said)
        if not any(kind == "Pooling" for kind, _, _ in self._steps):
            raise ModelFilesError("no_pooling", name=name)

    def _add(self, kind: str, folder: Path) -> None:
        settings = read_json(folder / CONFIG, {})
        elsewhere = settings.get("module_input_name", "sentence_embedding") != "sentence_embedding"
        if kind not in ("Pooling", "Normalize", *WEIGHTED) or elsewhere:
            raise self._unknown(kind)
        if kind == "Pooling":
            settings = {"modes": self._modes(settings)}
            self.dimension = len(settings["modes"]) * self._dimension
        if kind in WEIGHTED and not (folder / "model.safetensors").is_file():
            raise ModelFilesError("no_layer_weights", name=self._name, layer=kind)
        if kind == "Dense":
            from safetensors import safe_open

            with safe_open(folder / "model.safetensors", "numpy") as file:
                rows, columns = file.get_slice("linear.weight").get_shape()
            if settings.get("out_features") != rows or columns != self.dimension:
                said = f"Dense with {rows} x {columns} weights after {self.dimension} numbers"
                raise ModelFilesError("broken", name=self._name, said=said)
            self.dimension = int(rows)
        self._steps.append((kind, folder, settings))

    def _modes(self, settings: dict[str, Any]) -> tuple[str, ...]:
        named = settings.get("pooling_mode")
        if named is None:
            flagged = tuple(mode for mode, (flag, _) in MODES.items() if settings.get(flag))
            return flagged or ("mean",)
        modes = (named,) if isinstance(named, str) else tuple(named) or ("",)
        for place, mode in enumerate(modes):
            if mode not in MODES or mode in modes[:place]:
                raise self._unknown(f"pooling {mode}")
        return modes

    def _unknown(self, what: str) -> ModelFilesError:
        return ModelFilesError("unknown_step", name=self._name, step=what)

    def loaded(self, device: str) -> Callable[[Tensor, Tensor], Tensor]:
        """The steps as a function from H (b, L, d) and mask (b, L) to (b, dimension)."""
        import torch

        steps = [_step(*step, device) for step in self._steps]

        def run(H: Tensor, mask: Tensor) -> Tensor:
            vectors = H[:, 0]
            for step in steps:
                vectors = step(vectors, H, mask)
            return vectors

        H = torch.zeros(1, 2, self._dimension, device=device)  # settings may name any function
        width = run(H, torch.ones(1, 2, dtype=torch.long, device=device)).shape[1:]
        if width != (self.dimension,):
            said = f"steps that give {tuple(width)} numbers, not {self.dimension}"
            raise ModelFilesError("broken", name=self._name, said=said)
        return run


def _kind(module: dict[str, Any]) -> str:
    """The class's name; for a class outside sentence-transformers its path, an unknown step."""
    path: str = module["type"]
    return path.rpartition(".")[2] if path.startswith("sentence_transformers.") else path


def _step(kind: str, folder: Path, settings: dict[str, Any], device: str) -> Callable[..., Tensor]:
    """A step as a function of the vectors so far (b, k), and of H and mask."""
    import torch
    from safetensors.torch import load_file
    from torch.nn import functional as F

    weights = {}
    if kind in WEIGHTED:
        read = load_file(folder / "model.safetensors", device)
        weights = {key: tensor.float() for key, tensor in read.items()}
    # a class of torch.nn; Tanh for other paths, as in sentence-transformers
    path = settings.get("activation_function", "torch.nn.Tanh")
    found = getattr(torch.nn, path.rpartition(".")[2], None) if path.startswith("torch.") else None
    activation: Any = torch.nn.Tanh()
    if isinstance(found, type) and issubclass(found, torch.nn.Module):
        activation = found().eval()

    def pooled(x: Tensor, H: Tensor, mask: Tensor) -> Tensor:
        return torch.cat([MODES[mode][1](H, mask) for mode in settings["modes"]], dim=-1)

    def dense(x: Tensor, H: Tensor, mask: Tensor) -> Tensor:
        y: Tensor = activation(F.linear(x, weights["linear.weight"], weights.get("linear.bias")))
        if not settings.get("use_residual"):
            return y
        residual = weights.get("residual.weight")
        return y + (x if residual is None else F.linear(x, residual))

    def layer_norm(x: Tensor, H: Tensor, mask: Tensor) -> Tensor:
        shape = (settings["dimension"],)
        return F.layer_norm(x, shape, weights["norm.weight"], weights["norm.bias"])

    def normalize(x: Tensor, H: Tensor, mask: Tensor) -> Tensor:
        return F.normalize(x, dim=-1)

    steps = {"Pooling": pooled, "Dense": dense, "LayerNorm": layer_norm, "Normalize": normalize}
    return steps[kind]
