"""The twin cloud's wrapper alone: requested texts, a selection."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.common.draw import scripts, twin_cloud
from tests.pages.twins import twin_clouds


def page(n: int, k: int = 3) -> None:
    import numpy as np
    import streamlit as st

    from geometry.palette import DARK
    from geometry.projection.packing import pack_cloud
    from geometry.projection.point_colours import PointColours
    from geometry.projection.twin_message import Picture, Points, TwinCloud
    from pages.common.draw.twin_cloud import show_twin_cloud

    places = np.arange(3.0 * n).reshape(n, 3)[:, :k]
    cloud = TwinCloud(
        points=Points.of(pack_cloud([places, -places], 3.0 * n + 1)),
        rows_key="rows",
        pictures=[Picture([0], ["one"]), Picture([1], ["other"])],
        colours=PointColours.by_value(np.arange(n), "row"),
        reach=3.0 * n + 1,
        axis_titles=["x", "y", "z"][:k],
        origin_label=None,
        name="both",
        alt="two clouds",
    )
    texts = [f"text {row}" for row in range(n)]

    def keep(rows: np.ndarray) -> None:
        st.session_state["rows"] = rows.tolist()

    show_twin_cloud(cloud, DARK, key="t", texts=texts, on_selection=keep)


def shown(n: int) -> AppTest:
    app = AppTest.from_function(page, args=(n,), default_timeout=60).run()
    assert not app.exception
    return app


def test_texts_of_many_points_are_requested(monkeypatch):
    requests = [5999, 6000]  # the second is no row

    answers: list[dict] = []
    send = twin_cloud.send

    def answer(name: str, key: str, message=None, **more) -> None:
        if name != "text_requests":
            send(name, key, message, **more)
            return
        answers.append({**message["answers"]})
        if requests:
            more["requested"](requests.pop(0))

    monkeypatch.setattr(twin_cloud, "send", answer)
    app = shown(6000)
    names = [part.proto.component_name for part in app.get("bidi_component")]
    assert "narrow_cone_texts" not in names
    app.run()
    app.run()
    assert answers == [{}, {5999: "text 5999"}, {5999: "text 5999"}]


@pytest.mark.parametrize(
    ("message", "rows"), [("rows:BQAAAA==", [5]), ("bits:IQA=", [0, 5]), ("", []), (None, None)]
)
def test_a_selection_arrives_as_rows(monkeypatch, message, rows):
    def component(name: str, *_how) -> Callable[..., None]:
        def select(key: str, data, **callbacks) -> None:
            if name == "twin":
                given = SimpleNamespace(get=lambda event: message)
                monkeypatch.setitem(st.session_state, key, given)
                callbacks["on_selected_change"]()

        return select

    monkeypatch.setattr(scripts, "component", component)
    app = shown(12)
    assert ("rows" in app.session_state) == (rows is not None)
    if rows is not None:
        assert app.session_state["rows"] == rows


@pytest.mark.parametrize(
    ("k", "camera", "numbers"),
    [
        (2, "2", [2]),
        (2, "900,0.12345,-0.5,0", [900, 0.12345, -0.5, 0]),
        (2, "30,-20,2", None),  # of a picture in 3D
        (3, "30,-20,2", [30, -20, 2]),
        (3, "2,0.1,-0.5,0", None),  # of a flat one
        (3, "30,-20", None),
    ],
)
def test_a_picture_has_the_camera_of_the_address_if_it_is_of_its_kind(k, camera, numbers):
    app = AppTest.from_function(page, args=(6, k), default_timeout=60)
    app.query_params["camera"] = camera
    app.run()
    assert not app.exception
    assert twin_clouds(app)["t"].message["camera"] == numbers
    assert ("camera" in app.query_params) == (numbers is not None)
