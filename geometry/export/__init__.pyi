from .affine import AffineMap as AffineMap
from .affine import ExportError as ExportError
from .affine import affine_map as affine_map
from .affine import load_transform as load_transform
from .affine import save_transform as save_transform
from .numpy_files import numpy_files as numpy_files
from .onnx_file import onnx_bytes as onnx_bytes
from .sentence_model import write_sentence_model as write_sentence_model
