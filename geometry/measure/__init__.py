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

from ..rows import UndefinedMeasure, unit_rows
from .annotated import Annotations, annotated_table
from .cone import ZERO_MEAN, angles_to_mean, mean_direction, mean_norm_share, opening_angle
from .context import (
    contextual_table,
    intra_sentence_baseline,
    intra_sentence_similarity,
    max_explainable_variance,
    self_similarity,
)
from .contributions import cosine_contributions, top_contribution, top_contribution_baseline
from .cosines import (
    alignment,
    cosine_shares,
    isotropic_angle_spread,
    isotropic_cosine_shares,
    mean_cosine,
    pairwise_cosines,
    positive_cosine_share,
    uniformity,
    uniformity_baseline,
)
from .disagree import disagreements
from .isotropic import isotropic_baselines
from .measured import Measured
from .partition import partition_isotropy
from .popularity import hubness, intrinsic_dimension
from .resample import jackknife_interval, subsampling_interval
from .spectrum import (
    effective_rank,
    isoscore,
    isoscore_baseline,
    participation_baseline,
    participation_ratio,
)
from .table import measure_names, measure_table
from .zipf import (
    zipfian_baselines,
    zipfian_mean_symmetry,
    zipfian_spectral_entropy,
    zipfian_table,
)
