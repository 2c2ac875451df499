"""Measures of isotropy: arrays in, one float out.

Three different things make a cloud anisotropic and no measure sees all of them: a shift of
the mean (a cone), unequal axes (a low IsoScore), and correlated dimensions.

cosines, contributions, cone   a shift of the mean;   spectrum, partition   unequal axes
popularity                     hubness, intrinsic dimension, from nearest neighbours
context, zipf                  tokens in their sentences; words under their frequencies
annotated                      these, and alignment of pairs, as rows of a table
isotropic                      what isotropic data of the same n and d give
resample, leave_one_out        intervals: jackknife and subsampling, never the bootstrap
shared, view, listed, table    all measures of one cloud at once, from sums computed once
disagree                       where the tables of two clouds disagree
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
