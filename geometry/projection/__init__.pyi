from .neighbour_maps import place as place
from .plane import Plane as Plane
from .projection import Projection as Projection
from .projection import project as project
from .projection import project_layer as project_layer
from .twin import ConeEdge as ConeEdge
from .twin import Twin as Twin
from .twin import whiten_beside as whiten_beside
