"""The shipped table of published figures, and the data that it was collected from."""

import json
import re

import pytest

from geometry.evaluate import published_scores, published_tables
from geometry.evaluate.published import datasets

TABLES = {table.key: table for table in published_tables()}


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


def test_it_is_what_was_collected(shared_data):
    collected = json.loads(shared_data("../published.json").read_text(encoding="utf-8"))
    for key, table in collected["tables"].items():
        ours = TABLES[key]
        assert (ours.setting, ours.metric) == (table["setting"], table["metric"])
        names, their_names = (
            set(re.findall(r"[A-Z]\w+|\d+", source)) for source in (ours.source, table["source"])
        )
        assert names == their_names
        assert bool(ours.note) == bool(table.get("note"))
        assert list(ours.rows) == list(table["rows"])
        for row, values in table["rows"].items():
            if isinstance(values, dict):
                assert {c: ours.column(c)[row] for c in values} == values
            else:
                assert list(ours.rows[row]) == (values if isinstance(values, list) else [values])
    flow, zipf = collected["bert_flow_table_1"], collected["zipfian_2024"]
    rows = list(TABLES["bert_flow_table_1"].rows.values())
    expected = [flow["mean_l2_norm"], *flow["knn_mean_l2"].values(), *flow["knn_mean_dot"].values()]
    assert list(map(list, rows)) == expected
    assert {k: list(v) for k, v in TABLES["zipfian_2024"].rows.items()} == {
        k: v for k, v in zipf.items() if k not in ("source", "metric", "columns")
    }
    assert list(TABLES["zipfian_2024"].columns) == zipf["columns"]
    # neither its columns nor its rows contain STS-B
    assert "STS-B" not in TABLES["zipfian_2024"].metric
    deep = collected["ethayarajh_2019"]
    for key, name in (("bert", "bert_base"), ("gpt2", "gpt2_first_and_last_two"), ("elmo", "elmo")):
        (values,) = TABLES[f"ethayarajh_{key}"].rows.values()
        assert list(values) == deep[name]
    assert TABLES["all_minilm_l6_v2"].column("STS-B") == {
        "all-MiniLM-L6-v2": collected["all_minilm_l6_v2"]["STS-B"]
    }
