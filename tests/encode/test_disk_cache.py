"""The disk cache: arrays are read back, damaged files are rejected, the size is bounded."""

import errno
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from geometry.encode import disk_cache
from geometry.encode.disk_cache import FOLDER_VARIABLE, SIZE_VARIABLE, ArrayStore
from tests.for_each import for_each

ARRAY = np.arange(300, dtype=np.float32).reshape(20, 15)


@pytest.fixture
def store(tmp_path):
    return ArrayStore(tmp_path / "cache")


def file_of(store: ArrayStore, key: str) -> Path:
    (path,) = store.folder.glob(f"{key}*")
    return path


def size_on_disk(store: ArrayStore) -> int:
    return sum(path.stat().st_size for path in store.folder.iterdir())


def present(store: ArrayStore, keys: str = "abcd") -> str:
    return "".join(key for key in keys if store.has(key))


def test_what_is_written_comes_back_and_replaces(store):
    assert store.read("a") is None
    assert not store.has("a")
    arrays = (ARRAY, ARRAY.astype(np.int64), ARRAY[::2, ::3], np.array([np.nan, np.inf, -0.0]))
    for array in arrays:
        store.write("a", array)
        found = store.read("a")
        np.testing.assert_array_equal(found, array, strict=True)
        assert not found.flags.writeable
        assert present(store) == "a"
        assert len(list(store.folder.iterdir())) == 1


# ---- damaged files ----


@for_each("n_bytes", [0, 31, 32, 33, 160, -1])
def test_a_truncated_file_is_absent_and_removed(store, n_bytes):
    store.write("a", ARRAY)
    path = file_of(store, "a")
    path.write_bytes(path.read_bytes()[:n_bytes])
    assert store.read("a") is None
    assert not path.exists()
    store.write("a", ARRAY)
    np.testing.assert_array_equal(store.read("a"), ARRAY)


# digest, npy magic, npy header, first and last numbers
@for_each("place", [0, 31, 32, 38, 60, 159, 160, 700, -1])
@for_each("bit", [0, 7])
def test_one_flipped_bit_is_absent(store, place, bit):
    store.write("a", ARRAY)
    path = file_of(store, "a")
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.write_bytes(content)
    assert store.read("a") is None
    assert not path.exists()


def test_two_files_that_were_swapped_are_absent(store):
    """Otherwise the page would show the vectors of layer 5 as those of layer 4."""
    store.write("a", ARRAY)
    store.write("b", ARRAY + 1)
    a, b = file_of(store, "a"), file_of(store, "b")
    a.rename(store.folder / "aside")
    b.rename(a)
    (store.folder / "aside").rename(b)
    assert store.read("a") is None
    assert store.read("b") is None


# ---- the size ----


@pytest.fixture
def three(store):
    """Three files a, b, c, used in that order long ago, and a limit of three files."""
    for place, key in enumerate("abc"):
        store.write(key, ARRAY)
        os.utime(file_of(store, key), (10**9 + 60 * place,) * 2)
    return ArrayStore(store.folder, max_bytes=size_on_disk(store))


def test_those_used_longest_ago_are_dropped_and_as_many_as_needed(three):
    assert three.read("a") is not None
    three.write("d", ARRAY)
    assert present(three) == "acd"
    assert three.has("c")  # which is no use of it
    three.write("e", np.tile(ARRAY, (2, 1)))
    assert present(three, "acde") == "de"


@for_each("bound", [1332, 2663, 2664, 5000, 13_320])
def test_the_size_is_within_the_bound_after_every_write(tmp_path, bound):
    store = ArrayStore(tmp_path / str(bound), max_bytes=bound)
    rng = np.random.default_rng(0)
    for turn in range(40):
        store.write(str(turn), ARRAY[: rng.integers(1, 21)])
        assert size_on_disk(store) <= bound


def test_one_that_is_too_large_is_not_stored_and_drops_nothing(three):
    bound = three.max_bytes
    for n_bytes in (bound, bound - 130, bound - 128):  # with digest and header just too large
        three.write("d", np.zeros(n_bytes, dtype=np.uint8))
        assert present(three) == "abc"


def test_threads_that_write_at_once_leave_whole_files(tmp_path):
    store, failures = ArrayStore(tmp_path), []
    versions = [np.full((200, 50), value, dtype=np.float32) for value in range(4)]

    def write_and_read(array):
        try:
            for _ in range(25):
                store.write("shared", array)
                store.write(f"own{array[0, 0]}", array)
                assert len(np.unique(store.read("shared"))) == 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write_and_read, args=(array,)) for array in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert not list(tmp_path.glob("*.part"))
    for array in versions:
        np.testing.assert_array_equal(store.read(f"own{array[0, 0]}"), array)


# ---- folders that fail ----


def full(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


def refused(*args, **kwargs):
    raise PermissionError(errno.EACCES, "Permission denied")


def test_a_folder_that_cannot_be_made_loses_nothing_within_a_bound(tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("a file stands here", encoding="utf-8")
    store = ArrayStore(tmp_path / "taken")
    assert store.failure is None
    array = ARRAY.copy()
    store.write("a", array)
    assert isinstance(store.failure, OSError)
    array[:] = 0  # the store has a copy
    np.testing.assert_array_equal(store.read("a"), ARRAY)
    assert not store.read("a").flags.writeable
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "a file stands here"
    monkeypatch.setattr(disk_cache, "UNWRITTEN_BYTES", 2 * ARRAY.nbytes)
    for key in "bc":
        store.write(key, ARRAY)
    assert present(store) == "bc"


def test_a_full_disk_is_reported_until_a_write_succeeds(store, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        store.write("a", ARRAY)
    assert store.failure.errno == errno.ENOSPC
    np.testing.assert_array_equal(store.read("a"), ARRAY)
    store.write("small", ARRAY[:1])  # there is room for less
    assert store.failure.errno == errno.ENOSPC
    store.write("b", ARRAY)
    assert store.failure is None


def test_a_folder_that_can_only_be_read_is_still_read(three, monkeypatch):
    monkeypatch.setattr(os, "utime", refused)
    monkeypatch.setattr(Path, "unlink", refused)
    np.testing.assert_array_equal(three.read("a"), ARRAY)
    file_of(three, "b").write_bytes(b"short")
    assert three.read("b") is None
    three.write("d", ARRAY)  # and the old ones can't be dropped
    np.testing.assert_array_equal(three.read("d"), ARRAY)


# ---- keys and settings ----


def test_keys_separate_their_parts():
    parts = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ("a", "b", "c")]
    assert len({ArrayStore.key(*some) for some in parts}) == len(parts)
    assert ArrayStore.key("a", 1, -1) == ArrayStore.key("a", 1, -1)
    assert ArrayStore.key("層", 4) != ArrayStore.key("层", 4)


def test_the_folder_and_the_bound_come_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "named"))
    monkeypatch.setenv(SIZE_VARIABLE, "7")
    assert (ArrayStore().folder, ArrayStore().max_bytes) == (tmp_path / "named", 7 * 10**6)
    given = ArrayStore(tmp_path / "given", max_bytes=5)
    assert (given.folder, given.max_bytes) == (tmp_path / "given", 5)
    monkeypatch.delenv(FOLDER_VARIABLE)
    monkeypatch.delenv(SIZE_VARIABLE)
    assert (ArrayStore().folder.name, ArrayStore().max_bytes) == ("narrow-cone", 2048 * 10**6)
    for odd in ("", "lots", "1.5", "0", "-3", "1e3"):
        monkeypatch.setenv(SIZE_VARIABLE, odd)
        with pytest.raises(ValueError, match=f"whole number of megabytes .* got {odd!r}"):
            ArrayStore()


# ---- what is left of processes ----


def test_what_a_killed_process_left_is_swept_and_work_in_progress_is_not(store):
    store.write("a", ARRAY)
    old, new = store.folder / "old.part", store.folder / "new.part"
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (10**9,) * 2)
    for name, age in (("blocks-old", 2 * 24 * 3600), ("blocks-new", 60)):
        (store.folder / name).mkdir()
        (store.folder / name / "mean.npy").write_bytes(b"half")
        for path in (store.folder / name / "mean.npy", store.folder / name):
            os.utime(path, (time.time() - age,) * 2)
    ArrayStore(store.folder).write("b", ARRAY)  # as another process does
    assert not old.exists()
    assert new.exists()
    assert not (store.folder / "blocks-old").exists()
    assert (store.folder / "blocks-new" / "mean.npy").exists()
