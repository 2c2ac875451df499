"""Does it help? Similarities of pairs against human scores, with intervals.

similarities  cosine, dot product, Euclidean, Mahalanobis and rank similarity of two vectors
ranks         ranks with ties, Spearman, how far ranks move
bootstrap     the score of one set of pairs; the resamples that all scores share
subsets       one score of several subsets: all, mean, wmean
specs         treatments as short texts: "pca:128"
fitting       the set that treatments are fitted on
grid          layers x poolings x treatments
best_cell     the best cell chosen on dev, or on half of the pairs
fit_size      scores and isotropy by the number of rows in the fit
from_encoder  the grid of an encoder
from_words    the grid of a table of word vectors; pairs of words
claims        does a narrower cone score worse? how much of the gap to GloVe is pooling?
published     figures of papers, with source and setting
rank_lesson   made-up scores: Spearman against Pearson
export        a grid as rows, CSV and JSON
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
