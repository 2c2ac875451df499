"""Vectors of HDF5 files, such as those of ANN-benchmarks, by blocks of rows; h5py is an extra."""

from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO

import numpy as np

from ..data.decode import HDF5
from ..data.limits import Limits
from . import row_source
from .errors import VectorFileError, refuse_dimensions
from .foreign import SPARSE_HDF5, refuse_foreign
from .row_source import Block, ChosenColumns, Hints, RowSource
from .set_parquet import FIRST_ROWS, damaged, opened_apart

_PLACES = (0, 512, 1024, 2048)  # where it may begin
_CACHE = 64 << 20  # bytes of chunks that are kept, since a block may cross several
_FAULTS = (OSError, RuntimeError, ValueError, KeyError, TypeError)  # of h5py, on a damaged file
_SPARSE = {"data", "indices", "indptr"}  # datasets of a group


def is_hdf5(head: bytes, suffix: str) -> bool:
    return any(head.startswith(HDF5, place) for place in _PLACES)


def open_hdf5(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of one dataset; datasets of one axis are texts and labels."""
    return opened_apart(_Hdf5Table, "hdf5", file, hints)


class _Hdf5Table:
    def __init__(self, source: str | BinaryIO, limits: Limits) -> None:
        try:
            import h5py
        except ImportError as error:
            raise VectorFileError("missing_h5py") from error
        self._limits = limits
        self._sets: dict[str, Any] = {}
        sparse = False

        def take(name: str, found: Any) -> object:
            nonlocal sparse
            if isinstance(found, h5py.Group):
                sparse = sparse or set(found) >= _SPARSE
            # the numbers of others would be read from further files of this machine
            elif not found.external and not found.is_virtual:
                self._sets[name] = found
            return True if len(self._sets) > limits.dimensions + limits.columns else None

        try:
            # by a file that is open: HDF5 itself would open further files beside a path
            file = open(source, "rb") if isinstance(source, str) else source  # noqa: SIM115, PTH123
            self._file = h5py.File(file, "r", rdcc_nbytes=_CACHE)
            if self._file.visititems(take):  # passes over links to other files
                refuse_dimensions(len(self._sets), limits.dimensions)
            found = {name: (each.shape or (), each.dtype) for name, each in self._sets.items()}
        except VectorFileError:
            raise
        except _FAULTS as error:
            raise damaged("hdf5") from error
        # a dataset without rows is no table
        kinds = {
            name: (
                shape,
                "S" if h5py.check_string_dtype(dtype) else dtype.kind if all(shape) else "",
            )
            for name, (shape, dtype) in found.items()
        }
        self._strings = [name for name, (_, kind) in kinds.items() if kind == "S"]
        if sparse and not row_source.tables_among(kinds):
            refuse_foreign(SPARSE_HDF5)
        columns = [
            name
            for name, (shape, kind) in kinds.items()
            if len(shape) == 1 and kind in ("S", "f", "i", "u")
        ]
        self.facts = row_source.facts_of_arrays(kinds, columns)
        first = {name: self._cells(slice(FIRST_ROWS), name).tolist() for name in columns}
        self.facts["ids"] = tuple(name for name in columns if row_source.is_id(name, first[name]))
        self.facts["strings"] = tuple(name for name in columns if name in self._strings)

    def blocks(self, chosen: ChosenColumns) -> Iterator[Block]:
        n, d = self._sets[str(chosen.vector)].shape
        for column in chosen.beside:
            if column is not None and (m := len(self._sets[column])) != n:
                raise VectorFileError("column_length", column=column, n=m, n_vectors=n)
        step = row_source.rows_a_block(d)
        for start in range(0, n, step):
            part = slice(start, start + step)
            yield Block(
                self._cells(part, str(chosen.vector)), chosen.cells(partial(self._texts, part))
            )

    def _texts(self, rows: slice, name: str) -> list[str]:
        most = self._limits.text_characters
        return [str(cell)[:most] for cell in self._cells(rows, name).tolist()]

    def _cells(self, rows: slice, name: str) -> np.ndarray:
        found = self._sets[name]
        try:
            if name in self._strings:
                found = found.asstr("utf-8", "replace")
            return np.asarray(found[rows])
        except _FAULTS as error:
            raise damaged("hdf5") from error
