from .blocks import encode_to_files as encode_to_files
from .cloud import Cloud as Cloud
from .cloud import read_cloud as read_cloud
from .disk_cache import ArrayStore as ArrayStore
from .encoder import Encoder as Encoder
from .load import load_encoder as load_encoder
from .sentence_modules import module_vectors as module_vectors
from .tokenizer import Coverage as Coverage
