from .clusters import Agreement as Agreement
from .clusters import Clusters as Clusters
from .clusters import cluster_agreement as cluster_agreement
from .clusters import cluster_words as cluster_words
from .clusters import clusters_by_chance as clusters_by_chance
from .clusters import find_clusters as find_clusters
from .filters import Condition as Condition
from .filters import rows_kept as rows_kept
