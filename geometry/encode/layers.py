"""Layers by number, by several numbers, or by the names that papers gave them."""

from __future__ import annotations

from numbers import Integral

# Averages, counted as hidden states are: 0 is the embedding layer, 1 the first layer.
# "first-last" is what the code of Li et al. 2020 (BERT-flow) and Su et al. 2021 calls
# last2avg; the last k, as WhiteningBERT (Huang et al. 2021) compares them.
LAYER_SETS: dict[str, tuple[int, ...]] = {
    "first-last": (1, -1),
    "last-2": (-2, -1),
    "last-3": (-3, -2, -1),
    "last-4": (-4, -3, -2, -1),
}
_WANTED = f"layer must be a whole number, a tuple of them, or one of {', '.join(LAYER_SETS)}"


def resolve_layers(
    layer: int | str | tuple[int, ...], *, n_layers: int, name: str
) -> tuple[int, ...]:
    """Indices into n_layers + 1 hidden states, from 0.

    layer : one index (negative from the end), a tuple of them, or a name in ``LAYER_SETS``.
    Raises ValueError for an unknown name, an empty tuple, an index that does not exist, or a
    set that a model (called ``name``) has too few transformer layers for; TypeError for an
    index that is no whole number.
    """
    if isinstance(layer, str):
        if layer not in LAYER_SETS:
            raise ValueError(f"{_WANTED}; got {layer!r}")
        asked = LAYER_SETS[layer]
        needed = max(map(abs, asked))
        if needed > n_layers:
            raise ValueError(
                f"layer {layer!r} needs {needed} transformer layer{'s' * (needed > 1)}; "
                f"{name} has {n_layers}. Name its layers by number"
            )
    else:
        asked = layer if isinstance(layer, tuple) else (layer,)
    if not asked:
        raise ValueError("layer is an empty tuple: name at least one to average")
    count = n_layers + 1
    for index in asked:
        if not _is_whole(index):
            raise TypeError(f"{_WANTED}; got {layer!r}")
        if not -count <= index < count:
            raise ValueError(
                f"layer {index} does not exist: {name} has hidden states 0 (embedding "
                f"layer) to {n_layers}"
            )
    return tuple(int(index) % count for index in asked)


def only_layer(layers: tuple[int, ...], layer: object) -> int:
    """The one of ``layers``, which ``layer`` stands for; ValueError where there are several."""
    if len(layers) != 1:
        raise ValueError(
            f"layer must be one layer here, and {layer!r} is the average of {len(layers)}. Name "
            "one by number, or average what several calls give"
        )
    return layers[0]


def _is_whole(index: object) -> bool:
    return isinstance(index, Integral) and not isinstance(index, bool)
