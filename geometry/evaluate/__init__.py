"""Does it help? Similarities of pairs against human scores, with intervals.

similarities    how alike two vectors are: cosine, dot, Euclidean, Mahalanobis, rank
ranks, bootstrap, scores    Spearman with ties, resamples shared by all that is compared
pair_score      one set of vectors against one set of scores
specs, fitting  treatments as texts; the named set that they are fitted on
grid, cells     layers x poolings x treatments; the best on dev, and its score on test
from_encoder    the grid of an encoder, every text encoded once
from_words      the grid of a table of word vectors, with coverage
word_similarity the same table on pairs of words
subsets         several sets as one: all, mean, wmean
export          a grid as rows, CSV, JSON
"""

from .bootstrap import PairBootstrap
from .cells import Cell, Chosen, Grid, choose_on_dev
from .export import grid_csv, grid_json, grid_rows
from .from_encoder import POOLINGS_SHOWN, encode_distinct, encode_fit, evaluate_encoder, fit_moments
from .from_words import (
    AveragedPairs,
    WordGrid,
    average_pairs,
    evaluate_averages,
    evaluate_words,
)
from .grid import THESE, evaluate_grid
from .pair_score import evaluate_pairs
from .ranks import spearman
from .scores import REASONS, Difference, PairScore
from .similarities import SIMILARITIES, pair_similarities
from .specs import LADDER, TreatmentSpec, parse_treatment
from .subsets import AGGREGATIONS, Aggregate, SubsetBootstrap, aggregate, resamples_of
from .word_similarity import WordPairScore, evaluate_word_pairs
