"""Measures of isotropy: arrays in, one float out.

Three different things make a cloud anisotropic and no measure detects all of them: a shift of
the mean (a cone), unequal axes (a low IsoScore), and correlated dimensions.

cosines, cone         a shift of the mean;   spectrum, partition   unequal axes
neighbours            nearest rows; label agreement, hubness, intrinsic dimension
context, zipf         tokens in their sentences; words with their frequencies
annotated             these, and alignment of pairs, as rows of a table
table, listed, sums   all measures of one cloud; the entry of each; the sums that they share
baselines             the values for isotropic data of the same n and d
intervals             jackknife and subsampling, never the bootstrap
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
