"""A loaded SentenceTransformer at any of its modules: its vectors there, the model up to there."""

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

SAMPLE = "Rain."


def module_vectors(model: Any, texts: Sequence[str], *, module: int = -1) -> np.ndarray:
    """Sentence vectors (n, d) float32 after one module of a loaded SentenceTransformer.

    ``model.encode`` computes them, with its own tokenizer, prompts, device and largest length.

    Parameters
    ----------
    model : sentence_transformers.SentenceTransformer
    texts : sequence of n str
    module : int
        Index of the module, as in ``model[module]``; -1 is the last. A module that gives token
        vectors, such as the Transformer itself, is followed by mean pooling.
    """
    found = model_up_to(model, module).encode(list(texts), show_progress_bar=False)
    return np.asarray(found, dtype=np.float32)


def model_up_to(model: Any, module: int, *more: Any) -> Any:
    """A SentenceTransformer with the modules of ``model`` up to one of them, and ``more``.

    A dimension to which ``model`` truncates its vectors stays with its last module only.
    """
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    last = module_number(model, module)
    is_whole = last == len(model) - 1
    if is_whole and not more:
        return model
    how: dict[str, Any] = {"device": str(model.device), "prompts": dict(model.prompts or {})}
    how["default_prompt_name"] = model.default_prompt_name
    kept = [model[place] for place in range(last + 1)]
    part = SentenceTransformer(modules=[*kept], **how)
    [given] = part.encode([SAMPLE], output_value=None, show_progress_bar=False)
    if "sentence_embedding" not in given:
        kept.append(Pooling(given["token_embeddings"].shape[-1], pooling_mode="mean"))
    return SentenceTransformer(modules=[*kept, *more], **how)


def module_number(model: Any, module: int) -> int:
    """The index of a module from 0 on; ValueError with the modules that there are."""
    n = len(model)
    if not -n <= index(module) < n:
        names = ", ".join(f"{place} {type(each).__name__}" for place, each in enumerate(model))
        raise ValueError(f"the model has no module {module}; it has {names}")
    return index(module) % n


def module_name(model: Any, module: int) -> str:
    """Its index and its class: "1 Pooling"."""
    number = module_number(model, module)
    return f"{number} {type(model[number]).__name__}"


def is_sentence_model(given: Any) -> bool:
    """Whether this is a loaded SentenceTransformer, by its class; the package is not imported."""
    names = {(each.__module__.partition(".")[0], each.__name__) for each in type(given).__mro__}
    return ("sentence_transformers", "SentenceTransformer") in names
