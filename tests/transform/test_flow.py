"""NormalizingFlow: results of a fit, how a fit ends, refused input, side effects."""

import math
import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal
from sklearn.covariance import LedoitWolf
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from geometry import NormalizingFlow
from geometry.transform import FlowEpoch
from tests.for_each import for_each

SMALL = {"n_couplings": 2, "hidden_units": 8, "max_epochs": 3, "batch_size": 32}


def cloud(n: int = 120, d: int = 4, *, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + 3.0


def small(**settings) -> NormalizingFlow:
    return NormalizingFlow(**{**SMALL, **settings})


@pytest.fixture(scope="module")
def moons():
    """A flow on two half-moons, which no Gaussian describes."""
    X = make_moons(1000, noise=0.08, random_state=0)[0]
    return NormalizingFlow(hidden_units=32, max_epochs=150, learning_rate=5e-3).fit(X)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks():
    check_estimator(small(), on_skip=None)


# What it learns


def test_moons_beat_a_gaussian(moons):
    fresh = make_moons(1500, noise=0.08, random_state=1)[0]
    gaussian = LedoitWolf().fit(fresh)
    peer = multivariate_normal(gaussian.location_, gaussian.covariance_).logpdf(fresh).mean()
    assert moons.score(fresh) > peer + 0.3


def test_the_density_integrates_to_one(moons):
    xs, ys = np.linspace(-6, 7, 400), np.linspace(-6, 6.5, 400)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    mass = np.exp(moons.score_samples(grid)).sum() * (xs[1] - xs[0]) * (ys[1] - ys[0])
    assert mass == pytest.approx(1, abs=2e-3)


# The start


def test_the_linear_start_is_ledoit_wolfs_gaussian_exactly():
    X = cloud(200, 5)
    # a step too small to move anything
    flow = small(learning_rate=1e-12, max_epochs=1).fit(X)
    is_train = _trained_on(flow, X)
    assert is_train.sum() == flow.n_train_ == 180
    peer = LedoitWolf().fit(X[is_train])
    assert flow.shrinkage_ == pytest.approx(peer.shrinkage_, rel=1e-9)
    density = multivariate_normal(peer.location_, peer.covariance_)
    np.testing.assert_allclose(flow.score_samples(X), density.logpdf(X), atol=1e-5)
    held_out = -density.logpdf(X[~is_train]).mean()
    assert flow.history_[0].held_out_loss == pytest.approx(held_out, abs=1e-4)


def _trained_on(flow: NormalizingFlow, X: np.ndarray) -> np.ndarray:
    """(n,) bool: the training rows, by the library's split with the fit's seed."""
    from sklearn.utils import check_random_state

    from geometry.transform.flow import _held_out_rows

    seed = check_random_state(flow.random_state).randint(2**31 - 1)
    return ~_held_out_rows(X, flow.validation_fraction, np.random.default_rng(seed))


def test_the_linear_start_is_zca():
    X = cloud(200, 4)
    flow = small(learning_rate=1e-12, max_epochs=1).fit(X)
    jacobian = (flow.transform(X[:1] + np.eye(4)) - flow.transform(X[:1])).T
    # among whitenings only ZCA is symmetric
    np.testing.assert_allclose(jacobian, jacobian.T, atol=1e-5)
    assert np.linalg.eigvalsh(jacobian).min() > 0


def test_a_null_direction_gives_no_false_gain():
    """Training must not give this direction a variance below the floor, shrinkage times v."""
    X = np.c_[cloud(400, 3), np.full(400, 2.0)]
    flow = NormalizingFlow(hidden_units=16, max_epochs=60, learning_rate=1e-2).fit(X)
    e = 1e-4 * np.eye(4)[3]
    slope = (flow.transform(X + e) - flow.transform(X - e)) / 2e-4  # dz / dx4
    floor = flow.shrinkage_ * X.var(axis=0).sum() / 4
    # A Gaussian of that variance has the slope 1 / sqrt(floor); with 400 rows, within about 10%.
    assert np.median(np.linalg.norm(slope, axis=1)) < 1.3 / np.sqrt(floor)


# How a fit ends


def test_progress_is_called_at_the_start_and_after_every_epoch():
    epochs: list[FlowEpoch] = []
    flow = small().fit(cloud(), progress=epochs.append)
    assert tuple(epochs) == flow.history_
    assert [each.epoch for each in epochs] == [0, 1, 2, 3]
    assert [each.steps for each in epochs] == [0, 4, 8, 12]  # 108 rows are four batches of 32
    assert {each.max_epochs for each in epochs} == {3}
    assert all(math.isfinite(each.train_loss + each.held_out_loss) for each in epochs)
    assert (flow.n_epochs_, flow.stop_reason_) == (3, "max_epochs")
    assert (flow.n_train_, flow.n_held_out_) == (108, 12)


def test_the_two_terms_are_those_of_the_held_out_rows():
    X = cloud(60, 6)
    flow = small(max_epochs=20, learning_rate=3e-2).fit(X)
    best, held_out = flow.history_[flow.best_epoch_], X[~_trained_on(flow, X)]
    assert flow.best_epoch_ > 0
    z = flow.transform(held_out)
    normal = multivariate_normal(np.zeros(6), np.eye(6)).logpdf(z)
    assert best.held_out_log_normal == pytest.approx(normal.mean(), abs=1e-4)
    assert best.held_out_log_det == pytest.approx(flow.log_det(held_out).mean(), abs=1e-4)
    # at the start the determinant is that of the whitening
    assert flow.history_[0].held_out_log_det == pytest.approx(flow.map_.start_log_det)
    for each in flow.history_:
        total = each.held_out_log_normal + each.held_out_log_det
        assert total == pytest.approx(-each.held_out_loss)


def test_the_map_is_that_of_the_best_epoch():
    X = cloud(60, 6)
    flow = small(max_epochs=200, patience=4, learning_rate=3e-2).fit(X)
    losses = [each.held_out_loss for each in flow.history_]
    assert flow.stop_reason_ == "patience"
    assert flow.best_epoch_ == int(np.argmin(losses))
    assert flow.n_epochs_ == flow.best_epoch_ + 4
    held_out = X[~_trained_on(flow, X)]
    assert -flow.score(held_out) == pytest.approx(min(losses), abs=1e-4)


def test_where_nothing_helps_the_map_is_that_of_the_start():
    # noise in as many dimensions as rows: every step overfits
    X = np.random.default_rng(0).standard_normal((60, 40))
    flow = small(max_epochs=30, patience=3, learning_rate=0.1).fit(X)
    assert flow.best_epoch_ == 0
    assert flow.n_epochs_ == 3
    np.testing.assert_allclose(flow.log_det(X), np.full(60, flow.map_.start_log_det), rtol=1e-12)


def _interrupt(*_: object) -> None:
    raise InterruptedError


def test_what_progress_raises_leaves_the_estimator_unfitted():
    X = cloud()
    for flow in (small(), small().fit(X)):
        with pytest.raises(InterruptedError):
            flow.fit(cloud(d=6), progress=_interrupt)
        for call in (flow.transform, flow.inverse_transform, flow.score_samples, flow.log_det):
            with pytest.raises(NotFittedError):
                call(X)
        with pytest.raises(NotFittedError):
            flow.to_arrays()
        assert flow.fit(X).transform(X).shape == X.shape


def test_diverging_returns_the_best_so_far():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flow = small(learning_rate=1e30, max_epochs=20).fit(cloud())
    assert flow.stop_reason_ == "diverged"
    assert np.isfinite(flow.transform(cloud())).all()


# Repeatability, and what is left alone


def test_torch_is_left_as_it_was():
    state = torch.get_rng_state()
    numpy_state = np.random.get_state()[1].copy()  # noqa: NPY002
    with torch.no_grad():
        small().fit(cloud())
        assert not torch.is_grad_enabled()
    with torch.inference_mode():
        small().fit(cloud())
        assert torch.is_inference_mode_enabled()
    assert torch.is_grad_enabled()
    assert torch.equal(state, torch.get_rng_state())
    np.testing.assert_array_equal(numpy_state, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.slow
def test_applying_a_stored_flow_needs_no_torch(tmp_path):
    X = cloud()
    flow = small().fit(X)
    np.savez(tmp_path / "flow.npz", **flow.to_arrays())
    np.save(tmp_path / "X.npy", X)
    code = (
        "import sys, numpy as np; from geometry import NormalizingFlow\n"
        "flow = NormalizingFlow.from_arrays(np.load(sys.argv[1] + '/flow.npz'))\n"
        "np.save(sys.argv[1] + '/z.npy', flow.transform(np.load(sys.argv[1] + '/X.npy')))\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    np.testing.assert_allclose(np.load(tmp_path / "z.npy"), flow.transform(X), atol=1e-12)


def test_a_flow_comes_back_from_its_arrays():
    X = cloud()
    flow = small().fit(X)
    again = NormalizingFlow.from_arrays(flow.to_arrays())
    np.testing.assert_array_equal(again.score_samples(X), flow.score_samples(X))
    assert (again.n_couplings, again.hidden_units) == (flow.n_couplings, flow.hidden_units)


# Precision and odd input


@for_each(
    ("X", "message"),
    [
        (np.float64(3), "Expected 2D array, got scalar"),
        (np.arange(5.0), "Expected 2D array, got 1D"),
        (np.ones((1, 4)), "minimum of 2"),
        (np.eye(2), r"at least 3 distinct rows.*got 2 in n_samples = 2"),
        (np.repeat(np.eye(2), 9, axis=0), r"got 2 in n_samples = 18"),
        (np.ones((20, 4)), "got 1 in n_samples = 20"),
        (np.empty((20, 0)), "0 feature"),
        (1e6 + 1e-11 * np.eye(4), "distinct rows"),
    ],
)
def test_what_has_no_density_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        small().fit(X)


@for_each(
    "X",
    [
        cloud(3, 2),
        cloud(80, 1),
        cloud(10, 30),
        np.c_[cloud(80, 3), np.full(80, 7.0), np.zeros(80)],
        np.repeat(cloud(10, 3), 5, axis=0),
        cloud(80, 3) * 1e-12,
        cloud(80, 3) * 1e12,
    ],
)
def test_odd_clouds_are_carried_and_brought_back(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flow = small().fit(X)
        z = flow.transform(X)
    assert np.isfinite(z).all()
    assert np.isfinite(flow.score_samples(X)).all()
    np.testing.assert_allclose(flow.inverse_transform(z), X, atol=1e-9 * np.abs(X).max())


def test_equal_rows_are_held_out_together():
    X = np.repeat(cloud(30, 3), 4, axis=0)
    held_out = ~_trained_on(small(), X)
    assert held_out.sum() == 12
    assert all(len(set(four)) == 1 for four in held_out.reshape(30, 4).tolist())


@for_each(
    ("setting", "message"),
    [
        ({"n_couplings": 0}, "n_couplings must be an integer of at least 1; got 0"),
        ({"hidden_units": 2.5}, "hidden_units must be an integer"),
        ({"max_epochs": 0}, "max_epochs must be"),
        ({"patience": -1}, "patience must be"),
        ({"batch_size": "8"}, "batch_size must be"),
        ({"learning_rate": 0}, "learning_rate must be a finite number above 0"),
        ({"learning_rate": math.nan}, "learning_rate must be"),
        ({"learning_rate": math.inf}, "learning_rate must be"),
        ({"validation_fraction": 1}, "validation_fraction must lie between 0 and 1"),
        ({"validation_fraction": 0}, "validation_fraction must lie"),
    ],
)
def test_settings_out_of_range_are_refused(setting, message):
    with pytest.raises(ValueError, match=message):
        small(**setting).fit(cloud())
