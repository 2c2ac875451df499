"""The whitening page without a browser: four pictures, and the library's numbers."""

import functools
import re
import threading
from collections import defaultdict

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from geometry import (
    Corpus,
    label_agreement,
    load_transform,
)
from geometry.data import VectorSet
from geometry.data.number_text import signed
from geometry.evaluate.fit_size import whitening_by_size
from geometry.export import save_transform
from geometry.measure import (
    Measured,
    chance_agreement,
    disagreements,
    isotropic_baselines,
    label_agreement_interval,
    measure_names,
    measure_table,
)
from geometry.measure.intervals import Estimate
from geometry.transform.treatments import Knobs, fit_treatment
from pages.common.corpus_cloud import cloud_of_vectors
from pages.common.measures import LABELS, decimals_of, measure_label
from pages.common.treatment_names import treatment_names
from pages.common.words import prose
from pages.whitening.explore import exported_map, measure_all, pictures_csv, table_csv
from pages.whitening.scene import _histories, claim_state, trained_flow
from tests.for_each import for_each
from tests.pages.charts import array, charts
from tests.pages.twins import twin_clouds
from tests.pages.visits import (
    big_numbers,
    brought,
    healthy,
    new_visit,
    rows_of,
    tables,
    upload,
)

DEFAULTS = ("raw", "zca", "removed", "standardised")
NAMES = {
    "raw": "Raw",
    "zca": "ZCA whitening",
    "removed": "Top directions removed",
    "standardised": "Standardised",
}
MEASURES = {name: measure_label(name, with_unit=True) for name in LABELS}
WHY = {"centred": "mean 0", "no_mean_cosine": "mean cosine ≈ 0"}
LEDOIT_WOLF = Knobs(shrinkage="ledoit-wolf")
FULL = {"shrink": "none", "kept": "384"}
DEFAULT_FIT = ""
BY_FIT = re.compile(r" \((?:partly )?set by the fit\)$")
AGREEMENT = "topic agreement of 5 neighbours"
WITHOUT_INTERVAL = ("hubness", "top_contribution", "top_5_contributions")
TABLE = ("all-measures", "all-rows")
ONLY_ZCA = {"third": "none", "fourth": "none"}

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]


def visit(
    own: Corpus | None = None,
    opened: tuple[str, ...] = (),
    **query: str,
) -> AppTest:
    """A visit by deep link; underscores in the query's names become hyphens.

    The fit uses all points shown, unless the query names another fit set. DEFAULT_FIT is the page's
    default. TABLE opens the table with all its rows.
    """
    query = {"fit_on": "same"} | query
    if query["fit_on"] == DEFAULT_FIT:
        del query["fit_on"]
    state = {} if own is None else brought("uploads", "corpus", own)
    state |= dict.fromkeys(opened, True)
    named = {key.replace("_", "-"): value for key, value in query.items()}
    return healthy(new_visit("whitening", state, **named).run())


def measured(*args: Corpus, **query: str) -> AppTest:
    """A visit with the whole table open."""
    return visit(*args, opened=TABLE, **query)


@functools.cache
def look(opened: tuple[str, ...] = TABLE, **query: str) -> AppTest:
    """A visit for tests that only read the page; visits to one address are shared."""
    return visit(opened=opened, **query)


def pictures(app: AppTest) -> dict[str, np.ndarray]:
    """Treatment to the coordinates (n, k) of its points, in the page's order."""
    codes = {name: code for code, name in treatment_names().items()}
    return {
        codes[view["names"][-1]]: twin.frames[view["points"]][view["path"][-1]]
        for twin in twin_clouds(app).values()
        for view in twin.message["views"]
    }


def message(app: AppTest) -> dict:
    [twin] = twin_clouds(app).values()
    return twin.message


def chart(app: AppTest, kind: str) -> dict:
    return charts(app)[f"whitening-chart-{kind}"]["figure"]


def traces(figure: dict) -> dict[str, dict]:
    return {trace["name"]: trace for trace in figure["data"]}


def table(app: AppTest) -> dict[str, dict[str, str]]:
    """Column to (measure to cell)."""
    [(head, *rows)] = [lines for lines in tables(app) if lines[0][0] == "measure"]
    return {
        BY_FIT.sub("", name): {row[0]: row[place] for row in rows}
        for place, name in enumerate(head)
        if place > 0
    }


def treated(name: str, X: np.ndarray, knobs: Knobs, fit: np.ndarray | None = None) -> np.ndarray:
    """The vectors of X that the page should measure."""
    fitted = fit_treatment(name, X if fit is None else fit)
    return fitted.turn(knobs).apply(X).retained


def cells(
    X: np.ndarray, raw_d: int, drawn: np.ndarray | None = None, *, by_fit: bool = False
) -> dict[str, str]:
    """The column of the table for vectors X. Single dimensions are those of the drawn vectors."""
    raw = isotropic_baselines(measure_names(), len(X), raw_d)
    how = {"seed": 0, "intervals": not by_fit}
    rows = {row.name: row for row in measure_table(X, **how)}
    if drawn is not None:
        single = measure_table(drawn, names=[n for n in rows if "contribution" in n], **how)
        rows |= {row.name: row for row in single}
    return {MEASURES[name]: cell(row, raw[name]) for name, row in rows.items()}


def cell(row: Measured, raw_baseline: float | None) -> str:
    if row.value is None:
        return f"— ({WHY[row.undefined]})"
    decimals = decimals_of(row.name)
    text = signed(row.value, decimals)
    if row.low is not None:
        text += f" [{signed(row.low, decimals)},\u00a0{signed(row.high, decimals)}]"
    if row.baseline is not None and raw_baseline is not None:
        here, in_raw = signed(row.baseline, decimals), signed(raw_baseline, decimals)
        text += f" ({here} if isotropic)" if here != in_raw else ""
    return text


def error_of(row: Measured) -> str:
    if row.baseline_error is None:
        return ""
    assert row.name in ("hubness", "intrinsic_dimension")
    return f" ± {row.baseline_error:.{decimals_of(row.name)}f}"


def provenance(app: AppTest) -> list[str]:
    below_pictures, below_verdict = [
        element.value for element in app.caption if " · n = " in element.value
    ]
    assert below_verdict.startswith(below_pictures)
    return below_pictures.split(" · ")


def set_value(app: AppTest, kind: str, key: str, value: object) -> AppTest:
    return healthy(getattr(app, kind)(key=key).set_value(value).run())


# Looking


def test_all_pictures_have_raw_s_radius_and_the_factor_is_shown():
    app = look()
    radii = {
        name: np.sqrt(np.square(places).sum(axis=1).mean())
        for name, places in pictures(app).items()
    }
    assert list(radii.values()) == pytest.approx([radii["raw"]] * 4, rel=1e-4)
    shown = [
        element.value
        for element in app.caption
        if "so that all have the same rms radius" in element.value
    ]
    assert len(shown) == 3
    factors = message(app)["factors"]
    assert factors[0] == 1
    for factor, caption in zip(factors[1:], shown, strict=True):
        assert f"drawn × {factor:.3g}," in caption


def test_rounding_is_not_drawn_as_a_cloud(scenes):
    app = visit(view="pca", opened=TABLE[:1])  # the removal leaves nothing in this view
    assert not pictures(app)["removed"].any()
    assert message(app)["factors"][2] == 1
    [shown] = [
        element.value for element in app.caption if "**Top directions removed**" in element.value
    ]
    assert "all points at the origin" in shown
    assert "drawn ×" not in shown
    assert "trustworthiness" not in shown
    rows = rows_of(pictures_csv(scenes[-1], ""))
    assert {row["removed_x"] for row in rows} == {"0"}


@pytest.mark.parametrize(
    ("unit", "offers"),
    [("sentences", {"learned"}), ("tokens", set()), ("types", {"zipf"})],
)
def test_a_treatment_is_offered_where_it_has_what_it_needs(unit, offers):
    app = visit(upload(24), unit=unit)
    offered = app.selectbox(key="second").options
    words = {"learned": "Learned removal", "zipf": "Zipfian whitening"}
    assert {code for code, name in words.items() if name in offered} == offers
    for code in offers:
        app = set_value(app, "selectbox", "second", code)
        assert tuple(pictures(app))[1] == code


def test_zipfian_whitening_is_fitted_under_the_counts(cloud_of):
    own = upload(60)
    cloud = cloud_of(own, "types")
    app = measured(own, unit="types", second="zipf", **ONLY_ZCA, **FULL)
    fitted = fit_treatment("zipf", cloud.vectors, sample_weight=cloud.counts)
    found = fitted.turn(Knobs()).apply(cloud.vectors)
    wanted = cells(found.retained, 384, found.vectors, by_fit=True)
    assert table(app)["Zipfian whitening"].items() >= wanted.items()
    assert wanted != cells(treated("zca", cloud.vectors, Knobs()), 384)
    assert f"Zipfian whitening: rank {fitted.rank} of 384" in provenance(app)


# Measuring


def test_the_table_is_the_library_s_with_intervals_baselines_and_agreement(cloud_of):
    cloud = cloud_of()
    found = table(look())
    assert list(found) == [*NAMES.values(), "isotropic"]
    for name, title in NAMES.items():
        Z = treated(name, cloud.vectors, LEDOIT_WOLF)
        agreement = f"{label_agreement(Z, cloud.labels):.1%}"
        if name == "raw":
            low, high = label_agreement_interval(Z, cloud.labels)
            agreement += f" [{low:.1%},\u00a0{high:.1%}]"
        wanted = cells(Z, 384, by_fit=name != "raw") | {AGREEMENT: agreement}
        assert found[title] == wanted
    without = {MEASURES[name] for name in WITHOUT_INTERVAL}
    assert {label for label, text in found["Raw"].items() if "[" not in text} == without
    baselines = {
        MEASURES[row.name]: signed(row.baseline, decimals_of(row.name)) + error_of(row)
        for row in measure_table(cloud.vectors, seed=0)
    }
    assert found["isotropic"].items() >= baselines.items()
    assert all(baselines.values())
    assert any(element.value.startswith("In brackets") for element in look().caption)


def test_measures_that_disagree_are_reported(cloud_of):
    X = cloud_of().vectors
    raw = measure_table(X, seed=0)
    wanted = []
    for name in ("zca", "standardised"):
        for code in disagreements(raw, measure_table(treated(name, X, LEDOIT_WOLF), seed=0)):
            wanted.append(f"- {prose('whitening', f'disagree-{code}', {'name': NAMES[name]})}")
    said = [element.value for element in look().markdown if element.value.startswith("- **")]
    assert wanted
    assert set(wanted) <= set(said)


def test_the_line_below_the_table_states_what_is_measured(cloud_of):
    fitted = fit_treatment("zca", cloud_of().vectors).turn(LEDOIT_WOLF).fitted
    app = visit(centring="0.5", strength="0.75", removed="7", kept="200")
    assert provenance(app) == [
        "corpus Topics, English",
        "n = 1,224 sentences",
        "all-MiniLM-L6-v2, commit 1110a24",
        "layer 4 of 6",
        "pooling mean",
        "centring 0.50",
        "strength 0.75",
        "fitted on 1,224 of these points",
        "n/d = 3.19",
        "rank 383 of 384",
        f"shrinkage {fitted.shrinkage:.3f}",
        "directions kept: 200",
        "directions removed: 7",
        "seed 0",
    ]


def test_by_default_half_of_the_points_are_fitted_if_both_halves_can_be_drawn():
    for n, chosen in ((8, "split"), (7, "same")):
        app = visit(upload(n), fit_on=DEFAULT_FIT)
        assert app.selectbox(key="fit-on").value == chosen
        assert tuple(pictures(app)) == DEFAULTS


UP, DOWN, OPEN_ENDS = (Estimate(0.0, *ends) for ends in ((0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1)))


@for_each(
    ("rises", "falls", "found", "over", "state"),
    [
        (True, False, UP, UP, "holds"),
        (True, False, UP, OPEN_ENDS, "partly"),  # neighbours gain no more than by centring
        (True, False, UP, None, "partly"),
        (True, False, DOWN, DOWN, "partly"),
        (False, False, UP, UP, "partly"),
        (False, False, DOWN, DOWN, "fails"),
        (False, True, OPEN_ENDS, UP, "fails"),
        (False, False, OPEN_ENDS, UP, "unknown"),
    ],
)
def test_the_claim_needs_more_than_centring(rises, falls, found, over, state):
    assert claim_state(rises, falls, found, over) == state


@pytest.mark.parametrize(
    ("query", "state"),
    [
        ({"fit_on": DEFAULT_FIT}, "Holds in part."),
        ({}, "Not enough data."),  # these points are in the fit
        ({"fit_on": DEFAULT_FIT, "second": "centred"}, "Not enough data."),  # no whitening
    ],
)
def test_the_verdict_is_of_points_outside_the_fit(scenes, query, state):
    app = visit(**query)
    [said] = [e.value for e in app.markdown if e.value.startswith(":material/") and "**" in e.value]
    assert f"**{state}**" in said
    assert not [*charts(app), *tables(app)]  # folded parts are not computed
    if state.startswith("Holds"):
        raw, white, *_others = scenes[-1].pictures
        labels = scenes[-1].sets.points.cloud.labels
        before, after = (label_agreement(p.treated.retained, labels) for p in (raw, white))
        assert f"become worse (same topic (5 nearest)): **{signed(after - before, 3)} [" in said
        assert [numbers[1] for numbers in big_numbers(app)[:2]] == [f"{before:.1%}", f"{after:.1%}"]
        [isoscore] = measure_table(white.treated.retained, names=["isoscore"], seed=0)
        assert f"**{isoscore.value:.3f} [{isoscore.low:.3f}, {isoscore.high:.3f}]**" in said
        assert big_numbers(app)[1][2] == f"{isoscore.value:.3f}"


def test_five_rows_are_shown_and_the_rest_on_demand(cloud_of):
    app = visit(upload(60, labels=True), opened=("all-measures",))
    assert list(table(app)["Raw"])[:4] == [
        MEASURES[name] for name in ("mean_cosine", "opening_angle", "isoscore", "effective_rank")
    ]
    assert len(table(app)["Raw"]) == 5
    few = table(app)["Raw"]
    app = set_value(app, "toggle", "all-rows", True)
    assert len(table(app)["Raw"]) == len(measure_names()) + 1
    assert table(app)["Raw"].items() >= few.items()


# Trying


def test_a_slider_changes_its_own_picture_and_no_other():
    app = visit()
    places, numbers = pictures(app), big_numbers(app)
    app = set_value(app, "slider", "removed", 6)
    assert "directions removed: 6" in provenance(app)
    for (name, before), now in zip(places.items(), pictures(app).values(), strict=True):
        assert np.allclose(now, before, atol=1e-6) is (name != "removed")
    changed = [now != before for now, before in zip(big_numbers(app), numbers, strict=True)]
    assert changed == [name == "removed" for name in DEFAULTS]


@pytest.mark.slow
def test_a_shrinkage_by_hand_and_a_strength_are_those_of_the_table(cloud_of):
    found = table(measured(shrink="by-hand", shrinkage="0.5", strength="0.5"))["ZCA whitening"]
    Z = treated("zca", cloud_of().vectors, Knobs(strength=0.5, shrinkage=0.5))
    assert found.items() >= cells(Z, 384, by_fit=True).items()


def test_a_fit_on_one_half_is_shown_on_the_other(cloud_of):
    X = cloud_of().vectors
    fit, shown = np.array_split(np.random.default_rng(0).permutation(len(X)), 2)
    fit, shown = X[np.sort(fit)], X[np.sort(shown)]
    app = look(fit_on=DEFAULT_FIT)
    assert "fitted on 612 points of the other half" in provenance(app)
    found = table(app)
    assert found["Raw"].items() >= cells(shown, 384).items()
    wanted = cells(treated("zca", shown, LEDOIT_WOLF, fit), 384)
    assert found["ZCA whitening"].items() >= wanted.items()
    assert not any("rounder than isotropic" in element.value for element in app.markdown)


def test_an_own_corpus_is_fitted_on_by_its_name_and_not_by_its_code():
    app = visit(upload(60))
    app.session_state["corpus"] = "topics"
    app = set_value(healthy(app.run()), "selectbox", "fit-on", "upload-test")
    assert "fitted on 60 points of another corpus, mine" in provenance(app)


def test_defaults_follow_the_points_and_what_was_chosen_stays():
    app = visit(corpus="topics-zh")
    fresh = provenance(app)
    assert "directions kept: 24" in fresh  # n <= d: what the library recommends
    app = visit(fit_on=DEFAULT_FIT)
    assert app.slider(key="fit-rows").value == 612
    app = set_value(app, "selectbox", "fit-on", "same")
    assert (app.slider(key="fit-rows").value, app.slider(key="kept").value) == (1224, 384)
    app = set_value(app, "selectbox", "corpus", "topics-zh")
    assert provenance(app) == fresh
    app = set_value(app, "slider", "kept", 30)
    app = set_value(app, "slider", "fit-rows", 100)
    assert app.slider(key="kept").value == 30
    app = set_value(app, "selectbox", "corpus", "topics")
    assert app.slider(key="fit-rows").value == 100


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        (FULL, "error"),
        (FULL | {"centring": "0"}, None),
        (FULL | {"second": "centred"}, None),
        (FULL | {"fit_on": DEFAULT_FIT}, "warning"),
        (FULL | {"fit_rows": "30"}, "warning"),
    ],
)
def test_a_simplex_is_reported_where_there_is_one(query, shown):
    app = visit(upload(60), opened=TABLE if shown == "error" else (), **ONLY_ZCA | query)
    errors = [element.value for element in app.error]
    warnings = [element.value for element in app.warning]
    assert (len(errors), len(warnings)) == (shown == "error", shown == "warning")
    if shown == "error":
        assert "60 points" in errors[0]
        [_raw, white, _isotropic] = table(app).values()
        assert white["mean cosine of pairs"].startswith(signed(-1 / 59, 3))
    if shown == "warning":
        assert "Its 30 points have rank 30 − 1" in warnings[0]


@pytest.mark.slow
def test_a_removal_of_every_direction_is_reported_and_leaves_no_number():
    own = upload(20)
    app = measured(own, first="removed", removed="30")
    assert len(app.warning) == 1
    emptied = table(app)["Top directions removed"]
    assert emptied["mean cosine of pairs"] == "— (a point is zero)"
    assert emptied["intrinsic dimension (TwoNN)"].startswith("—")
    for chart in ("spectrum", "cumulative", "covariance", "rogue", "cosines", "size"):
        visit(own, first="removed", removed="30", chart=chart)


# The charts


def test_the_spectrum_is_flat_where_a_cloud_is_white_and_marks_the_rank_floor(cloud_of):
    figure = chart(visit(chart="spectrum", **FULL), "spectrum")
    lines = traces(figure)
    assert list(lines) == [*NAMES.values(), "rank floor of the fit"]
    assert figure["layout"]["yaxis"]["type"] == "log"
    X = cloud_of().vectors.astype(np.float64)
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
    raw = array(lines["Raw"]["y"])
    assert raw[:380] == pytest.approx((values / values.mean())[:380], rel=1e-3)
    white = array(lines["ZCA whitening"]["y"])
    assert white[:383] == pytest.approx(np.full(383, 384 / 383), rel=1e-3)
    floor = array(lines["rank floor of the fit"]["y"])[0]
    assert raw[382] > floor
    assert not raw[383] > floor  # LayerNorm's null direction


def test_decorrelation_is_visible_in_the_matrices():
    app = visit(chart="correlation", **FULL)
    beside = {}
    for name in DEFAULTS:
        z = chart(app, f"correlation-{name}")["data"][0]["z"]
        matrix = array(z).reshape([int(size) for size in z["shape"].split(",")])
        assert matrix.shape == (64, 64)
        assert matrix == pytest.approx(matrix.T, abs=1e-5)
        assert np.diag(matrix) == pytest.approx(np.ones(64), abs=1e-5)
        beside[name] = np.abs(matrix[~np.eye(64, dtype=bool)]).max()
    assert beside["zca"] < 0.05 < 0.3 < beside["raw"]
    assert beside["standardised"] == pytest.approx(beside["raw"], abs=1e-3)


def test_single_dimensions_of_the_table_are_those_of_the_chart(cloud_of):
    app = measured(second="pca", third="removed", fourth="none", chart="rogue", centring="0")
    bars, found = traces(chart(app, "rogue")), table(app)
    assert list(bars) == ["Raw", "PCA whitening"]
    offered = [button.label for button in app.get("download_button")]
    assert (len(offered), offered[4:]) == (7, ["safetensors", "ONNX", "NumPy"])
    for name, trace in bars.items():
        heights = array(trace["y"])
        assert (np.diff(heights) <= 0).all()  # sorted by value, not by magnitude
        for measure, share in (
            ("top_contribution", heights[0]),
            ("top_5_contributions", heights[:5].sum()),
        ):
            assert found[name][MEASURES[measure]].split(" ")[0] == signed(share, 3)


@for_each(("kind", "last"), [("cumulative", None), ("cosines", "isotropic directions, d = 384")])
def test_shares_add_up_to_all(kind, last):
    lines = traces(chart(visit(chart=kind), kind))
    assert list(lines) == [*NAMES.values(), *([last] if last else [])]
    for line in lines.values():
        shares = array(line["y"])
        assert (shares[-1] if kind == "cumulative" else shares.sum()) == pytest.approx(1, abs=1e-3)


def test_the_chart_of_sizes_has_the_library_s_numbers(cloud_of):
    lines = traces(chart(visit(chart="size"), "size"))
    assert list(lines) == ["Raw", "in full", "Ledoit-Wolf", "isotropic", "n = d = 384"]
    fits = whitening_by_size(cloud_of().vectors, random_state=0)
    assert array(lines["in full"]["x"]) == pytest.approx([fit.n for fit in fits])
    wanted = [fit.isoscore["full"] for fit in fits]
    assert array(lines["in full"]["y"]) == pytest.approx(wanted, rel=1e-4)


# The flow


def test_a_flow_by_deep_link_is_trained_once(monkeypatch):
    drawn: list[int] = []
    drawn_once = threading.Event()

    class Watched(list):  # after its second epoch the training waits until the page has drawn it
        def append(self, epoch: object) -> None:
            super().append(epoch)
            if len(self) == 2:
                drawn_once.wait(30)

    def draw(place: object, history: list) -> None:
        drawn.append(len(history))
        drawn_once.set()

    monkeypatch.setattr("pages.whitening.scene._histories", defaultdict(Watched))
    monkeypatch.setattr("pages.whitening.scene._draw_live", draw)
    own = upload(40)
    app = measured(own, second="flow", chart="flow")
    assert tuple(pictures(app)) == ("raw", "flow", "removed", "standardised")
    assert "Normalizing flow" in table(app)
    lines = traces(chart(app, "flow"))
    fitted, held_out, start = lines.values()
    assert re.fullmatch(r"loss on points held out, n = \d+", held_out["name"])
    assert len(array(fitted["y"])) == len(array(held_out["y"]))
    assert array(start["y"]) == pytest.approx(array(held_out["y"])[0])
    assert drawn[:1] == [2]
    assert drawn == sorted(drawn)
    assert not app.get("progress")
    monkeypatch.setattr("pages.common.jobs.joined", _no_work)
    again = measured(own, second="flow", chart="flow")
    assert np.array_equal(pictures(again)["flow"], pictures(app)["flow"])


def test_a_training_that_fails_leaves_no_epochs():
    points = cloud_of_vectors(VectorSet("mine", np.eye(8, dtype=np.float32)))
    with pytest.raises(TypeError):
        trained_flow.function(points, report=None)
    assert points.key not in _histories


def _no_work(*shown: object, **_: object) -> None:
    raise AssertionError(f"this was kept, and is made again: {shown[0]}")


# Downloads


def test_the_downloaded_treatment_is_that_of_the_picture(scenes, tmp_path):
    visit(strength="0.5", kept="40", second="pca")
    scene = scenes[-1]
    picture = next(each for each in scene.pictures if each.name == "pca")
    save_transform(tmp_path / "t", exported_map(picture, scene))
    loaded = load_transform(tmp_path / "t")
    Z = picture.treatment.fitted.apply(scene.sets.points.vectors)
    assert np.abs(loaded.apply(scene.sets.points.vectors) - Z).max() < 1e-5
    assert loaded.about["layer"] == str(scene.sets.points.spec.layer)
    assert (loaded.about["strength"], loaded.about["directions"]) == ("0.5", "40")


def test_the_table_file_has_what_the_table_has(scenes):
    shown = table(measured(fit_on=DEFAULT_FIT))
    scene = scenes[-1]
    rows = rows_of(table_csv(scene, measure_all(scene), ""))
    cloud = scene.sets.points.cloud
    assert len(rows) == 4 * (len(measure_names()) + 1)  # and the agreement of topics
    for name, label in NAMES.items():
        first, *_others, last = [row for row in rows if row["treatment"] == name]
        assert last["measure"] == "label_agreement"
        value, low, high = (f"{float(last[end]):.1%}" for end in ("value", "low", "high"))
        assert f"{value} [{low},\u00a0{high}]" == shown[label][AGREEMENT]
        assert float(last["isotropic"]) == pytest.approx(chance_agreement(cloud.labels), rel=1e-5)
        assert (last["n"], last["d"]) == (f"{len(cloud)}", first["d"])
        assert last["fitted_on"] == (
            "" if name == "raw" else "fitted on 612 points of the other half"
        )
    app = measured(upload(24))  # without labels
    assert AGREEMENT not in table(app)["Raw"]
