"""How rows of published tables are computed here: model, layer, pooling, treatment, fit set."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..data.embeddings import VectorTable
from ..data.pairs import Pairs
from ..encode.encoder import Encoder, Layer
from ..linalg.moments import Moments
from ..process import Progress
from .bootstrap import PairScore, resamples_of
from .from_encoder import fit_moments
from .from_words import evaluate_words
from .grid import evaluate_grid

BERT = "google-bert/bert-base-uncased"
DATA_SETS = {  # columns of tables, and what they are called in files and on the hub
    **{f"STS{year}": f"sts{year}" for year in (12, 13, 14, 15, 16)},
    "STS-B": "stsb",
    "SICK-R": "sickr",
}


@dataclass(frozen=True)
class Recipe:
    """A row of a published table."""

    model: str = ""  # name on the Hugging Face Hub; "" for word vectors of a file
    layer: Layer = -1
    pooling: str = "mean"
    treatment: str = "none"
    # "target", the sentences of the scored pairs; "nli", those of SNLI and MNLI
    fit: Literal["", "target", "nli"] = ""
    aggregation: str = "all"  # of STS12 to STS16; other data sets are scored as one set
    missing: str = ""  # why it is not computed; "" if it is


@dataclass(frozen=True)
class RecipeTable:
    key: str
    rows: Mapping[str, Recipe]
    differs: tuple[str, ...]


def _whitened(fit: Literal["target", "nli"], aggregation: str) -> Recipe:
    return Recipe(BERT, "first-last", "mean", "pca", fit, aggregation)


RECIPES: Mapping[str, RecipeTable] = {
    "sbert-table1": RecipeTable(
        "sbert_table_1",
        {
            "avg GloVe": Recipe(),
            "avg BERT": Recipe(BERT),
            "BERT CLS": Recipe(BERT, pooling="cls"),
            "InferSent-GloVe": Recipe(missing="its code and weights are no model of the Hub"),
            "USE": Recipe(missing="it is a model of TensorFlow"),
            "SBERT-NLI-base": Recipe("sentence-transformers/bert-base-nli-mean-tokens"),
            "SBERT-NLI-large": Recipe("sentence-transformers/bert-large-nli-mean-tokens"),
        },
        (
            f"BERT is {BERT} at its last layer, and means include [CLS] and [SEP].",
            "GloVe is averaged over words in lower case without scikit-learn's stop words; pairs "
            "with a sentence without a known word are left out.",
        ),
    ),
    "whitening-table": RecipeTable(
        "simcse_table_b2",
        {
            "whiten NLI all": _whitened("nli", "all"),
            "whiten NLI wmean": _whitened("nli", "wmean"),
            "whiten target all": _whitened("target", "all"),
            "whiten target wmean": _whitened("target", "wmean"),
            "whiten NLI Su": _whitened("nli", "wmean"),
            "whiten target Su": _whitened("target", "wmean"),
        },
        (
            f"BERT is {BERT}; first-last is the mean of layers 1 and 12; all directions are kept.",
            "Target is fitted on the sentences of the scored pairs alone.",
        ),
    ),
}


def encoder_scores(
    encoder: Encoder,
    pairs: Pairs,
    recipes: Sequence[Recipe],
    *,
    is_whole: bool,
    nli: Callable[[Recipe], Moments],
    progress: Progress | None = None,
) -> list[PairScore | str]:
    """The score of each recipe of this encoder, or why there is none; the pairs are encoded once.

    ``nli`` gives the moments of the sentences of SNLI and MNLI; it raises ValueError without these.
    """
    layers = sorted({index for each in recipes for index in encoder.layer_indices(each.layer)})
    poolings = tuple(dict.fromkeys(each.pooling for each in recipes))
    hidden = encoder.encode_layers(
        pairs.sentences, poolings=poolings, layers=layers, progress=progress
    )
    sides = np.concatenate(pairs.rows)
    found: list[PairScore | str] = []
    for each in recipes:
        places = [layers.index(index) for index in encoder.layer_indices(each.layer)]
        X = hidden[each.pooling][places].mean(axis=0)[sides]
        try:
            moments = nli(each) if each.fit == "nli" else None
            how = None if is_whole or each.aggregation == "all" else each.aggregation
            bootstrap = resamples_of(pairs, how)
        except ValueError as error:
            found.append(str(error))
            continue
        grid = evaluate_grid(
            {each.pooling: X[None]},
            pairs.gold_scores,
            treatments=(each.treatment,),
            fit_vectors=None if moments is None else lambda *_, fitted=moments: fitted,
            fit_on=None if moments is None else each.fit,
            bootstrap=bootstrap,
            is_approximate=encoder.is_approximate,
        )
        found.append(grid.cells[0].score)
    return found


def nli_moments(
    encoder: Encoder, texts: Sequence[str], recipe: Recipe, progress: Progress | None = None
) -> Moments:
    """The moments of the texts at the layer and pooling of a recipe, each text once."""
    where = ((recipe.layer,), (recipe.pooling,))
    moments = fit_moments(encoder, tuple(dict.fromkeys(texts)), *where, progress=progress)
    return moments(encoder.layer_indices(recipe.layer), recipe.pooling)


def word_score(table: VectorTable, pairs: Pairs) -> PairScore:
    """The score of averaged word vectors by the recipe of published figures."""
    how = {"tokenizer": "ascii", "stop_words": "sklearn"}
    return evaluate_words(table, pairs, treatments=("none",), **how).grid.cells[0].score  # type: ignore[arg-type]
