"""Packed clouds: the browser reads what was packed, to within an invisible difference."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geometry.projection.packing import FINEST, pack_cloud, pack_codes, unpack_cloud, unpack_rows
from tests.for_each import for_each


def unpacked(message: bytes) -> tuple[dict, list[np.ndarray]]:
    """The head, and each array as numbers of the picture, decoded by hand as in decode.js."""
    length = int.from_bytes(message[:4], "little")
    head = json.loads(message[4 : 4 + length])
    assert length % 4 == 0
    at, arrays = 4 + length, []
    for about in head.get("frames", [{"type": "u1" if head.get("kind") == "codes" else "u2"}]):
        count = head["n"] * head.get("k", 1)
        stored = np.frombuffer(message, f"<{about['type']}", count, at).reshape(
            head["n"], head.get("k", 1)
        )
        at += -(-stored.nbytes // 4) * 4
        arrays.append(stored * about.get("step", 1) + about.get("low", 0))
    assert at == len(message)
    return head, arrays


@for_each("k", [2, 3])
@for_each("n", [0, 1, 7, 500])
def test_places_arrive_within_half_a_step(n, k):
    rng = np.random.default_rng(n)
    frames = [rng.normal(size=(n, k)) * scale for scale in (1, 5)]
    message = pack_cloud(frames, 4.0)
    head, arrays = unpacked(message)
    np.testing.assert_array_equal(arrays, unpack_cloud(message))
    assert (head["n"], head["k"]) == (n, k)
    for frame, array, about in zip(frames, arrays, head["frames"], strict=True):
        assert about["type"] == "u2"
        assert np.abs(frame - array).max(initial=0) <= max(about["step"]) / 2 * (1 + 1e-9)
        assert max(about["step"]) <= 4.0 / FINEST


def test_a_far_point_makes_none_coarse_and_a_hundred_thousand_keep_to_the_budget():
    frame = np.random.default_rng(0).normal(size=(50, 3))
    frame[0] = 1e6
    head, [array] = unpacked(pack_cloud([frame], 3.0))
    assert head["frames"][0]["type"] == "f4"
    assert array == pytest.approx(frame, rel=1e-6)
    frame = np.random.default_rng(0).normal(size=(100_000, 3))
    two, three = (len(pack_cloud([frame] * count, 3.0)) for count in (2, 3))
    assert two < 2e6 - 200_000  # the rest of the budget is for colours
    assert three - two < 0.7e6


@for_each("broken", [np.nan, np.inf])
def test_what_is_no_number_is_refused_by_picture_and_row(broken):
    frame = np.zeros((4, 3))
    frame[2, 1] = broken
    with pytest.raises(ValueError, match="picture 1: point 2"):
        pack_cloud([np.zeros((4, 3)), frame], 1.0)


def test_codes_and_values():
    _, [codes] = unpacked(pack_codes(np.array([3, 0, 23])))
    assert codes.ravel().tolist() == [3, 0, 23]
    values = np.array([1.5, -2.0, 7.25])
    head, [steps] = unpacked(pack_codes(values))
    found = head["low"] + (head["high"] - head["low"]) * steps.ravel() / 65535
    assert found == pytest.approx(values, abs=1e-3)
    with pytest.raises(ValueError, match="codes must lie"):
        pack_codes(np.array([300]))
    head, [steps] = unpacked(pack_codes(np.array([1.0, 1.0, 3.0]), np.array([True, False, False])))
    assert head["hasMissing"]
    assert steps.ravel().tolist() == [0, 1, 65535]


@given(st.sets(st.integers(0, 99)))
def test_both_forms_of_a_selection_are_read(rows):
    wanted = sorted(rows)
    flags = np.zeros(104, dtype=bool)
    flags[wanted] = True
    bits = base64.b64encode(np.packbits(flags, bitorder="little")).decode()
    few = base64.b64encode(np.array(wanted, "<u4").tobytes()).decode()
    assert unpack_rows(f"bits:{bits}", 100).tolist() == wanted
    assert unpack_rows(f"rows:{few}", 100).tolist() == wanted


@for_each(
    "text",
    ["", "bits:", "bits:////", "rows:ZAAAAA==", "rows:AAA=", "rows:?", "all:AAAA", "bits:AAAQAA=="],
)
def test_a_selection_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="selection"):
        unpack_rows(text, 20)
