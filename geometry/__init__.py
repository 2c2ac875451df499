"""See, measure and undo the anisotropy of embeddings.

Names are loaded when first used, so that importing this package costs nothing: torch,
transformers, umap and scikit-learn are imported by the call that needs them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# not lazily: the import system would bind the name to the module of the same name
from .project import project

_HOME = {
    "embeddings": ("TokenEmbeddings", "VectorReport", "VectorTable"),
    "encode": ("Encoder",),
    "load": ("load_encoder",),
    "pieces": ("Coverage",),
    "model_errors": ("DataSetError", "ModelFilesError"),
    "hub.fetch": ("fetch_model",),
    "pairs": ("read_pair_folder",),
    "pair_sets": ("PairSet", "fetch_pairs"),
    "word_pairs": ("WordPairVectors", "read_word_pairs", "word_pair_vectors"),
    "operator_limits": ("ModelLimits", "OperatorFileError", "read_model_limits"),
    "catalogue": ("Suggestion", "suggestions"),
    "corpus": ("Corpus", "CorpusError", "Pairs", "read_bundled", "read_corpus", "read_pairs"),
    "store": ("ArrayStore",),
    "blocks": ("encode_to_files",),
    "cloud": ("Cloud", "read_cloud"),
    "project": ("Projection",),
    "whiten": ("Whitening",),
    "flow": ("NormalizingFlow",),
    "flow_training": ("FlowEpoch",),
    "whitening_map": ("WhiteningMap",),
    "whitening_settings": ("recommended_whitening",),
    "remove": ("ClusterwiseRemoval", "CommonComponentRemoval"),
    "learned_removal": ("WeightedRemoval",),
    "removal_map": ("ClusterwiseMap", "RemovalMap"),
    "standard_map": ("StandardMap",),
    "sif": ("sif_average",),
    "vectors.errors": ("VectorFileError",),
    "vectors.read": ("read_vectors",),
    "word_averages": ("SentenceVectors", "sentence_vectors", "words_of"),
    "word_counts": ("rank_counts", "read_counts"),
    "treatments": ("Knobs", "Treated", "Treatment", "fit_treatment"),
    "rank_lesson": ("Bend", "made_up_scores"),
    "rank_moves": ("RankMoves",),
    "narrower": ("narrower_against_score",),
    "pooling_share": ("PoolingShare",),
    "treated_pairs": ("scores_by_fit_size", "treated_similarities"),
    "type_average": ("type_averages",),
    "twin": ("ConeEdge", "IsotropyReport", "Twin", "describe", "whiten_beside"),
    "neighbours": ("chance_agreement", "label_agreement", "nearest"),
    "measure": (
        "Annotations",
        "Measured",
        "alignment",
        "angles_to_mean",
        "annotated_table",
        "contextual_table",
        "cosine_contributions",
        "disagreements",
        "effective_rank",
        "hubness",
        "intra_sentence_baseline",
        "intra_sentence_similarity",
        "intrinsic_dimension",
        "isoscore",
        "isoscore_baseline",
        "isotropic_baselines",
        "jackknife_interval",
        "max_explainable_variance",
        "mean_cosine",
        "mean_norm_share",
        "measure_names",
        "measure_table",
        "opening_angle",
        "pairwise_cosines",
        "participation_baseline",
        "participation_ratio",
        "partition_isotropy",
        "positive_cosine_share",
        "self_similarity",
        "subsampling_interval",
        "top_contribution",
        "top_contribution_baseline",
        "uniformity",
        "uniformity_baseline",
        "zipfian_baselines",
        "zipfian_mean_symmetry",
        "zipfian_spectral_entropy",
        "zipfian_table",
    ),
    "rows": ("UndefinedMeasure",),
    "toy": ("Plane",),
    "evaluate": (
        "Aggregate",
        "Cell",
        "Chosen",
        "Difference",
        "Grid",
        "PairBootstrap",
        "PairScore",
        "SubsetBootstrap",
        "TreatmentSpec",
        "WordGrid",
        "WordPairScore",
        "aggregate",
        "choose_on_dev",
        "evaluate_encoder",
        "evaluate_grid",
        "evaluate_pairs",
        "evaluate_word_pairs",
        "evaluate_words",
        "grid_csv",
        "grid_json",
        "grid_rows",
        "pair_similarities",
        "parse_treatment",
    ),
    "published": ("PublishedScore", "PublishedTable", "published_scores", "published_tables"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__version__ = "0.1.0"
__all__ = sorted([*_MODULE_OF, "project"])  # pyright: ignore[reportUnsupportedDunderAll]

if TYPE_CHECKING:
    from .blocks import encode_to_files
    from .catalogue import Suggestion, suggestions
    from .cloud import Cloud, read_cloud
    from .corpus import Corpus, CorpusError, Pairs, read_bundled, read_corpus, read_pairs
    from .embeddings import TokenEmbeddings, VectorReport, VectorTable
    from .encode import Encoder
    from .evaluate import (
        Aggregate,
        Cell,
        Chosen,
        Difference,
        Grid,
        PairBootstrap,
        PairScore,
        SubsetBootstrap,
        TreatmentSpec,
        WordGrid,
        WordPairScore,
        aggregate,
        choose_on_dev,
        evaluate_encoder,
        evaluate_grid,
        evaluate_pairs,
        evaluate_word_pairs,
        evaluate_words,
        grid_csv,
        grid_json,
        grid_rows,
        pair_similarities,
        parse_treatment,
    )
    from .flow import NormalizingFlow
    from .flow_training import FlowEpoch
    from .hub.fetch import fetch_model
    from .learned_removal import WeightedRemoval
    from .load import load_encoder
    from .measure import (
        Annotations,
        Measured,
        alignment,
        angles_to_mean,
        annotated_table,
        contextual_table,
        cosine_contributions,
        disagreements,
        effective_rank,
        hubness,
        intra_sentence_baseline,
        intra_sentence_similarity,
        intrinsic_dimension,
        isoscore,
        isoscore_baseline,
        isotropic_baselines,
        jackknife_interval,
        max_explainable_variance,
        mean_cosine,
        mean_norm_share,
        measure_names,
        measure_table,
        opening_angle,
        pairwise_cosines,
        participation_baseline,
        participation_ratio,
        partition_isotropy,
        positive_cosine_share,
        self_similarity,
        subsampling_interval,
        top_contribution,
        top_contribution_baseline,
        uniformity,
        uniformity_baseline,
        zipfian_baselines,
        zipfian_mean_symmetry,
        zipfian_spectral_entropy,
        zipfian_table,
    )
    from .model_errors import DataSetError, ModelFilesError
    from .narrower import narrower_against_score
    from .neighbours import chance_agreement, label_agreement, nearest
    from .operator_limits import ModelLimits, OperatorFileError, read_model_limits
    from .pair_sets import PairSet, fetch_pairs
    from .pairs import read_pair_folder
    from .pieces import Coverage
    from .pooling_share import PoolingShare
    from .project import Projection
    from .published import PublishedScore, PublishedTable, published_scores, published_tables
    from .rank_lesson import Bend, made_up_scores
    from .rank_moves import RankMoves
    from .removal_map import ClusterwiseMap, RemovalMap
    from .remove import ClusterwiseRemoval, CommonComponentRemoval
    from .rows import UndefinedMeasure
    from .sif import sif_average
    from .standard_map import StandardMap
    from .store import ArrayStore
    from .toy import Plane
    from .treated_pairs import scores_by_fit_size, treated_similarities
    from .treatments import Knobs, Treated, Treatment, fit_treatment
    from .twin import ConeEdge, IsotropyReport, Twin, describe, whiten_beside
    from .type_average import type_averages
    from .vectors.errors import VectorFileError
    from .vectors.read import read_vectors
    from .whiten import Whitening
    from .whitening_map import WhiteningMap
    from .whitening_settings import recommended_whitening
    from .word_averages import SentenceVectors, sentence_vectors, words_of
    from .word_counts import rank_counts, read_counts
    from .word_pairs import WordPairVectors, read_word_pairs, word_pair_vectors


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULE_OF])
