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

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
