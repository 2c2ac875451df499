"""Small files that would exhaust memory or time: readers refuse each within 1 GB and 10 s.

``test_fuzz`` reads these files.
"""

import gzip
import io
import json
import struct
import zipfile
from collections.abc import Callable

import numpy as np
import openpyxl
import pyarrow as pa
from pyarrow import parquet
from safetensors.numpy import save

from tests.bounded import Attempt
from tests.vector_files import npz, parquet_of, workbook_of, zip_of


def dictionaries() -> bytes:
    """5,000 rows that share one text of 1 MB."""
    rows = pa.array(np.zeros(5000, np.int32))
    text = pa.DictionaryArray.from_arrays(rows, ["x" * 10**6])
    return parquet_of(pa.table({"left": text, "right": text, "score": [1.0] * 5000}))


def prefixes() -> bytes:
    """200 rows; each repeats the 1 MB before it."""
    text = pa.array(["x" * 10**6] * 200)
    return parquet_of(
        pa.table({"left": text, "right": text, "score": [1.0] * 200}),
        use_dictionary=False,
        column_encoding={"left": "DELTA_BYTE_ARRAY", "right": "DELTA_BYTE_ARRAY"},
    )


def zeros(n: int, header: bytes = b"") -> bytes:
    """A gzipped file of n zero bytes after a header."""
    return gzip.compress(header) + gzip.compress(bytes(10**7)) * (n // 10**7)


def safetensors_of(n: int, **tensors) -> bytes:
    header = json.dumps(
        {"vectors": {"dtype": "F32", "shape": [n // 4, 1], "data_offsets": [0, n]}, **tensors}
    ).encode()
    return struct.pack("<Q", len(header)) + header


def npz_of_zeros(n: int) -> bytes:
    """An archive whose arrays have n rows of one number, and n words."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, dtype, shape in (("vec", "<f2", f"({n}, 1)"), ("words", "|S1", f"({n},)")):
            head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
            head = head.ljust(117) + "\n"
            with archive.open(f"{name}.npy", "w") as member:
                member.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
                for _ in range(n * np.dtype(dtype).itemsize // 10**6):
                    member.write(bytes(10**6))
    return written.getvalue()


def npz_of_long_words(n: int, width: int) -> bytes:
    """An archive of n words with an emoji each: every character takes four bytes in memory."""
    words = np.full(n, "😀".encode() + b"w" * (width - 4))
    return npz(True, vec=np.zeros((n, 1), np.float16), words=words)


def many_members() -> bytes:
    """The directory of an archive of 1,000,000 empty members."""
    entry = b"PK\x01\x02" + bytes(24) + struct.pack("<H", 1) + bytes(16) + b"a"
    directory = entry * 10**6
    end = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 65535, 65535, len(directory), 4, 0)
    return b"PK\x03\x04" + directory + end


def npy_of(descr: str, shape: str) -> bytes:
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()


def wide_zeros(n: int, d: int) -> bytes:
    """n vectors of d zeros, which take almost nothing in the file."""
    written = io.BytesIO()
    schema = pa.schema([("e", pa.list_(pa.float32(), d))])
    step = max(1, 10**7 // d)
    with parquet.ParquetWriter(written, schema, compression="zstd") as out:
        for start in range(0, n, step):
            m = min(step, n - start)
            values = pa.array(np.zeros(m * d, np.float32))
            rows = pa.FixedSizeListArray.from_arrays(values, d)
            out.write_table(pa.table({"e": rows}, schema=schema))
    return written.getvalue()


def far_cell() -> bytes:
    """A workbook whose only cells are the first and the last that a sheet can have."""
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "a", "b"
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def texts_beside(text: pa.Array, **options) -> bytes:
    """Vectors of two numbers, each with a text."""
    e = pa.FixedSizeListArray.from_arrays(pa.array(np.ones(2 * len(text), np.float32)), 2)
    return parquet_of(pa.table({"e": e, "text": text}), **options)


def longer_vectors() -> bytes:
    """A first vector of one number, and 20,000 of 50,000."""
    written = io.BytesIO()
    schema = pa.schema([("e", pa.list_(pa.float32()))])
    with parquet.ParquetWriter(written, schema, compression="zstd") as out:
        out.write_table(pa.table({"e": [[0.0]]}, schema=schema))
        ends = pa.array(np.arange(0, 101 * 50_000, 50_000, dtype=np.int32))
        rows = pa.ListArray.from_arrays(ends, pa.array(np.zeros(100 * 50_000, np.float32)))
        for _ in range(200):
            out.write_table(pa.table({"e": rows}, schema=schema))
    return written.getvalue()


def labels_of(content: bytes) -> bytes:
    """A gzipped safetensors file of two vectors with a tensor of labels."""
    labels = np.frombuffer(content, np.uint8)
    return gzip.compress(save({"vectors": np.ones((2, 2), np.float32), "labels": labels}), 1)


def npz_of_labels(labels: np.ndarray) -> bytes:
    return npz(True, vec=np.ones((len(labels), 1), np.int8), labels=labels)


def workbook_with(**parts: str) -> bytes:
    """A workbook of one cell, with other content in some parts."""
    with zipfile.ZipFile(io.BytesIO(workbook_of([["a"]]))) as old:
        members = {name: old.read(name) for name in old.namelist()}
    if "sharedStrings" in parts:
        types = members["[Content_Types].xml"]
        members["[Content_Types].xml"] = types.replace(b"</Types>", SHARED + b"</Types>")
    for name, content in parts.items():
        members[f"xl/worksheets/{name}.xml" if name == "sheet1" else f"xl/{name}.xml"] = content
    return zip_of(members)


SHARED = (
    b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/'
    b'vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>'
)
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def many_styles() -> bytes:
    """A workbook whose cells could have 3,500,000 styles."""
    return workbook_with(
        styles=f"<styleSheet {MAIN}><cellXfs>{'<xf/>' * 3_500_000}</cellXfs></styleSheet>"
    )


def many_sheets() -> bytes:
    """A workbook of 200,000 sheets, which all are one file."""
    sheets = "".join(f'<sheet name="{i}" sheetId="{i}" r:id="rId1"/>' for i in range(1, 200_001))
    return workbook_with(
        workbook=f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets>{sheets}</sheets></workbook>'
    )


def shared_strings(strings: str, n_cells: int) -> bytes:
    """A workbook whose cells all are the first of its shared strings."""
    rows = '<row><c t="s"><v>0</v></c></row>' * n_cells
    return workbook_with(
        sharedStrings=f"<sst {MAIN}>{strings}</sst>",
        sheet1=f"<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>",
    )


def merged_cells() -> bytes:
    """A workbook of 20,000 rows, and 50,000 merged cells that all have these rows."""
    rows = '<row><c t="str"><v>a</v></c></row>' + "<row><c/><c><v>1</v></c></row>" * 20_000
    merged = '<mergeCell ref="A1:A20000"/>' * 50_000
    return workbook_with(
        sheet1=f"<worksheet {MAIN}><sheetData>{rows}</sheetData>"
        f"<mergeCells>{merged}</mergeCells></worksheet>"
    )


def with_metadata(n: int, metadata: bytes, name: str = "metadata.tsv") -> Attempt:
    vectors = npy_of("|i1", f"({n}, 1)") + bytes(n)
    return Attempt("vector set", vectors, options={"metadata": metadata, "metadata_name": name})


WIDE = b"".join(b"%x" % i + b" 1 2" * 8_000 + b"\n" for i in range(9))
NUMBERS = b" 1" * 10**6 + b"\n"


def bomb(reader: str, make: Callable[[], bytes], **options: object) -> Callable[[], Attempt]:
    return lambda: Attempt(reader, make(), options=options)


ATTEMPTS = {  # each file is made when it is used
    # a large stated dimension, and lines of that length
    "stated dimension": bomb("vectors", lambda: b"2 100000000\na 1 2 3\nb 1 2 3\n"),
    "stated dimension, binary": bomb("vectors", lambda: b"2 100000000\na \0\0\0\0\0"),
    "stated rows": bomb("vectors", lambda: b"99999999999 2\na " + bytes(8)),
    "numbers a line": bomb("vectors", lambda: b"a" + NUMBERS + b"b" + NUMBERS),
    "numbers in one line": bomb("vectors", lambda: b"a" + b" 1" * (2 * 10**7)),
    # a picture's memory grows with the square of this number
    "numbers a word": bomb("drawn vectors", lambda: WIDE),
    # dictionaries and prefixes of Parquet
    "Parquet, dictionaries": bomb("pairs", lambda: dictionaries()),
    "Parquet, prefixes": bomb("pairs", lambda: prefixes()),
    # small archives that unpack to much more
    "gzip, safetensors": bomb("vectors", lambda: zeros(2 * 10**9, safetensors_of(2 * 10**9))),
    "gzip, header": bomb("vectors", lambda: zeros(2 * 10**9, struct.pack("<Q", 10**8) + b"{")),
    "gzip, text": bomb("vectors", lambda: gzip.compress(b"a 1\n" * 2 * 10**6) * 50),
    "gzip, binary": bomb("vectors", lambda: zeros(2 * 10**9, b"900000000 100\n")),
    "gzip, pairs": bomb("pairs", lambda: zeros(10**9)),
    "npz, rows": bomb("vectors", lambda: npz_of_zeros(4 * 10**7)),
    "npz, members": bomb("vectors", lambda: many_members()),
    "safetensors, header": bomb(
        "vectors", lambda: struct.pack("<Q", 4 * 10**7) + b"{" + b'"":[],' * 7 * 10**6
    ),
    "safetensors, words": bomb(
        "vectors",
        lambda: save(
            {
                "vectors": np.zeros((5 * 10**7, 1), np.float16),
                "words": np.full(5 * 10**7, 10, np.uint8),
            }
        ),
    ),
    # columns
    "100,000 columns": bomb(
        "preview", lambda: b"a," * 10**5 + b"a\n" + b"1," * 10**5 + b"1\n", name="a.csv"
    ),
    "1,000,000 columns": bomb("pairs", lambda: b"," * 10**6 + b"\n" + b"," * 10**6 + b"x\n"),
    "tabs": bomb("pairs", lambda: (b"g\tf\ty\t1\t4.5\ta\tb" + b"\t" * 2 * 10**7 + b"\n") * 2),
    "300 columns": bomb("preview", lambda: (b"a b," * 299 + b"a\n") * 20_000, name="a.csv"),
    # keys
    "keys": bomb(
        "pairs", lambda: b"".join(b'{"%d":1}\n' % i for i in range(100_000)), name="a.jsonl"
    ),
    "nested": bomb("pairs", lambda: b"[" * 10**6 + b"\n", name="a.jsonl"),
    "nested, wide": bomb(
        "pairs", lambda: b'{"a":[' + b"[]," * 15 * 10**6 + b"[]]}\n", name="a.jsonl"
    ),
    "empty lists": bomb(
        "pairs", lambda: (b'{"left":[' + b"[]," * 650_000 + b"[]]}\n") * 25, name="a.jsonl"
    ),
    "300 keys": bomb(
        "pairs",
        lambda: (json.dumps({f"k{i}": "" for i in range(300)}).encode() + b"\n") * 12_000,
        name="a.jsonl",
    ),
    # documents of JSON
    "document of records": bomb(
        "pairs", lambda: b"[" + b'{"a":1},' * 6 * 10**6 + b"{}]", name="a.json"
    ),
    "document of texts": bomb(
        "corpus", lambda: b"[" + b'"ab",' * 9 * 10**6 + b'"c"]', name="a.json"
    ),
    "document of numbers": bomb(
        "vector set", lambda: b"[[" + b"1," * 24 * 10**6 + b"1]]", name="a.json"
    ),
    "document of keys": bomb(
        "vector set",
        lambda: b'{"a":1' + b"".join(b',"%x":[1,2]' % i for i in range(10**6)) + b"}",
        name="a.json",
    ),
    # lines
    "lines of words": bomb("word pairs", lambda: b"a b 1\n" * 8 * 10**6),
    "lines of STS-B": bomb("pairs", lambda: b"g\tf\ty\t1\t4.5\ta\tb\n" * 3 * 10**6),
    "lines of counts": bomb("counts", lambda: b"".join(b"%x 1\n" % i for i in range(5 * 10**6))),
    "blank lines": bomb("corpus", lambda: b"a b\n" + b"\n" * 45 * 10**6),
    "short lines": bomb("corpus", lambda: b"a\n" * 24 * 10**6),
    "short rows": bomb("corpus", lambda: b"a,b\n" * 12 * 10**6, name="a.csv"),
    "wide characters": bomb("corpus", lambda: "😀".encode() + b" a b\n" * 9 * 10**6),
    "no encoding fits": bomb("corpus", lambda: b"\x80 a \x81\xff b\n" * 5 * 10**6),
    "legacy encoding": bomb("corpus", lambda: "naïve café\n".encode("cp1252") * 4 * 10**6),
    # archives that unpack to nothing, or to words as long as pages
    "gzip, empty members": bomb("vectors", lambda: gzip.compress(b"") * 10**7),
    "gzip, name": bomb("pairs", lambda: b"\x1f\x8b\x08\x08" + bytes(6) + b"a" * 40 * 10**6),
    # sets of vectors, archives of texts, sheets
    "set, stated shape": bomb("vector set", lambda: npy_of("<f4", f"({10**12}, 4)")),
    "set, nested header": bomb("vector set", lambda: npy_of("<f4", "(" * 9_000)),
    "set, npz": bomb("vector set", lambda: npz_of_zeros(4 * 10**7)),
    "set, npz, members": bomb("vector set", lambda: many_members()),
    "set, safetensors": bomb("vector set", lambda: safetensors_of(2 * 10**9)),
    "set, gzip": bomb("vector set", lambda: zeros(2 * 10**9, safetensors_of(2 * 10**9))),
    "set, columns": bomb("vector set", lambda: b"1," * 10**6 + b"1\n" + b"2," * 10**6 + b"2\n"),
    "set, one line": bomb("vector set", lambda: b"1.5 " * 4 * 10**7),
    "set, nested": bomb("vector set", lambda: b'{"v":' + b"[" * 10**6 + b"\n"),
    "set, keys": bomb(
        "vector set", lambda: b"".join(b'{"%d":1}\n' % i for i in range(100_000)), name="a.jsonl"
    ),
    "set, empty lists": bomb(
        "vector set", lambda: (b'{"v":[' + b"[]," * 600_000 + b"[]]}\n") * 25, name="a.jsonl"
    ),
    "set, Parquet of zeros": bomb("vector set", lambda: wide_zeros(10**6, 384)),
    "set, Parquet, long vectors": bomb("vector set", lambda: wide_zeros(20, 2 * 10**7)),
    "set, Parquet, longer vectors": bomb("vector set", lambda: longer_vectors()),
    "set, Parquet, dictionaries": bomb(
        "vector set",
        lambda: texts_beside(
            pa.DictionaryArray.from_arrays(np.zeros(5000, np.int32), ["x" * 10**6])
        ),
    ),
    "set, Parquet, prefixes": bomb(
        "vector set",
        lambda: texts_beside(
            pa.array(["x" * 10**6] * 1000),
            use_dictionary=False,
            column_encoding={"text": "DELTA_BYTE_ARRAY"},
        ),
    ),
    "set, Parquet, texts in many rows": bomb(
        "vector set",
        lambda: texts_beside(
            pa.DictionaryArray.from_arrays(np.zeros(100_000, np.int32), ["x" * 50_000])
        ),
    ),
    "set, labels, nested": bomb(
        "vector set", lambda: labels_of(b"[" + b"[]," * 6 * 10**7 + b"[]]"), label_column="labels"
    ),
    "set, labels, lines": bomb(
        "vector set", lambda: labels_of(b"\n" * 19 * 10**7), label_column="labels"
    ),
    "set, labels, long": bomb(
        "vector set",
        lambda: npz_of_labels(np.full(2_000, "\U0001f600" * 45_000)),
        label_column="labels",
    ),
    "set, labels, many": bomb(
        "vector set", lambda: npz_of_labels(np.full(10**8, b"a")), label_column="labels", sample=100
    ),
    "set, metadata, columns": lambda: with_metadata(2, b"\t" * 4 * 10**7 + b"\n"),
    "set, metadata, rows": lambda: with_metadata(2, b"\n" * 4 * 10**7 + b"a"),
    "set, metadata, short rows": lambda: with_metadata(10**6, b"a" + b"\t" * 299 + b"\n" * 10**6),
    "set, metadata, cells": lambda: with_metadata(150_000, (b"\t" * 299 + b"a\n") * 150_000),
    "set, metadata, commas": lambda: with_metadata(2, b"," * 4 * 10**7 + b"\n", "metadata.csv"),
    "sheet, styles": bomb("corpus", lambda: many_styles()),
    "sheet, merged cells": bomb("corpus", lambda: merged_cells()),
    "sheet, 200,000 sheets": bomb("corpus", lambda: many_sheets()),
    "sheet, long shared string": bomb(
        "corpus", lambda: shared_strings("<si><t>" + "x" * 10**6 + " </t></si>", 100_000)
    ),
    "sheet, shared strings": bomb("corpus", lambda: shared_strings("<si/>" * 8 * 10**6, 1)),
    "zip, members": bomb("corpus", lambda: many_members()),
    "sheet, far cell": bomb("corpus", lambda: far_cell()),
    "npz, long words": bomb("vectors", lambda: npz_of_long_words(8_192, 20_000)),
}
