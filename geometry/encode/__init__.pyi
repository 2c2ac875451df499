from .blocks import encode_to_files as encode_to_files
from .cloud import Cloud as Cloud
from .cloud import read_cloud as read_cloud
from .encoder import Encoder as Encoder
from .load import load_encoder as load_encoder
from .store import ArrayStore as ArrayStore
from .tokens import Coverage as Coverage
