"""Two at once: the same rows by another layer, model, treatment or file."""

import re

import numpy as np
import pytest

from geometry import read_bundled
from geometry.data import VectorSet
from geometry.data.pairs import read_bundled_pairs
from pages.common.compare_two import rows_of_pairs
from pages.common.models import USED
from tests.encode.tiny_encoder import save_tiny_bert
from tests.pages.twins import twin_clouds
from tests.pages.visits import brought, everything, healthy, new_visit


def table(app) -> dict[str, float]:
    [text] = [each.value for each in app.markdown if "linear CKA" in each.value]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]
    return {row[0]: float(row[1].split()[0].rstrip("%").replace("−", "-")) for row in rows}


@pytest.mark.model
def test_two_layers_are_linked_aligned_and_compared():
    query = {"first-place": "4", "second-place": "6"}
    app = healthy(new_visit("narrow_cone", {"two": True}, **query).run())
    cloud = twin_clouds(app)["two-clouds"]
    views = cloud.message["views"]
    assert [view["path"] for view in views] == [[0], [0, 1]]  # a film from the first to the second
    assert "layer 4" in views[0]["names"][0]
    assert "layer 6" in views[1]["names"][1]
    values = table(app)
    assert 0.1 < values["neighbours in both lists (Jaccard, k = 10)"] < 0.9
    assert 0 < values["rank correlation of all cosines (Spearman)"] < 1
    assert 0.2 < values["linear CKA"] < 1
    said = everything(app)
    # trained for sentences, the last layer has the better neighbours
    assert re.search(r"\*\*all-MiniLM-L6-v2 · layer 6 [^*]*\*\* is better for topic", said)
    assert "rows shuffled: 0." in said
    treatment = app.selectbox(key="second-treatment")
    treated = table(healthy(treatment.set_value(treatment.options[-1]).run()))
    assert all(abs(treated[name] - value) > 1e-3 for name, value in values.items())


@pytest.mark.model
def test_a_file_of_vectors_with_as_many_rows_can_be_one_of_the_two():
    topics = read_bundled("topics")
    rng = np.random.default_rng(0)
    noise = VectorSet("noise", rng.standard_normal((len(topics), 20), dtype=np.float32))
    state = {"vector-uploads": {"upload-noise": noise}, "two": True, "second-model": "upload-noise"}
    app = healthy(new_visit("narrow_cone", state, point="7").run())
    values = table(app)
    assert values["neighbours in both lists (Jaccard, k = 10)"] < 0.05
    said = everything(app)
    assert re.search(r"\*\*all-MiniLM-L6-v2 [^*]*\*\* is better for topic", said)
    assert "**Lost** (10)" in said
    assert "**Gained** (10)" in said
    assert "upload-" not in str(dict(app.query_params))


@pytest.mark.model
def test_two_models_that_were_chosen_one_after_the_other_are_compared(tmp_path):
    first, second = (str(save_tiny_bert(tmp_path / str(seed), seed=seed)) for seed in (0, 1))
    used = healthy(new_visit("narrow_cone", model=first).run()).session_state[USED]
    state, query = {"two": True, USED: used}, {"model": second, "second-model": first}
    app = new_visit("narrow_cone", state, **query).run()
    assert 0 < table(healthy(app))["linear CKA"] < 1


@pytest.mark.model
def test_the_same_twice_and_a_file_without_spread_are_said():
    same = {"second-place": "4"}
    app = healthy(new_visit("narrow_cone", {"two": True}, **same).run())
    assert "Both are the same." in everything(app)
    flat = VectorSet("flat", np.ones((40, 4), dtype=np.float32))
    state = brought("vector-uploads", "corpus", flat) | {"two": True}
    healthy(new_visit("neighbours", state).run())


def test_pairs_are_found_by_their_texts():
    pairs = read_bundled_pairs("pairs")
    texts = list(pairs.sentences)
    left, right, scores = rows_of_pairs(pairs, texts)
    assert [texts[row] for row in left] == list(pairs.left)
    assert [texts[row] for row in right] == list(pairs.right)
    np.testing.assert_array_equal(scores, pairs.gold_scores)
    assert len(rows_of_pairs(pairs, ["another text"])[2]) == 0
