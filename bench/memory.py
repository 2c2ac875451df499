"""Peak memory while a large corpus is encoded by blocks into files, in a separate process."""

import sys
import tempfile
from time import perf_counter

from bench.child import peak_bytes, printed_by
from bench.encode import sentences
from bench.table import Row

SENTENCES = 20_000
LIMIT = 2.5  # GB


def main() -> list[Row]:
    """The peak is the operating system's figure; it includes libraries and weights."""
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        peak, on_disk = (int(size) / 1e9 for size in printed_by("bench.memory", folder))
        seconds = perf_counter() - start
    return [
        Row(
            name=f"peak memory: {SENTENCES:,} sentences, all layers, cls and mean, by blocks",
            ours=peak,
            unit="GB",
            target=f"{LIMIT:g} GB or less",
            met=peak <= LIMIT,
            note=f"{on_disk:.2f} GB of vectors on disk, in {seconds:.0f} s",
        )
    ]


def encode(folder: str) -> None:
    from geometry import load_encoder
    from geometry.encode.blocks import encode_to_files

    files = encode_to_files(load_encoder(), sentences(SENTENCES), folder)
    print(peak_bytes(), sum(array.nbytes for array in files.values()))


if __name__ == "__main__":
    encode(sys.argv[1])
