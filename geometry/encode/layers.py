"""Which layers are meant: a number, several numbers, or a name from the literature."""

from numbers import Integral

# Layers that are averaged, as indices of hidden states: 0 is the embedding layer, 1 the first
# transformer layer. "first-last" is last2avg in the code of Li et al. (2020, BERT-flow) and
# Su et al. (2021). Huang et al. (2021, WhiteningBERT) compare the averages of the last k.
LAYER_SETS: dict[str, tuple[int, ...]] = {
    "first-last": (1, -1),
    "last-2": (-2, -1),
    "last-3": (-3, -2, -1),
    "last-4": (-4, -3, -2, -1),
}
_WANTED = f"layer must be a whole number, a tuple of them, or one of {', '.join(LAYER_SETS)}"


def layer_sets(n_layers: int) -> list[str]:
    """The names in ``LAYER_SETS`` whose layers a model of that many layers has."""
    return [name for name, indices in LAYER_SETS.items() if n_layers >= max(map(abs, indices))]


def resolve_layers(
    layer: int | str | tuple[int, ...], *, n_layers: int, name: str
) -> tuple[int, ...]:
    """Indices into the n_layers + 1 hidden states, counted from 0."""
    if isinstance(layer, str):
        if layer not in LAYER_SETS:
            raise ValueError(f"{_WANTED}; got {layer!r}")
        indices = LAYER_SETS[layer]
        needed = max(map(abs, indices))
        if needed > n_layers:
            raise ValueError(
                f"layer {layer!r} needs {needed} transformer layer{'s' * (needed > 1)}; "
                f"{name} has {n_layers}. Name its layers by number"
            )
    else:
        indices = layer if isinstance(layer, tuple) else (layer,)
    if not indices:
        raise ValueError("layer is an empty tuple: name at least one to average")
    count = n_layers + 1
    for index in indices:
        if not _is_whole(index):
            raise TypeError(f"{_WANTED}; got {layer!r}")
        if not -count <= index < count:
            raise ValueError(
                f"layer {index} does not exist: {name} has hidden states 0 (embedding "
                f"layer) to {n_layers}"
            )
    return tuple(int(index) % count for index in indices)


def _is_whole(index: object) -> bool:
    return isinstance(index, Integral) and not isinstance(index, bool)
