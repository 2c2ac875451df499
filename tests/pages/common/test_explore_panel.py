"""Colours and filters by columns; clusters of a picture, their control, the table of members."""

import re
from dataclasses import replace

import numpy as np
import pytest
import streamlit
from hypothesis import given
from hypothesis import strategies as st

from geometry import Corpus, read_corpus
from geometry.data import VectorSet
from geometry.data.columns import FileColumn
from geometry.data.corpus import read_bundled
from geometry.encode import Cloud
from geometry.projection.point_colours import MOST_COLOURED
from geometry.projection.twin_message import GREY
from pages.common import explore_panel
from pages.common.corpus_cloud import OF_VECTORS, CorpusCloud, cloud_of_vectors
from pages.common.document import LINKED
from pages.common.explore_panel import (
    Explored,
    _csv,
    cluster_colours,
    cluster_names,
    column_colours,
    condition_of,
    filtered,
    filters_of,
    named_clusters,
)
from pages.common.origin import origin
from pages.common.selected_points import (
    LONGEST_SELECTION,
    SELECTED,
    SENT,
    rows_as_text,
    rows_of_text,
)
from pages.common.uploads import NEXT, link_digest
from tests.pages.twins import codes_of, twin_clouds
from tests.pages.visits import brought, everything, healthy, new_visit, rows_of

TEXTS = ("the guitar string", "a piano and a guitar", "the jury heard", "a witness and the jury")


def shown_in(app, name):
    value = app.query_params.get(name, "")
    return value[0] if isinstance(value, list) else value


def two_groups(n=40):
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
    rows = rows_of(_csv(points, found, words, "n = 40"))
    assert [row["text"] for row in rows] == list(points.cloud.texts)
    assert rows[0]["cluster"] in ("1", "")
    assert {row["words"] for row in rows} <= {"guitar piano string", "jury heard witness", ""}


@pytest.mark.model
def test_the_part_has_the_clusters_their_control_and_what_the_others_keep():
    query = {"third": "none", "fourth": "none", "colour": "clusters"}
    app = healthy(new_visit("whitening", {"clusters": True}, **query).run())
    legend = twin_clouds(app)["whitening"].message["legend"]
    assert legend["names"][0].startswith("1 ")
    said = everything(app)
    assert "Control: in 19 clouds of as many random points" in said
    assert "**ZCA whitening**: " in said
    bent = everything(new_visit("narrow_cone", {"clusters": True}, view="cone").run())
    assert "**This view can make clusters of a cloud that has none**" in bent
    said = everything(healthy(new_visit("narrow_cone", {"clusters": True}, layer="6").run()))
    assert ["There are no clusters" in said, "lie between clusters" in said] == [True, False]


LANGUAGES = ("en", "de", "fr")


def reviews(n=90):
    lines = [f"review {i} of a guitar,{LANGUAGES[i % 3]},{i}.5" for i in range(n)]
    return read_corpus(
        "\n".join(["text,lang,price", *lines]).encode(), name="reviews.csv", text_column="text"
    )


@pytest.mark.model
def test_a_column_colours_by_its_values_and_a_filter_leaves_the_others_out():
    own = reviews()
    assert [column.name for column in own.columns] == ["lang", "price"]
    key = own.sha256[:8]
    app = new_visit("narrow_cone", brought("uploads", "corpus", own), colour="column-0").run()
    sent = twin_clouds(healthy(app))["cone"]
    assert sent.message["legend"]["names"] == list(LANGUAGES)
    assert sent.message["legend"]["title"] == "lang"
    app.multiselect(key=f"filter-by-{key}").set_value([0, 1]).run()
    app.multiselect(key=f"filter-{key}-0").set_value(["de", "fr"]).run()
    app.slider(key=f"filter-{key}-1").set_value((30.0, 60.0)).run()
    said = everything(healthy(app))
    assert "20 of 90 rows pass the filters" in said  # two thirds of thirty
    assert "n = 20 sentences" in said
    assert "filtered: 20 rows" in said
    # with their counts, which change, Streamlit would drop the chosen values
    assert app.multiselect(key=f"filter-{key}-0").options == ["en", "de", "fr"]
    counts = "".join(each.proto.body for each in app.get("html") if "counts" in each.proto.body)
    assert re.findall(r"<td>(\w\w)<.*?<td>(\d+)<", counts) == [
        *((each, "10") for each in LANGUAGES)
    ]
    names = twin_clouds(app)["cone"].message["legend"]["names"]
    assert sorted(names) == ["de", "fr"]
    app.slider(key=f"filter-{key}-1").set_value((0.5, 2.0)).run()
    assert "A picture needs at least 4 points." in everything(healthy(app))


def test_a_scale_of_numbers_is_clipped_and_says_what_is_missing():
    points, _places = two_groups()
    values = np.append(np.arange(38.0), [1e9, np.nan])
    own = replace(points.corpus, columns=(FileColumn("price", values),))
    colours = column_colours(replace(points, corpus=own).column(0))
    assert colours.names is None
    assert colours.codes.max() < 1e9
    assert colours.codes[-1] == colours.codes.min()
    assert colours.title == "price (1 missing, drawn as the lowest)"
    assert colours.ends == ("≤ ", "≥ ")
    assert np.flatnonzero(colours.missing).tolist() == [39]
    # a scale from end to end leaves nothing out
    assert condition_of(own.columns[0], (0.0, 1e9)).keeps(own.columns[0]).all()


def test_a_scale_is_not_clipped_to_one_number():
    points, _places = two_groups()
    own = replace(points.corpus, columns=(FileColumn("price", np.append(np.ones(399), 9.0)),))
    points = replace(points, corpus=own, cloud=replace(points.cloud, sources=np.arange(400)))
    colours = column_colours(points.column(0))
    assert colours.codes.max() == 9
    assert colours.ends == ("", "")


@pytest.mark.model
def test_the_given_file_is_the_present_view(monkeypatch):
    given = []

    def button(_label, data=None, *_more, key="", **_how):
        if key == "take-view":
            data()

    def written(view, _title):
        given.append(view)
        return ""

    monkeypatch.setattr(streamlit, "download_button", button)
    monkeypatch.setattr(explore_panel, "view_html", written)
    query = {"dims": "2D", "camera": "2,0.5,-0.25,0", "selected": "3-5,9"}
    app = healthy(new_visit("narrow_cone", **query).run())
    assert twin_clouds(app)["cone"].message["camera"] == [2, 0.5, -0.25, 0]
    described = given[-1].description()
    assert described["message"]["camera"] == [2, 0.5, -0.25, 0]
    assert described["selected"] == [3, 4, 5, 9]
    # the reader's own selection, which the pictures have already
    of, _rows = app.session_state[SELECTED]
    del app.session_state[SENT]
    app.session_state[SELECTED] = (of, np.array([7]))
    healthy(app.run())
    assert given[-1].description()["selected"] == [7]
    monkeypatch.setattr("pages.common.selected_points.LONGEST_SELECTION", 0)
    assert shown_in(healthy(app.run()), "selected") == ""  # too long for an address


def test_rare_categories_are_one_group():
    codes = np.array([0] * 10 + [1] * 6 + list(range(2, 26)), dtype=np.int32)
    column = FileColumn("store", codes, tuple(f"store {i}" for i in range(26)))
    colours = column_colours(column)
    assert colours.names[:2] == ("store 0", "store 1")
    assert len(colours.names) == 9
    assert colours.names[-1] == "other"
    assert np.bincount(colours.codes).tolist() == [10, 6, 1, 1, 1, 1, 1, 1, 18]


@pytest.mark.model
def test_every_hit_is_marked_walked_through_and_can_be_selected():
    own = reviews()
    app = new_visit(
        "narrow_cone", brought("uploads", "corpus", own), find="/review [12]\\d /"
    ).run()
    cloud = twin_clouds(healthy(app))["cone"]
    marks = {mark["caption"]: mark["rows"] for mark in cloud.message["marks"]}
    assert marks["found"] == list(range(10, 30))
    assert marks["chosen point"] == [10]
    app.button(key="found-after").click().run()
    assert shown_in(app, "point") == "11"
    for _press in range(2):  # back over the first one to the last
        app.button(key="found-before").click().run()
    assert shown_in(app, "point") == "29"
    app.button(key="select-found").click().run()
    assert "Points selected: 20" in everything(healthy(app))
    assert shown_in(app, "selected") == "10-29"
    assert sum(codes_of(twin_clouds(app)["cone"], "selected")) == 20
    app.text_input(key="find").set_value("/(/").run()
    assert "This is not a regular expression" in everything(healthy(app))
    app.text_input(key="find").set_value("#7").run()
    assert shown_in(app, "point") == "6"


@pytest.mark.model
def test_a_sentence_finds_the_texts_nearest_to_it():
    app = new_visit("narrow_cone", find="~ a chef cooks a soup").run()
    cloud = twin_clouds(healthy(app))["cone"]
    [rows] = [mark["rows"] for mark in cloud.message["marks"] if mark["caption"] == "found"]
    assert len(rows) == 20
    labels = [read_bundled("topics").labels[row] for row in rows]
    assert labels.count("cooking") > 10


@pytest.mark.model
def test_filtered_points_turn_grey_and_a_column_sizes_them():
    own = reviews()
    where = "0:1;1:30~60"  # by their frequency: en, de, fr
    app = new_visit(
        "narrow_cone", brought("uploads", "corpus", own), where=where, others="grey", size="1"
    ).run()
    cloud = twin_clouds(healthy(app))["cone"]
    dots = np.array(codes_of(cloud, "dots"))
    shown = [row for row in range(90) if row % 3 == 1 and 30 <= row + 0.5 <= 60]
    assert np.flatnonzero(dots < GREY).tolist() == shown
    assert (dots[[0, 89]] % GREY).tolist() == [1, 15]  # of the smallest and the largest number
    said = everything(app)
    assert "10 of 90 rows keep their colour" in said
    assert "n = 90 sentences" in said
    assert shown_in(app, "where") == where


COLUMNS = reviews().columns


@given(st.text() | st.from_regex(r"[0-9:,~;.e+-]*", fullmatch=True))
def test_no_address_breaks_a_filter_or_a_selection(text):
    for place, chosen in filters_of(COLUMNS, text).items():
        assert condition_of(COLUMNS[place], chosen).keeps(COLUMNS[place]).dtype == bool
    assert (np.diff(rows_of_text(text[:40], 90)) > 0).all()


@given(st.sets(st.integers(0, 500)))
def test_a_selection_is_the_same_after_the_address(rows):
    rows = np.array(sorted(rows), dtype=np.int64)
    text = rows_as_text(rows)
    if len(text) <= LONGEST_SELECTION:
        np.testing.assert_array_equal(rows_of_text(text, 501), rows)


@pytest.mark.model
def test_a_link_to_a_file_is_answered_by_the_same_content():
    own = reviews()
    other = replace(own, columns=own.columns[1:])  # the same texts; a filter would be another's
    assert link_digest(other) != link_digest(own) == link_digest(replace(own, name="copy"))
    view = {"where": "0:1;1:30~60", "selected": "3-7"}
    link = {"file": f"{link_digest(own)}~reviews.csv", **view}
    app = new_visit("narrow_cone", **link).run()
    assert "This link shows the file “reviews.csv”" in everything(healthy(app).run())
    assert {key: shown_in(app, key) for key in link} == link
    assert "selected-rows" not in app.session_state  # of the corpus in its place
    code = f"upload-{link_digest(own)}"
    state = {"uploads": {"upload-1": own}, "corpus": "upload-1", LINKED: app.session_state[LINKED]}
    app = healthy(new_visit("your_corpus", state).run())
    assert "This file is the one of your link." in [each.value for each in app.success]
    assert app.session_state[LINKED] == (code, "reviews.csv", "narrow_cone", link)


def test_filtered_vectors_are_a_cloud_of_their_own_without_more_rows_of_zeros(monkeypatch):
    X = np.eye(10, dtype=np.float32)
    X[0] = 0
    points = cloud_of_vectors(VectorSet("x", X))
    kept = np.arange(10) < 5
    assert "rows of zeros, left out: 1" in origin(points)
    said = origin(filtered(points, kept))
    assert {"n = 4 vectors", "rows of zeros, left out: 1"} <= set(said)
    as_many = filtered(points, np.arange(10) > 5)
    assert filtered(points, kept).content_key != as_many.content_key
    sample = replace(points, cloud=replace(points.cloud, n_available=100))
    assert filtered(sample, kept).cloud.n_available == 100
    monkeypatch.setattr(explore_panel, "many_found", lambda points: None)
    dots = Explored(kept, greys=True).dots(points)
    assert np.flatnonzero(dots < GREY).tolist() == [0, 1, 2, 3]  # rows 1 to 4 of the file


@pytest.mark.model
def test_filters_of_one_corpus_are_not_those_of_the_next():
    state = brought("uploads", "corpus", reviews())
    app = healthy(new_visit("narrow_cone", state, where="0:1", selected="3-5").run())
    assert "30 of 90 rows pass the filters" in everything(app)
    app.selectbox(key="corpus").set_value("topics").run()
    assert "pass the filters" not in everything(healthy(app))
    assert shown_in(app, "where") == shown_in(app, "selected") == ""


@pytest.mark.model
def test_the_view_of_a_link_is_shown_on_the_page_of_the_link_itself():
    own = reviews()
    view = {"colour": "column-0", "size": "1", "point": "3", "where": "1:30~60", "find": "guitar"}
    app = new_visit("narrow_cone", file=f"{link_digest(own)}~reviews.csv", **view).run()
    app.session_state["uploads"] = {"upload-1": own}
    app.session_state[NEXT] = "upload-1"
    healthy(app.run()).button(key="linked-view").click().run()
    find = view.pop("find")
    assert {key: shown_in(healthy(app), key) for key in view} == view
    assert app.text_input(key="find").value == find  # the browser writes it to the address
    legend = twin_clouds(app)["cone"].message["legend"]
    assert (legend["title"], app.selectbox(key="size").value) == ("lang", "1")


@pytest.mark.model
def test_what_the_filters_do_not_apply_to_is_said():
    labels = tuple(f"label {i % 30}" for i in range(90))  # more than there are hues
    state = brought("uploads", "corpus", replace(reviews(), labels=labels))
    app = healthy(new_visit("narrow_cone", state, unit="types").run())
    assert "Types are those of all texts." in everything(app)
    app = healthy(new_visit("narrow_cone", state, colour="topic").run())
    codes = codes_of(twin_clouds(app)["cone"], "codes")
    assert np.bincount(codes).tolist() == [3] * MOST_COLOURED + [90 - 3 * MOST_COLOURED]
    nothing = {"where": "1:1000~2000"}  # no price is so high
    app = healthy(new_visit("layers", state, **nothing).run())
    assert not twin_clouds(app)
    assert "A picture needs at least" in everything(app)
