from .by_layer import project_layers as project_layers
from .placing import place as place
from .projection import Projection as Projection
from .projection import project as project
from .toy import Plane as Plane
from .twin import ConeEdge as ConeEdge
from .twin import Twin as Twin
from .twin import whiten_beside as whiten_beside
