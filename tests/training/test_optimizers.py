"""Optimisers of the softmax rows: one step by hand, the cone at equal loss, the recorded file."""

import numpy as np
import pytest
import torch

from geometry.training import TrainingError, train_language_model, training_text
from geometry.training.models import coupled_adam
from geometry.training.shipped_training import (
    OPTIMIZERS_FILE,
    SEEDS,
    VARIANTS,
    OptimizerRuns,
    recorded_optimizers,
    train_optimizers,
)

PLACES = {name: place for place, name in enumerate(VARIANTS)}


def test_coupled_adam_by_hand():
    """Two steps: m = 0.1 g, then 0.9 m + 0.1 g; v is the mean of g² over the rows."""
    rows = torch.zeros(2, 1, requires_grad=True)
    optimizer = coupled_adam(rows, 0.5)
    gradients = np.array([[[3.0], [4.0]], [[1.0], [0.0]]])
    m, v, wanted = np.zeros((2, 1)), 0.0, np.zeros((2, 1))
    for n, gradient in enumerate(gradients, 1):
        rows.grad = torch.tensor(gradient, dtype=torch.float32)
        optimizer.step()
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * (gradient**2).mean()
        wanted -= 0.5 * (m / (1 - 0.9**n)) / np.sqrt(v / (1 - 0.999**n))
    assert rows.detach().numpy() == pytest.approx(wanted, rel=1e-5)
    assert wanted[0] / wanted[1] != pytest.approx(1, abs=0.1)  # Adam would make them almost equal


def test_the_gradients_of_all_rows_sum_to_zero_and_adam_makes_them_large():
    """Why the optimiser decides: the step of a never-seen row against that of a frequent one."""
    text = training_text(vocabulary=600, n_unseen=50)
    small = {"width": 16, "context": 16, "batch_size": 16, "steps": 1, "record_every": 1}
    unseen, frequent = text.unseen(), text.frequent(10)
    share = {}
    for name in ("adam", "coupled-adam", "sgd"):
        start, end = train_language_model(text, optimizer=name, tied=False, **small)
        step = end.embeddings.astype(np.float64) - start.embeddings
        lengths = np.linalg.norm(step, axis=1)
        share[name] = lengths[unseen].mean() / lengths[frequent].mean()
        if name == "sgd":
            assert np.linalg.norm(step.sum(axis=0)) < 1e-4 * lengths.sum()
    assert share["adam"] > 0.9
    assert max(share["coupled-adam"], share["sgd"]) < 0.3


def test_an_unknown_optimizer_is_refused():
    with pytest.raises(TrainingError, check=lambda error: error.code == "optimizer"):
        next(train_language_model(training_text(vocabulary=600, n_unseen=50), optimizer="adamw"))


def test_values_at_one_loss_by_hand():
    loss = np.array([[[4.0, 3.0, 3.5, 2.0]], [[4.0, 3.6, 3.2, 2.8]]])
    cosine = np.zeros((2, 1, 4, 3))
    cosine[..., 0] = [[[0.0, 0.2, 0.9, 0.6]], [[0.0, 0.1, 0.2, 0.3]]]
    runs = OptimizerRuns(np.arange(4), loss, cosine, cosine)
    assert runs.equal_loss == 2.8
    # of the first, half of the way from 3 to 2 (the step with 3.5 is no new lowest loss)
    assert runs.at_loss("unseen", 2.5)[0] == pytest.approx(0.4)
    assert np.isnan(runs.at_loss("unseen", 2.5)[1])
    assert runs.at_loss("unseen", 3.4)[:, 0] == pytest.approx([0.12, 0.15])


def test_the_recorded_trainings_show_what_the_page_says():
    runs = recorded_optimizers()
    assert runs.loss.shape == (len(VARIANTS), len(SEEDS), 41)
    assert OPTIMIZERS_FILE.stat().st_size < 200_000
    cosines = runs.at_loss("unseen", runs.equal_loss)
    assert cosines[PLACES["adam"]].min() > 0.4
    for name in ("coupled-adam", "sgd", "cosreg"):
        assert cosines[PLACES[name]].max() < 0.15


@pytest.mark.slow
def test_the_script_makes_the_recorded_numbers():
    """Its short form. With another version of Python, whose manual differs, only roughly."""
    shipped = recorded_optimizers()
    found = train_optimizers(seeds=SEEDS[:1], steps=10)
    assert found.loss == pytest.approx(shipped.loss[:, :1, :2], rel=0.05)
    assert found.cosine == pytest.approx(shipped.cosine[:, :1, :2], abs=0.03)
