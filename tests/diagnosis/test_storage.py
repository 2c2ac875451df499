"""Stored vectors: forms by hand, cuts by PCA, losses by another route, the claim on signs."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from geometry import read_bundled
from geometry.diagnosis import diagnose, report_html, sentences, storage_table
from geometry.diagnosis.storage import (
    FORMS,
    LEVELS,
    axes,
    restored,
    rotation,
    unit,
    widths,
)
from geometry.diagnosis.trial import FOLDS, TrialSplit, folds
from geometry.diagnosis.yardsticks import LabelYardstick, Score, TrialRows, change, mean_score
from geometry.evaluate.fitting import FitSet
from geometry.shipped import shipped_file
from tests.diagnosis.made_up import labelled


def test_int8_and_signs_by_hand():
    """Of [0, 1] in the fit, .5 is level 127.5 of 255, which rounds to 128; 2 is clipped to 1."""
    of_fit = np.array([[0.0, -1.0], [1.0, 3.0]])
    U = np.array([[0.5, 1.0], [2.0, -1.0], [1 / LEVELS, 3.0]])
    expected = [[128 / 255, -1 + 128 * 4 / 255], [1.0, -1.0], [1 / 255, 3.0]]
    np.testing.assert_allclose(restored(U, of_fit, "int8"), expected, atol=1e-6)
    signs = restored(np.array([[0.3, -0.1, 0.0]]), of_fit, "binary")
    assert signs.tolist() == [[1.0, -1.0, 1.0]]
    # a constant dimension has one level
    assert restored(np.full((2, 1), 0.7), np.full((3, 1), 0.7), "int8").ravel() == pytest.approx(
        0.7
    )
    assert restored(np.array([[1 / 3]]), of_fit[:, :1], "float16")[0, 0] == np.float16(1 / 3)


def test_cuts_of_centred_rows_are_those_of_pca_and_a_rotation_keeps_cosines():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 10)) * np.arange(1, 11)
    X -= X.mean(axis=0)
    by_pca = PCA(4).fit(X).components_
    assert np.abs(np.diag(by_pca @ axes(X)[:, :4])) == pytest.approx(np.ones(4), abs=1e-6)
    assert axes(PCA().fit_transform(X)) == pytest.approx(np.eye(10))  # already along PCA's axes
    Q = rotation(10, 0)
    np.testing.assert_allclose(Q @ Q.T, np.eye(10), atol=1e-5)
    np.testing.assert_allclose((X @ Q) @ (X @ Q).T, X @ X.T, rtol=1e-4, atol=1e-2)
    assert widths(384) == [384, 256, 128, 64]
    assert widths(64) == [64]


def test_the_table_has_bytes_and_paired_losses_by_another_route():
    X, labels = labelled("centre", n=300)
    X = np.hstack([X, 0.01 * np.random.default_rng(0).standard_normal((300, 60))])  # d = 84
    X = X.astype(np.float32)
    diagnosis = diagnose(X, labels=labels)
    found = storage_table(diagnosis, X, labels=labels, seed=3)
    by_way = {(row.kind, row.k, row.form): row for row in found.rows}
    kinds = list(dict.fromkeys(row.kind for row in found.rows))
    assert kinds[:2] == ["leave", "centre"]
    assert len(found.rows) == len(by_way) >= 2 * 2 * len(FORMS)
    assert [by_way["leave", 84, form].n_bytes for form in FORMS] == [336, 168, 84, 11]
    assert by_way["leave", 64, "binary"].n_bytes == 8
    assert by_way["leave", 64, "binary"].smaller == 42
    assert by_way["leave", 84, "float32"].change is None
    fold, names, shares = folds(np.arange(300), FOLDS, 3), np.array(labels), {}
    for each in range(FOLDS):
        judged = fold == each
        Z = X - X[~judged].mean(axis=0)
        for form, stored in (("float32", X), ("binary", np.where(Z >= 0, 1, -1))):
            U = unit(stored.astype(np.float64))
            near = np.argsort(-(U @ U.T) + 9 * np.eye(300), axis=1, kind="stable")[judged, :5]
            shares.setdefault(form, []).append((names[near] == names[judged, None]).mean())
    raw, signs = by_way["leave", 84, "float32"], by_way["centre", 84, "binary"]
    assert raw.score == pytest.approx(np.mean(shares["float32"]), abs=1e-6)
    assert signs.score == pytest.approx(np.mean(shares["binary"]), abs=0.02)  # ties
    assert signs.change.value == pytest.approx(signs.score - raw.score)
    assert signs.change.low < signs.change.value < signs.change.high
    # float16 loses nothing that can be seen
    assert abs(by_way["leave", 84, "float16"].change.value) < 0.002
    html = report_html(diagnosis, storage=found)
    assert sentences.STORAGE["title"] in html
    assert sentences.storage_summary(found, str) in html
    assert sentences.STORAGE["title"] not in report_html(diagnosis)


def test_a_sample_of_items_has_some_of_every_fold(monkeypatch):
    """The fit of each fold judges items of that fold alone, also where few items are drawn."""
    monkeypatch.setattr("geometry.diagnosis.storage.COMPARED", 0)
    monkeypatch.setattr("geometry.diagnosis.storage.LEAST_ITEMS", 60)
    X, labels = labelled("centre", n=300)
    seen = []
    found = storage_table(
        diagnose(X, labels=labels),
        X,
        labels=labels,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert found.n_items == 60
    total = FOLDS * len(found.rows)
    assert seen == [(done, total) for done in range(1, total + 1)]
    assert storage_table(diagnose(X), X) is None  # nothing can judge


def whole(X: np.ndarray, yardstick, treatment: str, turned: int | None) -> Score:
    """The score of the signs of held-out rows (n, k) after a treatment, and a rotation."""
    groups = yardstick.row_groups
    rows = TrialRows(X, groups, groups, yardstick, np.ones(len(X), dtype=bool))
    split = TrialSplit.of(rows, 0)
    parts = []
    for fold, fitted in enumerate(split.fits):
        Z = unit(FitSet(X[fitted]).fit(treatment).reduced(X))
        Z = Z if turned is None else Z @ rotation(Z.shape[1], turned)
        signs = restored(Z, Z[fitted], "binary")
        parts.append(yardstick.score(signs, np.flatnonzero(split.item_folds == fold)))
    return mean_score(parts)


@pytest.mark.long
@pytest.mark.parametrize("name", ["topics-layer-4", "topics-layer-6", "e5-topics-layer-12"])
def test_whitening_before_signs_does_not_pay_on_the_shipped_topics(name):
    """Signs of whitened rows are worse than those of centred ones, turned at random or not."""
    with shipped_file("vectors").joinpath(f"{name}-mean.npz").open("rb") as file:
        X = np.load(file)["rows"].astype(np.float32)
    labels = np.array(read_bundled("topics").labels)
    yardstick = LabelYardstick(labels, np.arange(len(X)), np.arange(len(X)), 0)
    centred = whole(X, yardstick, "centred", None)
    for treatment in ("pca", "pca:lw", "zca:lw"):
        assert change(centred, whole(X, yardstick, treatment, None)).high < -0.15
    control = change(centred, whole(X, yardstick, "centred", 0))
    assert abs(control.value) < 0.03
    if name.startswith("e5"):  # a narrow cone: most dimensions of raw vectors have one sign
        assert change(centred, whole(X, yardstick, "none", None)).high < -0.15
