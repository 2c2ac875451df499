"""Measures of isotropy: arrays in, one float out.

Three different things make a cloud anisotropic and no measure detects all of them: a shift of
the mean (a cone), unequal axes (a low IsoScore), and correlated dimensions.

cosines, cone         a shift of the mean
spectrum, partition   unequal axes
dimensions            unequal dimensions, and correlations between them
axis_shapes           kurtosis and skewness of the columns
neighbours            nearest rows; label agreement, hubness, intrinsic dimension
search                exact nearest rows of a large cloud, and of queries
neighbour_changes     neighbours before and after a treatment
retrieval             recall, nDCG and MRR of queries with known answers
frequency             lengths and neighbours of words by their frequency
context, zipf         tokens in their sentences; words weighted by their frequencies
annotated             measures that need pairs, types, labels or counts, as rows of a table
table                 all measures of one cloud
table_measures        label, value, interval and baseline of each measure of a table
sums                  sums over rows and pairs that the measures of a table share
baselines             the values for isotropic data of the same n and d
intervals             jackknife and subsampling, never the bootstrap
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
