"""The disk cache: arrays are read back, damaged files are rejected, the size is bounded."""

import errno
import hashlib
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from geometry.encode import disk_cache
from geometry.encode.disk_cache import FOLDER_VARIABLE, SIZE_VARIABLE, ArrayStore

ROOT = Path(__file__).resolve().parents[2]
ARRAY = np.arange(300, dtype=np.float32).reshape(20, 15)


@pytest.fixture
def store(tmp_path):
    return ArrayStore(tmp_path / "cache")


def file_of(store: ArrayStore, key: str) -> Path:
    (path,) = store.folder.glob(f"{key}*")
    return path


def last_used(store: ArrayStore, keys: str) -> None:
    """Date the last use of these keys' files: in this order, a minute apart, long ago."""
    for place, key in enumerate(keys):
        os.utime(file_of(store, key), (10**9 + 60 * place,) * 2)


def size_on_disk(store: ArrayStore) -> int:
    return sum(path.stat().st_size for path in store.folder.iterdir())


@pytest.mark.parametrize(
    "array",
    [
        ARRAY,
        ARRAY.astype(np.float64),
        ARRAY.astype(np.int64),
        np.asfortranarray(ARRAY),
        ARRAY[::2, ::3],
        np.empty((0, 384), dtype=np.float32),
        np.array(3.5),
        np.array([np.nan, np.inf, -0.0]),
    ],
    ids=["float32", "float64", "int64", "fortran", "strided", "empty", "scalar", "nan"],
)
def test_what_is_written_comes_back(store, array):
    store.write("a", array)
    found = store.read("a")
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    np.testing.assert_array_equal(found, array)


def test_absent(store):
    assert store.read("a") is None
    assert not store.has("a")
    store.write("a", ARRAY)
    assert store.has("a")
    assert not store.has("b")


def test_what_is_read_is_read_only(store):
    store.write("a", ARRAY)
    with pytest.raises(ValueError, match="read-only"):
        store.read("a")[0, 0] = 1


def test_writing_again_replaces(store):
    store.write("a", ARRAY)
    store.write("a", ARRAY + 1)
    np.testing.assert_array_equal(store.read("a"), ARRAY + 1)
    assert len(list(store.folder.iterdir())) == 1


def test_objects_are_not_stored(store):
    with pytest.raises(ValueError, match=r"[Oo]bject"):
        store.write("a", np.array([{}, None], dtype=object))
    assert not store.has("a")


def test_the_file_is_a_digest_of_key_and_content_and_an_npy(store):
    store.write("a", ARRAY)
    content = file_of(store, "a").read_bytes()
    assert content[:32] == hashlib.sha256(b"a" + content[32:]).digest()
    assert content[32:38] == b"\x93NUMPY"


def test_only_the_owner_may_read_the_file(store):
    store.write("a", ARRAY)
    assert file_of(store, "a").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("n_bytes", [0, 1, 31, 32, 33, 100, 159, 160, 161, -5, -1])
def test_a_truncated_file_is_absent_and_removed(store, n_bytes):
    store.write("a", ARRAY)
    path = file_of(store, "a")
    path.write_bytes(path.read_bytes()[:n_bytes])
    assert store.read("a") is None
    assert not path.exists()
    store.write("a", ARRAY)
    np.testing.assert_array_equal(store.read("a"), ARRAY)


def test_a_file_that_grew_is_absent(store):
    store.write("a", ARRAY)
    path = file_of(store, "a")
    path.write_bytes(path.read_bytes() + b"\0")
    assert store.read("a") is None


# digest, npy magic, npy header, first and last numbers
@pytest.mark.parametrize("place", [0, 15, 31, 32, 38, 40, 60, 100, 159, 160, 161, 700, -2, -1])
@pytest.mark.parametrize("bit", [0, 7])
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


@pytest.fixture
def three(store):
    """Three files a, b, c, used in that order, and a limit of three files."""
    for key in "abc":
        store.write(key, ARRAY)
    last_used(store, "abc")
    return ArrayStore(store.folder, max_bytes=size_on_disk(store))


def test_the_oldest_is_dropped_first(three):
    three.write("d", ARRAY)
    assert [three.has(key) for key in "abcd"] == [False, True, True, True]


def test_the_oldest_used_and_not_the_oldest_written(three):
    assert three.read("a") is not None
    three.write("d", ARRAY)
    assert [three.has(key) for key in "abcd"] == [True, False, True, True]


def test_checking_for_a_key_is_no_use_of_it(three):
    assert three.has("a")
    three.write("d", ARRAY)
    assert not three.has("a")


def test_as_many_are_dropped_as_needed(three):
    three.write("d", np.tile(ARRAY, (2, 1)))
    assert [three.has(key) for key in "abcd"] == [False, False, True, True]


@pytest.mark.parametrize("bound", [1332, 2663, 2664, 5000, 13_320])
def test_the_size_is_within_the_bound_after_every_write(tmp_path, bound):
    store = ArrayStore(tmp_path, max_bytes=bound)
    rng = np.random.default_rng(0)
    for turn in range(40):
        store.write(str(turn), ARRAY[: rng.integers(1, 21)])
        assert size_on_disk(store) <= bound


def test_ten_processes_that_write_at_once_stay_within_the_bound(tmp_path):
    size, bound = 1000, 150_000
    stores = [ArrayStore(tmp_path, max_bytes=bound) for _ in range(10)]
    largest = 0
    for turn in range(200):
        stores[turn % 10].write(str(turn), np.zeros(size - 160, dtype=np.uint8))  # with its header
        largest = max(largest, size_on_disk(stores[0]))
        assert largest <= bound
    assert largest > bound - 2 * size


def test_the_size_of_the_folder_is_not_read_at_each_write(store, monkeypatch):
    """An encoding writes dozens of arrays, and the folder may contain thousands."""
    readings = []
    monkeypatch.setattr(store, "_evict", lambda: readings.append(ArrayStore._evict(store)))
    for turn in range(50):
        store.write(str(turn), ARRAY)
    assert len(readings) == 1


def test_one_that_is_too_large_is_not_stored_and_drops_nothing(three):
    bound = three.max_bytes
    for n_bytes in (bound, bound - 130, bound - 128):  # with digest and header just too large
        three.write("d", np.zeros(n_bytes, dtype=np.uint8))
        assert [three.has(key) for key in "abcd"] == [True, True, True, False]


def test_a_folder_that_cannot_be_made_loses_nothing(tmp_path):
    (tmp_path / "taken").write_text("a file stands here", encoding="utf-8")
    store = ArrayStore(tmp_path / "taken")
    assert store.failure is None
    array = ARRAY.copy()
    store.write("a", array)
    assert isinstance(store.failure, OSError)
    array[:] = 0  # the store has a copy
    np.testing.assert_array_equal(store.read("a"), ARRAY)
    assert store.has("a")
    assert not store.read("a").flags.writeable
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "a file stands here"


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


def test_memory_for_a_folder_that_cannot_be_written_is_bounded(tmp_path, monkeypatch):
    (tmp_path / "taken").touch()
    store = ArrayStore(tmp_path / "taken")
    monkeypatch.setattr(disk_cache, "UNWRITTEN_BYTES", 2 * ARRAY.nbytes)
    for key in "abc":
        store.write(key, ARRAY)
    assert [store.has(key) for key in "abc"] == [False, True, True]


def full(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


def refused(*args, **kwargs):
    raise PermissionError(errno.EACCES, "Permission denied")


def test_a_folder_that_can_only_be_read_is_still_read(three, monkeypatch):
    monkeypatch.setattr(os, "utime", refused)
    np.testing.assert_array_equal(three.read("a"), ARRAY)


def test_a_damaged_file_that_cannot_be_removed_is_still_absent(three, monkeypatch):
    file_of(three, "a").write_bytes(b"short")
    monkeypatch.setattr(Path, "unlink", refused)
    assert three.read("a") is None


def test_an_old_file_that_cannot_be_dropped_stops_nothing(three, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        three.write("d", ARRAY)
    np.testing.assert_array_equal(three.read("d"), ARRAY)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_nothing_is_left_of_a_write_that_failed(three, monkeypatch, error):
    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(Path, "replace", fail)
    if isinstance(error, OSError):
        three.write("a", ARRAY + 1)
    else:
        with pytest.raises(KeyboardInterrupt):
            three.write("a", ARRAY + 1)
    assert sorted(path.name for path in three.folder.iterdir()) == [
        "a.array",
        "b.array",
        "c.array",
    ]
    np.testing.assert_array_equal(three.read("a"), ARRAY)  # the old file is undamaged


def test_the_name_appears_only_when_the_file_is_whole(store, monkeypatch):
    replaced = []
    replace = Path.replace

    def watched(part, target):
        replaced.append((target.exists(), part.read_bytes()))
        return replace(part, target)

    monkeypatch.setattr(Path, "replace", watched)
    store.write("a", ARRAY)
    assert replaced == [(False, file_of(store, "a").read_bytes())]


def test_threads_that_write_at_once_leave_whole_files(tmp_path):
    store = ArrayStore(tmp_path)
    versions = [np.full((200, 50), value, dtype=np.float32) for value in range(4)]
    failures = []

    def write_and_read(array):
        try:
            for _ in range(25):
                store.write("shared", array)
                store.write(f"own{array[0, 0]}", array)
                found = store.read("shared")
                assert found is not None
                assert len(np.unique(found)) == 1
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


def test_threads_that_evict_at_once_stay_within_the_bound(tmp_path):
    store = ArrayStore(tmp_path, max_bytes=5000)
    failures = []

    def write(name):
        try:
            for turn in range(25):
                store.write(f"{name}{turn}", ARRAY)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    store.write("last", ARRAY)
    assert size_on_disk(store) <= 5000


def test_keys_separate_their_parts():
    parts = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ("a", "b", "c")]
    assert len({ArrayStore.key(*some) for some in parts}) == len(parts)
    assert ArrayStore.key("a", 1, -1) == ArrayStore.key("a", 1, -1)
    assert ArrayStore.key("層", 4) != ArrayStore.key("层", 4)
    assert len(ArrayStore.key()) == 64


def test_the_folder_comes_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "named"))
    assert ArrayStore().folder == tmp_path / "named"
    assert ArrayStore(tmp_path / "given").folder == tmp_path / "given"
    monkeypatch.delenv(FOLDER_VARIABLE)
    assert ArrayStore().folder.name == "narrow-cone"


def test_the_bound_comes_from_the_environment(monkeypatch):
    monkeypatch.delenv(SIZE_VARIABLE, raising=False)
    assert ArrayStore().max_bytes == 2048 * 10**6
    monkeypatch.setenv(SIZE_VARIABLE, "7")
    assert ArrayStore().max_bytes == 7 * 10**6
    assert ArrayStore(max_bytes=5).max_bytes == 5


@pytest.mark.parametrize("given", ["", "lots", "1.5", "0", "-3", "1e3"])
def test_a_bound_that_is_no_number_is_reported(monkeypatch, given):
    monkeypatch.setenv(SIZE_VARIABLE, given)
    with pytest.raises(ValueError) as caught:
        ArrayStore()
    assert str(caught.value) == (
        f"NARROW_CONE_CACHE_MB must be a whole number of megabytes above 0; got {given!r}"
    )


def test_what_a_killed_process_left_is_swept_and_a_write_in_progress_is_not(store):
    store.write("a", ARRAY)
    old, new = store.folder / "old.part", store.folder / "new.part"
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (10**9,) * 2)
    ArrayStore(store.folder).write("b", ARRAY)  # as another process does
    assert not old.exists()
    assert new.exists()


def test_blocks_that_nobody_went_on_with_are_swept(store):
    for name, age in (("blocks-old", 2 * 24 * 3600), ("blocks-new", 60)):
        (store.folder / name).mkdir(parents=True)
        (store.folder / name / "mean.npy").write_bytes(b"half")
        os.utime(store.folder / name / "mean.npy", (time.time() - age,) * 2)
    store.write("a", ARRAY)
    assert not (store.folder / "blocks-old").exists()
    assert (store.folder / "blocks-new" / "mean.npy").exists()


def never() -> None:
    raise AssertionError("nobody else uses the folder")


def test_a_folder_of_one_encoding_is_removed_at_its_end(store):
    with store.own_folder("corpus", 10, never) as folder:
        folder.mkdir()
        (folder / "mean.npy").write_bytes(b"half")
    assert list(store.folder.iterdir()) == []


@pytest.mark.parametrize(("error", "stays"), [(RuntimeError, False), (KeyboardInterrupt, True)])
def test_a_folder_of_one_encoding_stays_only_after_an_interruption(store, error, stays):
    def fail():
        with store.own_folder("corpus", 10, never) as folder:
            folder.mkdir(exist_ok=True)
            raise error

    with pytest.raises(error):
        fail()
    assert (store.folder / "blocks-corpus").exists() is stays
    assert bool(list(store.folder.iterdir())) is stays
    with store.own_folder("corpus", 10, never) as folder:
        assert folder.exists() is stays


def test_a_second_process_waits_for_the_folder_and_may_give_up(store):
    waits = []

    def waiting():
        waits.append(1)
        if len(waits) == 2:
            raise TimeoutError("no more patience")

    def second():
        with (
            pytest.raises(TimeoutError, match="no more patience"),
            other.own_folder("c", 1, waiting),
        ):
            pass

    other = ArrayStore(store.folder)
    with store.own_folder("c", 1, never) as folder:
        folder.mkdir()
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        assert folder.exists()
    assert len(waits) == 2


def test_blocks_larger_than_the_limit_are_refused(tmp_path):
    store = ArrayStore(tmp_path, max_bytes=100)
    with pytest.raises(OSError, match=SIZE_VARIABLE), store.own_folder("c", 101, never):
        pass


def test_blocks_that_were_left_count_and_those_in_use_do_not(three):
    with three.own_folder("used", 10, never) as used:
        for folder in (used, three.folder / "blocks-left"):
            folder.mkdir()
            (folder / "mean.npy").write_bytes(bytes(three.max_bytes - 1))
        three.write("d", ARRAY)
        assert used.exists()
    assert not (three.folder / "blocks-left").exists()
    assert three.has("d")


@pytest.mark.parametrize("years", [-30, 30])
def test_a_clock_that_was_set_wrong_loses_nothing_but_the_order(three, monkeypatch, years):
    now = time.time() + years * 365 * 24 * 3600
    monkeypatch.setattr(time, "time", lambda: now)
    with three.own_folder("used", 10, never) as used:
        used.mkdir()
        (used / "mean.npy").write_bytes(b"half")
        three.write("d", ARRAY)
        assert (used / "mean.npy").exists()  # its lock protects it, whatever its age
    np.testing.assert_array_equal(three.read("d"), ARRAY)
    assert sum(three.has(key) for key in "abcd") == 3
    assert three.failure is None


WRITER = """
import sys
import numpy as np
from geometry.encode.disk_cache import ArrayStore

store = ArrayStore(sys.argv[1])
sys.stdout.write("ready\\n")
sys.stdout.flush()
for round in range(10**9):
    for key in "abc":
        store.write(key, np.full(300_000, round, dtype=np.float32))
"""


@pytest.mark.long
def test_a_process_killed_while_it_writes_leaves_whole_arrays_or_none(store):
    draw, pause, n_whole = random.Random(0), threading.Event(), 0
    for _ in range(10):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(store.folder)], stdout=subprocess.PIPE, cwd=ROOT
        )
        assert writer.stdout.readline() == b"ready\n"
        pause.wait(draw.uniform(0, 0.1))
        writer.kill()
        writer.communicate()
        for key in "abc":
            if (array := store.read(key)) is not None:
                assert array.shape == (300_000,)
                assert (array == array[0]).all()
                n_whole += 1
    assert n_whole > 3
    store.write("d", ARRAY)
    np.testing.assert_array_equal(store.read("d"), ARRAY)
