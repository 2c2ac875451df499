"""Files that may have vectors and are not read: what each is, and the line that converts it."""

import re
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from .errors import VectorFileError

Fits = Callable[[bytes, str], object]  # of a beginning and a suffix in lower case


class Foreign(NamedTuple):
    what: str  # in words, as a sentence quotes it
    command: str  # one line that converts it


def refuse_foreign(foreign: Foreign) -> NoReturn:
    what, command = foreign
    if foreign is PICKLE:
        raise VectorFileError("pickle_file", command=command)
    if foreign is GGUF:
        raise VectorFileError("model_file", command=command)
    if "sparse" in what:
        raise VectorFileError("sparse_file", what=what, command=command)
    raise VectorFileError("foreign", what=what, command=command)


def _saved(expression: str) -> str:
    return f'numpy.save("vectors.npy", {expression})'


TORCH = Foreign("PyTorch file", _saved('torch.load("FILE", weights_only=True).float().numpy()'))
EXCEL = Foreign("workbook of Excel", 'pandas.read_excel("FILE").to_parquet("vectors.parquet")')
SPARSE = Foreign("sparse matrix of SciPy", _saved('scipy.sparse.load_npz("FILE").toarray()'))
SPARSE_HDF5 = Foreign("sparse matrix of HDF5", _saved('anndata.read_h5ad("FILE").X.toarray()'))
_MATRIX_MARKET = Foreign(
    "sparse matrix of Matrix Market",
    _saved('scipy.sparse.csr_array(scipy.io.mmread("FILE")).toarray()'),
)  # fmt: skip
PICKLE = Foreign("pickle", _saved('numpy.asarray(pandas.read_pickle("FILE"))'))
GGUF = Foreign("GGUF model", _saved("model.encode(texts)"))
_FAISS_CODE = re.compile(rb"I[xwvmHMBRNS][A-Za-z0-9]{2}")
_OLD_PICKLE = re.compile(rb"\([ld]p\d+\n|c[\w.]+\n\w+\np\d+\n|[\]}]q\0|ccopy_reg\n")
# PyTorch's files before version 1.6: a pickle that begins with this number
_OLD_TORCH = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
_EXAMPLE = 12  # bytes of a TFRecord before the record


def starts(*beginnings: bytes) -> Fits:
    return lambda head, suffix: head.startswith(beginnings)


def _is_tfrecord(head: bytes, suffix: str) -> bool:
    """A length, its checksum, and a record that is a message of that length in another."""
    length = int.from_bytes(head[:8], "little")
    varint = head[_EXAMPLE + 1 : _EXAMPLE + 6]
    for n, byte in enumerate(varint, start=1):
        if byte < 128:
            inner = sum((each & 127) << 7 * i for i, each in enumerate(varint[:n]))
            return head[_EXAMPLE : _EXAMPLE + 1] == b"\n" and 1 + n + inner == length
    return False


def _is_pickle(head: bytes, suffix: str) -> bool:
    return (head[:1] == b"\x80" and head[1:2] in b"\2\3\4\5") or bool(_OLD_PICKLE.match(head))


FOREIGN: tuple[tuple[Fits, Foreign], ...] = (
    (lambda head, _: _FAISS_CODE.match(head) and b"\0" in head[:64], Foreign(
        "FAISS index",
        _saved('(index := faiss.read_index("FILE")).reconstruct_n(0, index.ntotal)'),
    )),
    (starts(_OLD_TORCH), TORCH),
    (_is_pickle, PICKLE),
    (starts(b"%%MatrixMarket"), _MATRIX_MARKET),
    (_is_tfrecord, Foreign(
        "TFRecord file",
        _saved(
            '[tf.train.Example.FromString(each).features.feature["embedding"].float_list.value '
            'for each in tf.data.TFRecordDataset("FILE").as_numpy_iterator()]'
        ),
    )),
    (lambda head, suffix: suffix == ".lance", Foreign(
        "Lance file", 'lance.dataset("FOLDER").to_table().to_pandas().to_parquet("vectors.parquet")'
    )),
    (starts(b"GGUF"), GGUF),
    (starts(b"FEA1"), Foreign(
        "first version of Feather", 'pandas.read_feather("FILE").to_parquet("vectors.parquet")'
    )),
    (starts(b"ORC"), Foreign("ORC file", 'pandas.read_orc("FILE").to_parquet("vectors.parquet")')),
    (starts(b"Obj\x01"), Foreign(
        "Avro file",
        'pandas.DataFrame(fastavro.reader(open("FILE", "rb"))).to_parquet("vectors.parquet")',
    )),
    (starts(b"SQLite format 3"), Foreign(
        "SQLite database",
        'pandas.read_sql("select * from TABLE", sqlite3.connect("FILE"))'
        '.to_parquet("vectors.parquet")',
    )),
    (starts(b"MATLAB 7.3"), Foreign("MATLAB file", _saved('h5py.File("FILE")["X"][()].T'))),
    (starts(b"MATLAB "), Foreign("MATLAB file", _saved('scipy.io.loadmat("FILE")["X"]'))),
    (starts(b"RDX", b"X\n\0\0\0"), Foreign(
        "R data file", 'write.csv(x, "vectors.csv", row.names = FALSE)'
    )),
    (starts(b"\xd0\xcf\x11\xe0"), Foreign("old Office document", EXCEL.command)),
    (starts(b"BZh"), Foreign("bzip2 archive", "bunzip2 FILE")),
    (starts(b"\xfd7zXZ"), Foreign("xz archive", "unxz FILE")),
    (starts(b"\x28\xb5\x2f\xfd"), Foreign("Zstandard archive", "unzstd FILE")),
    (lambda head, _: head[257:262] == b"ustar", Foreign("tar archive", "tar xf FILE")),
)  # fmt: skip
