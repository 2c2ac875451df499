"""Clusters of a picture: colours, the folded part with its control, the table of members."""

import csv
import io

import numpy as np
import pytest

from geometry import Corpus
from geometry.encode import Cloud
from pages.common.corpus_cloud import OF_VECTORS, CorpusCloud
from pages.common.explore_panel import _csv, cluster_colours, cluster_names, named_clusters
from tests.pages.twins import twin_clouds
from tests.pages.visits import everything, healthy, new_visit

TEXTS = ("the guitar string", "a piano and a guitar", "the jury heard", "a witness and the jury")


def two_groups(n=40):
    """Two groups far apart, one about music, one about a court, and their places."""
    places = np.random.default_rng(0).standard_normal((n, 2))
    places[n // 2 :] += 30
    texts = tuple(TEXTS[2 * (i >= n // 2) + i % 2] for i in range(n))
    corpus = Corpus("two", texts)
    cloud = Cloud("vectors", places, texts, np.arange(n), None, np.ones(n), np.ones(n), n)
    return CorpusCloud(corpus, OF_VECTORS, None, cloud, "two groups", True), places


def test_each_cluster_has_a_name_and_a_colour_and_its_members_are_a_table():
    points, places = two_groups()
    found, words = named_clusters(points, places)
    assert sorted(cluster_names(words)) == ["1 guitar, piano, string", "2 jury, heard, witness"]
    colours = cluster_colours(points, places)
    grey = found.labels < 0
    np.testing.assert_array_equal(colours.codes[~grey], found.labels[~grey])
    assert set(colours.codes[grey]) <= {8}
    assert colours.names[2:] == ("",) * 6 + ("no cluster",)
    rows = list(
        csv.DictReader(io.StringIO(_csv(points, found, words, "n = 40").decode("utf-8-sig")))
    )
    assert [row["text"] for row in rows] == list(points.cloud.texts)
    assert rows[0]["cluster"] in ("1", "")
    assert {row["words"] for row in rows} <= {"guitar piano string", "jury heard witness", ""}


@pytest.mark.model
@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_the_part_has_the_clusters_their_control_and_what_the_others_keep(language):
    query = {"lang": language, "third": "none", "fourth": "none", "colour": "clusters"}
    app = healthy(new_visit("whitening", {"clusters": True}, **query).run())
    legend = twin_clouds(app)["whitening"].message["legend"]
    assert legend["names"][0].startswith("1 ")
    said = everything(app)
    control, agreement = {
        "en": ("Control: of as many random points", "**ZCA whitening**: "),
        "zh-Hant": ("對照：同樣多的點", "**ZCA 白化**："),
    }[language]
    assert control in said
    assert agreement in said
