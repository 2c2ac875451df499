"""The shipped table of published figures."""

import pytest

from geometry.evaluate import published_scores
from geometry.evaluate.published import datasets


def test_scores_of_a_data_set():
    scores = published_scores()
    assert {score.dataset for score in scores} == {"STS-B"}
    found = {(score.table, score.name): score for score in scores}
    assert found["bert_flow_table_5", "SN"].value == 55.46
    assert found["all_minilm_l6_v2", "all-MiniLM-L6-v2"].value == 82.03
    assert found["bert_flow_table_2", "BERTbase last"].setting.startswith("aggregation wmean")
    assert datasets() == ("STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R")
    assert all(published_scores(name) for name in datasets())
    for unknown in ("MNLI", "raw", "orig"):
        with pytest.raises(
            ValueError, match=f"no published scores on '{unknown}'; there are STS12"
        ):
            published_scores(unknown)
