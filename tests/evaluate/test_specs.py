"""Treatments as short texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geometry.evaluate import parse_treatment
from geometry.evaluate.specs import parse_treatments
from geometry.transform import Knobs
from geometry.transform.treatments import LADDER
from tests.for_each import for_each


@for_each(
    ("spec", "text", "name", "knobs"),
    [
        ("none", "none", "raw", Knobs()),
        ("raw", "none", "raw", Knobs()),
        ("Centered", "centred", "centred", Knobs()),
        ("abtt", "abtt", "removed", Knobs()),
        ("abtt:3", "abtt:3", "removed", Knobs(n_removed=3)),
        ("abtt:0", "abtt:0", "removed", Knobs(n_removed=0)),
        ("pca", "pca", "pca", Knobs()),
        ("pca (full)", "pca", "pca", Knobs()),
        ("zca:full", "zca", "zca", Knobs()),
        ("pca : 128", "pca:128", "pca", Knobs(n_components=128)),
        ("pca:lw", "pca:lw", "pca", Knobs(shrinkage="ledoit-wolf")),
        ("pca:lw:64", "pca:64:lw", "pca", Knobs(n_components=64, shrinkage="ledoit-wolf")),
        ("zca-cor:.25", "zca-cor:0.25", "zca-cor", Knobs(shrinkage=0.25)),
        ("cholesky:lw", "cholesky:lw", "cholesky", Knobs(shrinkage="ledoit-wolf")),
        ("cholesky:12", "cholesky:12", "cholesky", Knobs(n_components=12)),
        ("pca:t.5", "pca:t0.5", "pca", Knobs(strength=0.5)),
        ("zca:lw:t0.5:8", "zca:8:t0.5:lw", "zca", Knobs(1.0, 0.5, 8, "ledoit-wolf")),
        ("clusterwise", "clusterwise", "clusterwise", Knobs()),
        ("ICA", "ica", "ica", Knobs()),
    ],
)
def test_what_is_read(spec, text, name, knobs):
    parsed = parse_treatment(spec)
    assert (parsed.text, parsed.name, parsed.knobs) == (text, name, knobs)
    assert parse_treatment(parsed.text) == parsed


@for_each(
    ("spec", "message"),
    [
        ("", "'' is not known; choose from none, centred"),
        ("whiten", "'whiten' is not known"),
        ("flow", "can't be fitted on vectors alone"),
        ("learned", "needs scored pairs"),
        ("zipf", "zipf needs word counts"),
        ("pca:0", "whole number of directions to keep, as pca:128"),
        ("pca:-3", "whole number of directions"),
        ("pca:1.5", "whole number of directions"),
        ("pca:nan", "whole number of directions"),
        ("pca:12:64", "sets n_components twice"),
        ("pca:lw:.1", "sets shrinkage twice"),
        ("pca:t.5:t.6", "sets strength twice"),
        ("pca:t2", "a strength between 0 and 1"),
        ("centred:t.5", "centred takes none"),
        ("abtt:lw", "the directions to remove, as abtt:3"),
        ("cholesky:0", "share of shrinkage between 0 and 1"),
        ("centred:3", "centred takes none"),
    ],
)
def test_what_is_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        parse_treatment(spec)


def test_the_ladder_is_its_own_shortest_form():
    assert tuple(spec.text for spec in parse_treatments(LADDER)) == LADDER
    assert len(parse_treatments(["pca", "pca (full)", "none", "raw"])) == 2
    with pytest.raises(ValueError, match="no treatment was named"):
        parse_treatments([])


@given(st.text(max_size=12))
def test_a_text_is_a_treatment_or_a_clear_error(text):
    try:
        message, spec = "", parse_treatment(text)
    except ValueError as error:
        message, spec = str(error), parse_treatment("none")
    assert not message or "treatment" in message
    assert parse_treatment(spec.text) == spec
