"""The folded part on independent axes: pictures, their words, the table and the download."""

import numpy as np
import pytest

from pages.whitening.named_axes import SHOWN, WORDS, axes_csv, glove_axes
from tests.pages.charts import array, charts
from tests.pages.visits import everything, healthy, new_visit, rows_of

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]


def test_the_part_shows_both_kinds_of_axes_named_by_their_words():
    query = {"third": "none", "fourth": "none"}
    app = healthy(new_visit("whitening", {"independent": True}, **query).run())
    drawn = charts(app)
    own = {}
    for name in ("independent", "principal"):
        chart = drawn[f"whitening-{name}-axes"]
        z = array(chart["figure"]["data"][0]["z"]).reshape(SHOWN * WORDS, SHOWN)
        words = chart["figure"]["layout"]["yaxis"]["ticktext"]
        assert all(word in chart["alt"] for word in words)
        own[name] = z[np.repeat(np.eye(SHOWN, dtype=bool), WORDS, axis=0)].mean()
    assert own["independent"] > 0.6 > 0.4 > own["principal"]
    assert {"sauce", "salad"} <= set(
        drawn["whitening-independent-axes"]["figure"]["layout"]["yaxis"]["ticktext"]
    )
    assert "| Random axes |" in everything(app)

    found = glove_axes()
    rows = rows_of(axes_csv(found))
    assert len(rows) == 2 * 100 * 10
    first = rows[0]
    assert (first["basis"], first["axis"], first["rank"]) == ("independent", "1", "1")
    assert first["word"] == found.words[found.bases["independent"].top(0, 1)[0]]
