"""The formulas of whitening on their page: symbols, check and columns of U."""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from geometry import Cloud
from geometry.transform import FlowEpoch
from pages.whitening.scene import terms_table
from tests.pages.charts import array, charts
from tests.pages.visits import healthy, new_visit, tables

FULL = {"fit-on": "same", "shrink": "none", "kept": "384"}
ALONE = {"third": "none", "fourth": "none"}

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]


@pytest.fixture(scope="module")
def X(cloud_of: Callable[..., Cloud]) -> np.ndarray:
    return cloud_of().vectors.astype(np.float64)


@pytest.fixture(scope="module")
def opened() -> Callable[..., AppTest]:
    def visit(part: str, **query: str) -> AppTest:
        return healthy(new_visit("whitening", {part: True}, **ALONE, **query).run())

    return visit


def checked(app: AppTest) -> dict[str, list[str]]:
    """The table of the check: name to its cells."""
    [(_head, *lines)] = [lines for lines in tables(app) if lines[0][0] == "whitening"]
    return {name: cells for name, *cells in lines}


def drawn(app: AppTest) -> np.ndarray:
    points = charts(app)["whitening-columns"]["figure"]["data"][0]
    return np.stack([array(points["x"]), array(points["y"])], axis=1)


def test_the_columns_of_u_are_those_of_the_svd(opened, X):
    app = opened("formula", **FULL)
    U, S, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    found = drawn(app) / np.sqrt(len(X))
    assert np.abs(np.sum(found * U[:, :2], axis=0)) == pytest.approx(1, abs=1e-4)
    figure = charts(app)["whitening-columns"]["figure"]["layout"]
    titles = [figure[axis]["title"]["text"] for axis in ("xaxis", "yaxis")]
    assert titles == ["column 1 of U", "column 2 of U"]
    [said] = [each.value for each in app.markdown if "What the symbols" in each.value]
    assert f"λ₁ = {S[0] ** 2 / len(X):.3g}" in said
    assert "n = 1,224" in said
    assert "rank is 383" in said


def test_in_full_the_covariance_is_the_identity(opened):
    table = checked(opened("formula", **FULL))
    assert list(table) == ["PCA whitening", "ZCA whitening"]
    for k, here, full in table.values():
        assert k == "383"
        assert here == full
        assert float(full) < 1e-4


def test_half_the_strength_leaves_what_the_eigenvalues_say(opened, X):
    knobs = FULL | {"second": "cholesky", "kept": "10", "strength": "0.5"}
    k, here, full = checked(opened("formula", **knobs))["PCA whitening"]
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1][:10]
    # lambda times the square of lambda^(-1/4)
    assert float(here) == pytest.approx(np.abs(np.sqrt(values) - 1).max(), abs=1e-5)
    assert k == "10"
    assert float(full) < 1e-4


def test_without_a_flow_its_part_says_how_to_train_one(opened):
    app = opened("flow", corpus="topics-zh")
    assert any(each.value.startswith("No flow is trained on these points") for each in app.info)
    assert "whitening-flow-before" not in charts(app)


def test_the_terms_of_an_epoch_are_a_column():
    epochs = [
        FlowEpoch(0, 9, 0, 5.0, 4.0, -7.5, 3.5),
        FlowEpoch(2, 9, 6, 4.0, 3.0, -8.25, 5.25),
    ]
    assert terms_table(epochs).split("\n")[2:] == [
        r"| $\log \mathcal{N}$ | −7.5 | −8.2 |",
        r"| $\log \lvert \det \rvert$ | 3.5 | 5.2 |",
        r"| $\log p(x)$ | −4.0 | −3.0 |",
    ]
