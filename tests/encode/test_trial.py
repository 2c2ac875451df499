"""A model's trial in a separate process: which models pass, and which limits stop it."""

import json
import subprocess
import sys

import numpy as np
import pytest

from geometry import ModelFilesError, load_encoder
from geometry.encode import encoder, trial
from geometry.encode.trial import try_model
from tests.encode.tiny_encoder import save_tiny_bert


def settings(folder, **changed):
    """A tiny BERT with changed values in config.json."""
    save_tiny_bert(folder)
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed), encoding="utf-8")
    return folder


def refused(folder, **limits):
    with pytest.raises(ModelFilesError) as caught:
        try_model(folder, name="mine", **limits)
    return caught.value


@pytest.mark.slow
@pytest.mark.usefixtures("real_trial")
def test_a_model_is_tried_before_its_files_are_read_and_once(tmp_path, monkeypatch):
    mine = load_encoder(save_tiny_bert(tmp_path))
    processes = []
    start = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: processes.append(a) or start(*a, **k))
    assert not processes  # creating the encoder starts no process
    assert np.isfinite(mine.encode(["the cat"])).all()
    load_encoder(tmp_path).read_files()
    assert len(processes) == 1
    settings(tmp_path, hidden_act="relu")  # other files are another model
    load_encoder(tmp_path).read_files()
    assert len(processes) == 2


@pytest.mark.usefixtures("real_trial")
def test_nothing_of_a_model_is_read_here_when_its_trial_fails(tmp_path, monkeypatch):
    def fails(*_, **__):
        raise ModelFilesError("too_heavy", name="x", limit=1, seconds=1)

    def read(*_, **__):
        raise AssertionError("read in this process")

    monkeypatch.setattr(encoder, "try_model", fails)
    for name in ("PieceReader", "probed_states"):
        monkeypatch.setattr(encoder, name, read)
    mine = load_encoder(save_tiny_bert(tmp_path))
    for use in (mine.read_files, lambda: mine.encode(["a"]), lambda: mine.special_tokens):
        with pytest.raises(ModelFilesError, check=lambda error: error.because == "too_heavy"):
            use()
    with pytest.raises(AssertionError):
        load_encoder(tmp_path, trial=False).encode(["a"])


def test_the_bundled_encoder_needs_no_trial(monkeypatch):
    monkeypatch.setattr(encoder, "try_model", lambda *_, **__: pytest.fail("tried"))
    assert load_encoder().special_tokens
    assert load_encoder().coverage(["a"]).tokens == 1


def test_the_time_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "BASE_SECONDS", 0.3)
    assert refused(save_tiny_bert(tmp_path)).because == "too_heavy"


def test_a_cancel_ends_the_process_at_the_first_call(tmp_path, monkeypatch):
    processes, calls = [], []
    start = subprocess.Popen

    def start_and_remember(*call, **options):
        processes.append(start(*call, **options))
        return processes[-1]

    def cancel(*_):
        calls.append(processes[0].poll())
        raise KeyError

    monkeypatch.setattr(subprocess, "Popen", start_and_remember)
    with pytest.raises(KeyError):
        try_model(save_tiny_bert(tmp_path), name="mine", report=cancel)
    assert calls == [None]  # the process was still running
    assert processes[0].poll() is not None


def test_a_process_without_an_answer_is_a_refusal(tmp_path, monkeypatch):
    dead = tmp_path / "python"
    dead.write_text("#!/bin/sh\nkill -SEGV $$\n", encoding="utf-8")
    dead.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(dead))
    assert refused(save_tiny_bert(tmp_path / "m")).because == "too_heavy"


@pytest.mark.long
@pytest.mark.parametrize("setting", ["intermediate_size", "type_vocab_size", "num_labels"])
def test_settings_that_take_all_memory_end_the_process_only(tmp_path, setting):
    error = refused(settings(tmp_path, **{setting: 10**9}))
    assert error.because == "too_heavy"
    assert "1,000.2 MB of memory" in str(error)


@pytest.mark.parametrize("setting", ["num_hidden_layers", "hidden_size", "vocab_size"])
def test_settings_beyond_the_weights_are_refused_at_once(tmp_path, setting):
    settings(tmp_path, **{setting: 10**9})
    with pytest.raises(ModelFilesError) as caught:
        load_encoder(tmp_path)
    assert caught.value.because == "too_few_weights"
    assert f"states 1,000,000,000 as `{setting}`" in str(caught.value)
