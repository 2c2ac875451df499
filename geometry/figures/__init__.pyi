from .from_arrays import cosine_histogram as cosine_histogram
from .from_arrays import layer_curves as layer_curves
from .from_arrays import score_ladder as score_ladder
from .from_arrays import spectrum as spectrum
from .from_arrays import table_heatmap as table_heatmap
