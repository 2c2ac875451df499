"""python -m geometry evaluate: does a treatment help, on which layer, on which pairs?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..evaluate.similarities import SIMILARITIES
from ..evaluate.specs import LADDER
from .shell import errors_in_words, progress_on_stderr

if TYPE_CHECKING:
    from ..encode import Encoder
    from ..evaluate import Grid
    from ..evaluate.cells import LayerName
    from ..evaluate.fitting import FitVectors
    from ..pairs import Pairs

BUNDLED, ALL = "bundled", "all"
_FILE = click.Path(dir_okay=False, path_type=Path)
_PAIRS_HELP = "A table of scored pairs; folder:split; a hub set, as stsb:test or sickr:test."


@dataclass(frozen=True)
class _Asked:
    """What the grids of one command share."""

    layers: tuple[LayerName, ...]
    poolings: tuple[str, ...]
    treatments: tuple[str, ...]
    similarity: str
    draws: int
    seed: int
    quiet: bool


@click.command()
@click.option("--model", default=BUNDLED, show_default=True, help="A hub name or a folder.")
@click.option("--revision", help="Branch, tag or commit of a hub model.")
@click.option("--pairs", default=BUNDLED, show_default=True, help=_PAIRS_HELP)
@click.option("--layers", default=ALL, show_default=True, help="As 0,4,-1,first-last,1+6.")
@click.option("--poolings", default="mean,cls", show_default=True, help="As mean,cls,max.")
@click.option("--transforms", default=",".join(LADDER), show_default=True, help="As pca:128:lw.")
@click.option("--fit", help="Pairs or texts to fit on; else the pairs' own sentences.")
@click.option("--fit-name", help="What to call that set; by default its file's name.")
@click.option("--dev", help="Pairs to choose the best cell on.")
@click.option("--similarity", type=click.Choice(SIMILARITIES), default="cosine", show_default=True)
@click.option("--draws", type=click.IntRange(min=1), default=1000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resamples.")
@click.option("--csv", "csv_file", type=_FILE, help="Write the grid's rows there.")
@click.option("--json", "json_file", type=_FILE, help="Write the grid and its settings there.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def evaluate(
    model: str,
    revision: str | None,
    pairs: str,
    layers: str,
    poolings: str,
    transforms: str,
    fit: str | None,
    fit_name: str | None,
    dev: str | None,
    similarity: str,
    draws: int,
    seed: int,
    csv_file: Path | None,
    json_file: Path | None,
    quiet: bool,
) -> None:
    """Spearman of layers, poolings and transforms on scored sentence pairs, with intervals."""
    with errors_in_words():
        from ..load import load_encoder

        for file in (csv_file, json_file):
            _refuse_unwritable(file)
        fit_texts = None if fit is None else _read_texts(fit, quiet=quiet)
        scored = _read_pairs(pairs, quiet=quiet)
        dev_pairs = None if dev is None else _read_pairs(dev, quiet=quiet)
        asked = _Asked(
            layers=_layers(layers),
            poolings=_poolings(poolings),
            treatments=_treatments(transforms),
            similarity=similarity,
            draws=draws,
            seed=seed,
            quiet=quiet,
        )
        encoder = load_encoder(
            model, revision=revision, progress=progress_on_stderr("fetching", quiet=quiet)
        )
        fit_on = None if fit is None else fit_name or Path(fit).stem
        fit_vectors = None if fit_texts is None else _fit(encoder, fit_texts, asked)
        grid = _grid(encoder, scored, asked, fit_vectors, fit_on)
        dev_grid = None
        if dev_pairs is not None:
            dev_grid = _grid(encoder, dev_pairs, asked, fit_vectors, fit_on)
        _show(encoder, grid, dev_grid, csv_file, json_file)


def _fit(encoder: Encoder, texts: tuple[str, ...], asked: _Asked) -> FitVectors:
    from ..evaluate import encode_fit

    return encode_fit(
        encoder,
        texts,
        layers=asked.layers or tuple(range(encoder.n_layers + 1)),
        poolings=asked.poolings,
        treatments=asked.treatments,
        progress=progress_on_stderr("reading the fit set", quiet=asked.quiet),
    )


def _grid(
    encoder: Encoder,
    pairs: Pairs,
    asked: _Asked,
    fit_vectors: FitVectors | None,
    fit_on: str | None,
) -> Grid:
    from ..evaluate import evaluate_encoder

    return evaluate_encoder(
        encoder,
        pairs,
        layers=asked.layers or None,
        poolings=asked.poolings,
        treatments=asked.treatments,
        fit_vectors=fit_vectors,
        fit_on=fit_on,
        similarity=asked.similarity,
        draws=asked.draws,
        seed=asked.seed,
        progress=progress_on_stderr(f"evaluating on {pairs.name}", quiet=asked.quiet),
    )


def _show(
    encoder: Encoder,
    grid: Grid,
    dev_grid: Grid | None,
    csv_file: Path | None,
    json_file: Path | None,
) -> None:
    from ..evaluate import choose_on_dev, grid_csv, grid_json
    from .grid_text import chosen_text, grid_text

    chosen = None if dev_grid is None else choose_on_dev(dev_grid, grid)
    click.echo(f"{encoder.name}{f' at {encoder.revision}' if encoder.revision else ''}")
    click.echo(grid_text(grid))
    if chosen is not None and dev_grid is not None:
        click.echo(f"\n{chosen_text(chosen, dev_grid, grid)}")
    if csv_file is not None:
        told = grid_csv(grid, model=encoder.name, revision=encoder.revision)
        csv_file.write_text(told, encoding="utf-8")
    if json_file is not None:
        told = grid_json(grid, chosen=chosen, model=encoder.name, revision=encoder.revision)
        json_file.write_text(told, encoding="utf-8")


def _read_pairs(source: str, *, quiet: bool) -> Pairs:
    """The project's own, a split of a hub set or of a folder, or a file."""
    from ..pair_sets import PAIR_SETS, fetch_pairs
    from ..pairs import read_bundled_pairs, read_pair_folder, read_pairs

    if source == BUNDLED:
        return read_bundled_pairs()
    place, _, split = source.rpartition(":")
    if place in PAIR_SETS:
        progress = progress_on_stderr(f"fetching {source}", quiet=quiet)
        return fetch_pairs(place, split, progress=progress)
    if place and Path(place).is_dir():
        splits = read_pair_folder(Path(place))
        if split not in splits:
            raise ValueError(f"{place} holds no pairs {split!r}; there are {', '.join(splits)}")
        return splits[split]
    return read_pairs(Path(source))


def _read_texts(source: str, *, quiet: bool) -> tuple[str, ...]:
    """Both sentences of every pair, or the texts of a corpus."""
    from ..corpus import CorpusError, read_corpus

    try:
        pairs = _read_pairs(source, quiet=quiet)
    except CorpusError as reason:
        if reason.code != "no_pair_columns":
            raise
        return read_corpus(Path(source)).texts
    return (*pairs.left, *pairs.right)


def _layers(text: str) -> tuple[LayerName, ...]:
    """The layers named; none for all of them."""
    return () if text.strip() == ALL else tuple(_layer(one) for one in _listed(text, "layers"))


def _layer(text: str) -> LayerName:
    try:
        return int(text)
    except ValueError:
        pass
    if "+" in text:
        try:
            return tuple(int(part) for part in text.split("+"))
        except ValueError:
            raise ValueError(f"layers {text!r}: give whole numbers, as 1+6") from None
    return text


def _poolings(text: str) -> tuple[str, ...]:
    from ..pool import POOLINGS, as_poolings

    names = tuple(POOLINGS) if text.strip() == ALL else _listed(text, "poolings")
    return as_poolings(names)


def _treatments(text: str) -> tuple[str, ...]:
    from ..evaluate.specs import parse_treatments

    return tuple(spec.text for spec in parse_treatments(_listed(text, "transforms")))


def _listed(text: str, option: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise ValueError(f"--{option} is empty; leave it out for what is usual")
    return found


def _refuse_unwritable(file: Path | None) -> None:
    """Before minutes of work, not after."""
    if file is not None and not file.parent.is_dir():
        raise ValueError(f"{file.parent} is no folder, so {file.name} can't be written there")
