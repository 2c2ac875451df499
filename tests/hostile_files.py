"""Real small files of every format that is read, and damaged copies of them."""

import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
from safetensors.numpy import save

from tests.bounded import Attempt
from tests.vector_files import (
    WRITERS,
    arrow_of,
    hdf5_of,
    npy,
    npz,
    parquet_of,
    vecs_of,
    workbook_of,
    zip_of,
)

CORPORA = Path(__file__).resolve().parents[1] / "assets" / "corpora"
LINES = 30
SCARCE = 4  # rounds between two files of formats that another process reads
APART = ("Parquet", "Arrow", "xlsx", "vector set, Parquet", "vector set, Arrow", "vector set, HDF5")
_UTC = re.compile(rb"20\d\d-\d\d-\d\dT[\d:.]+Z")
PIECES = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b'"', b"'", b"\r"),
    *(b"\n\n", b"\t\t\t", b",,,", b"[[[[", b"{", b"}", b"nan", b"-inf", b"1e999999", b"\\ud800"),
    *(b"\xed\xa0\x80", "\u2028".encode(), "𝟗²".encode(), b"_", b"null", b"1_0", b"0x10", b"#"),
)
NUMBERS = (b"0", b"-1", b"99999999999", b"4294967296", b"100000000", b"1e308", b"9" * 5000)


def _rows() -> list[tuple[str, str, str]]:
    lines = (CORPORA / "hard-pairs.csv").read_text(encoding="utf-8").splitlines()
    plain = [line.rsplit(",", 2) for line in lines[1:] if '"' not in line]
    return [(row[0], row[1], row[2]) for row in plain if len(row) == 3][:LINES]


def _table(rows: list[tuple[str, str, str]]) -> pa.Table:
    left, right, score = zip(*rows, strict=True)
    return pa.table({"left": left, "right": right, "score": list(map(float, score))})


def _workbook(rows: Iterable[tuple[str, ...]]) -> bytes:
    """A workbook without the time of writing."""
    with zipfile.ZipFile(io.BytesIO(workbook_of([("text", "label"), *rows]))) as archive:
        return zip_of({name: _UTC.sub(b"", archive.read(name)) for name in archive.namelist()})


def files() -> dict[str, Attempt]:
    pairs = _rows()
    table = "\n".join(map(",".join, [("left", "right", "score"), *pairs])).encode()
    stsb = "\n".join(f"g\tf\ty\t{i}\t{s}\t{a}\t{b}" for i, (a, b, s) in enumerate(pairs)).encode()
    records = [{"sentence1": a, "sentence2": b, "score": float(s)} for a, b, s in pairs]
    jsonl = "\n".join(json.dumps(record) for record in records).encode()
    topics = b"\n".join((CORPORA / "topics.csv").read_bytes().splitlines()[:LINES])
    chinese = b"\n".join((CORPORA / "topics-zh.csv").read_bytes().splitlines()[:LINES])
    words = sorted({word for a, _, _ in pairs for word in re.findall(r"\w+", a)})
    vectors = np.random.default_rng(0).standard_normal((len(words), 5)).astype(np.float32)
    word_pairs = "\n".join(f"{a}\t{b}\t{len(a)}" for a, b in pairwise(words))
    counts = "\n".join(f"{word} {len(word)}" for word in words)
    found = {
        "text": Attempt("corpus", topics, options={"name": "a.txt"}),
        "text, pasted": Attempt("pasted", topics),
        "CSV": Attempt("corpus", topics, options={"name": "a.csv"}),
        "CSV, Chinese": Attempt("preview", chinese, options={"name": "a.csv"}),
        "CSV, Big5": Attempt(
            "corpus", chinese.decode().encode("big5", "ignore"), options={"name": "a.csv"}
        ),
        "CSV of pairs": Attempt("pairs", table, options={"name": "a.csv"}),
        "CSV of pairs, gzip": Attempt("pairs", _gzip(table), options={"name": "a.csv.gz"}),
        "TSV of pairs": Attempt("pairs", table.replace(b",", b"\t"), options={"name": "a.tsv"}),
        "STS-B": Attempt("pairs", stsb, options={"name": "sts-test.csv"}),
        "JSON lines": Attempt("pairs", jsonl, options={"name": "a.jsonl"}),
        "JSON lines, gzip": Attempt("pairs", _gzip(jsonl), options={"name": "a.jsonl.gz"}),
        "Parquet": Attempt("pairs", parquet_of(_table(pairs)), options={"name": "a.parquet"}),
        "Parquet, zstd": Attempt("pairs", parquet_of(_table(pairs), compression="zstd")),
        "Arrow": Attempt("pairs", arrow_of(_table(pairs)), options={"name": "a.arrow"}),
        "word pairs": Attempt("word pairs", word_pairs.encode(), options={"name": "a.txt"}),
        "word counts": Attempt("counts", counts.encode()),
    }
    for name, write in WRITERS.items():
        written = write(words, vectors)
        if name == "gzip":  # the archive contains its time of writing
            written = _gzip(gzip.decompress(written))
        found[f"vectors, {name}"] = Attempt("vectors", written)
    texts = [a for a, _, _ in pairs]
    labels, rows = [text[0] for text in texts], vectors[: len(texts)]
    found["xlsx"] = Attempt("corpus", _workbook(zip(texts, labels, strict=True)))
    found["zip"] = Attempt("corpus", zip_of({f"{i}.txt": text for i, text in enumerate(texts)}))
    of_labels = {"label_column": "label"}
    table_of_vectors = pa.table({"e": rows.tolist(), "text": texts, "label": labels})
    found["vector set, Parquet"] = Attempt(
        "vector set", parquet_of(table_of_vectors), options=of_labels
    )
    for name, how in (("Arrow", {}), ("Arrow, zstd", {"stream": True, "compression": "zstd"})):
        written = arrow_of(table_of_vectors, **how)
        found[f"vector set, {name}"] = Attempt("vector set", written, options=of_labels)
    if find_spec("h5py") is not None:  # an extra
        written = hdf5_of(vectors=rows, text=texts, label=labels)
        found["vector set, HDF5"] = Attempt("vector set", written, options=of_labels)
    found["vector set, fvecs"] = Attempt("vector set", vecs_of(rows))
    archive = npz(True, e=rows, text=np.array(texts), label=np.array(labels))
    found["vector set, npz"] = Attempt("vector set", archive, options=of_labels)
    lines = np.frombuffer("\n".join(labels).encode(), np.uint8)
    found["vector set, safetensors"] = Attempt(
        "vector set",
        save({"e": rows, "label": lines}, metadata={"text": json.dumps(texts)}),
        options=of_labels,
    )
    packed = npz(True, words=np.array(words), vectors=vectors)
    found["vectors, npz, deflated"] = Attempt("vectors", packed)
    found["vectors, npz, gzip"] = Attempt("vectors", _gzip(packed))
    found["vectors, npy"] = Attempt("vectors", npy(vectors))
    return found


def damaged(n: int, seed: int = 0) -> list[Attempt]:
    """n damaged copies, taking the formats in turn; ``kind`` is the format."""
    sources = files()
    rng = random.Random(seed)
    made: list[Attempt] = []
    turn = 0
    while len(made) < n:
        for kind, source in sources.items():
            if kind.startswith(APART) and turn % SCARCE:
                continue
            content = _damaged(source.content, rng, sources)
            made.append(Attempt(source.reader, content, kind, source.options))
        turn += 1
    return made[:n]


def _damaged(content: bytes, rng: random.Random, sources: dict[str, Attempt]) -> bytes:
    """A copy with one to four changes; half of the archives are changed inside."""
    if content.startswith(b"\x1f\x8b") and rng.random() < 0.5:
        return _gzip(_damaged(gzip.decompress(content), rng, sources))
    if content.startswith(b"PK") and rng.random() < 0.5:
        return _zip_of_damaged(content, rng, sources)
    for _ in range(rng.randint(1, 4)):
        change = rng.choice(CHANGES)
        content = change(content, rng) or b" "
    if rng.random() < 0.05:
        other = rng.choice(list(sources.values())).content
        content = content[: len(content) // 2] + other[len(other) // 2 :]
    return content


def _zip_of_damaged(content: bytes, rng: random.Random, sources: dict[str, Attempt]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(written, "w") as new:
        how = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))
        members = old.infolist()
        damaged_one = rng.choice(members)
        for member in members:
            changed = old.read(member)
            if member is damaged_one:
                changed = _damaged(changed, rng, sources)
            new.writestr(zipfile.ZipInfo(member.filename), changed, how)
    return written.getvalue()


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def _place(content: bytes, rng: random.Random) -> int:
    """A random position; half of them lie in the first 200 bytes, where headers are."""
    return rng.randrange(min(len(content), 200) if rng.random() < 0.5 else len(content))


def _flip(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.randint(1, 8)):
        changed[_place(content, rng)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _cut_out(content: bytes, rng: random.Random) -> bytes:
    start = _place(content, rng)
    return content[:start] + content[start + rng.randint(1, 200) :]


def _cut_off(content: bytes, rng: random.Random) -> bytes:
    return content[: _place(content, rng)]


def _double(content: bytes, rng: random.Random) -> bytes:
    start = _place(content, rng)
    end = start + rng.randint(1, 400)
    return content[:end] + content[start:end] * rng.choice((1, 1, 10, 1000)) + content[end:]


def _insert(content: bytes, rng: random.Random) -> bytes:
    start = _place(content, rng)
    piece = rng.choice(PIECES) * rng.choice((1, 1, 3, 20_000))
    return content[:start] + piece + content[start:]


def _noise(content: bytes, rng: random.Random) -> bytes:
    start = _place(content, rng)
    return content[:start] + rng.randbytes(rng.randint(1, 60)) + content[start:]


def _other_number(content: bytes, rng: random.Random) -> bytes:
    numbers = list(re.finditer(rb"\d+", content[:20_000]))
    if not numbers:
        return content
    at = rng.choice(numbers[:5] if rng.random() < 0.5 else numbers)
    return content[: at.start()] + rng.choice(NUMBERS) + content[at.end() :]


CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_flip, _cut_out, _cut_off, _double, _insert, _noise, _other_number),
)
