"""What is fetched from the hub: progress, cancelling, offline use."""

import threading

import numpy as np
import pytest
from huggingface_hub.utils import close_session
from safetensors.numpy import save

from geometry import load_encoder
from geometry.hub import ModelLimits, fetch_model
from tests.encode.tiny_encoder import save_tiny_bert

NAME = "tiny/bert"
WEIGHTS = "model.safetensors"
TEXTS = ["the old cat sat", "rain"]
LEFT_OUT = {
    **dict.fromkeys(("README.md", "pytorch_model.bin", "tf_model.h5", "vocab.txt"), b"x"),
    **dict.fromkeys(("flax_model.msgpack", "training_args.bin", "optimizer.pt"), b"x"),
    **dict.fromkeys(("trainer_state.json", "openvino/openvino_config.json"), b"{}"),
    **dict.fromkeys(("onnx/model.onnx", "model.fp16.safetensors", "onnx/config.json"), b"x"),
    **dict.fromkeys(("openvino/model.safetensors", "checkpoint-5/model.safetensors"), b"x"),
}


class Cancelled(Exception):
    pass


class Watch:
    """Records progress, and cancels when more than ``until`` bytes have arrived."""

    def __init__(self, until=None):
        self.until, self.reports = until, []

    def __call__(self, done, total):
        self.reports.append((done, total))
        if self.until is not None and done > self.until:
            raise Cancelled

    @property
    def done(self):
        return [done for done, _ in self.reports]


def test_the_same_vectors_as_from_the_folder(server, tiny):
    commit = server.publish(NAME, tiny)
    fetched = load_encoder(NAME)
    np.testing.assert_array_equal(
        fetched.encode(TEXTS), load_encoder(str(tiny)).encode(TEXTS), strict=True
    )
    assert (fetched.name, fetched.revision) == (NAME, commit)
    assert load_encoder(str(tiny)).revision is None
    assert fetched.fingerprint == load_encoder(str(tiny)).fingerprint


def test_a_branch_that_moved_is_fetched_anew(server, tiny, tmp_path):
    server.publish(NAME, tiny)
    old = fetch_model(NAME)
    moved = server.publish(NAME, save_tiny_bert(tmp_path / "other", seed=1))
    assert fetch_model(NAME).name == moved != old.name


def test_only_what_is_read_is_fetched(server, files):
    module = {"1_Pooling/config.json": b"{}", "modules.json": b"[]", "2_Dense/config.json": b"{ }"}
    module["2_Dense/model.safetensors"] = save({"linear.weight": np.eye(2)})
    server.publish(NAME, files({**LEFT_OUT, **module, "2_Dense/pytorch_model.bin": b"x"}))
    folder = fetch_model(NAME)
    expected = {"config.json", "tokenizer.json", "tokenizer_config.json", WEIGHTS, *module}
    assert server.fetched() == expected
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == expected


def test_shards_are_fetched_with_their_index(server, tiny, tmp_path):
    from transformers import BertModel

    sharded = tmp_path / "sharded"
    BertModel.from_pretrained(tiny).save_pretrained(sharded, max_shard_size="8KB")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (sharded / name).write_bytes((tiny / name).read_bytes())
    assert len(list(sharded.glob("model-*.safetensors"))) > 1
    server.publish(NAME, sharded)
    np.testing.assert_array_equal(
        load_encoder(NAME).encode(TEXTS), load_encoder(str(tiny)).encode(TEXTS)
    )


def test_a_second_time_nothing_is_fetched(server, tiny):
    server.publish(NAME, tiny)
    folder = fetch_model(NAME)
    server.requests.clear()
    watch = Watch()
    assert fetch_model(NAME, progress=watch) == folder
    assert [request.path for request in server.requests] == [""]  # only the listing
    assert watch.reports == []


def test_offline_what_is_there_is_used(server, tiny, offline):
    server.publish(NAME, tiny)
    folder = fetch_model(NAME)
    offline()
    server.requests.clear()
    assert load_encoder(NAME).revision == folder.name
    assert server.requests == []


def test_a_hub_that_is_gone_leaves_what_is_there(server, tiny):
    server.publish(NAME, tiny)
    folder = fetch_model(NAME)
    server.close()
    close_session()  # an open connection would still work
    assert fetch_model(NAME) == folder


def test_a_cancel_leaves_a_silent_server_at_once_and_what_is_whole_is_kept(server, files):
    server.publish(NAME, files())
    size = len(files()[WEIGHTS])
    server.faults.stalls[WEIGHTS] = size // 2
    others = sum(len(content) for name, content in files().items() if name != WEIGHTS)
    with pytest.raises(Cancelled):
        fetch_model(NAME, progress=Watch(until=others + size // 4))
    assert not server.released.is_set()  # the server is still silent
    server.released.set()
    for thread in threading.enumerate():
        if thread.name == "hub transfer":
            thread.join(10)
            assert not thread.is_alive()
    server.requests.clear()
    watch = Watch()
    fetch_model(NAME, progress=watch)
    assert server.fetched() == {WEIGHTS}
    assert watch.done[0] >= others


@pytest.mark.parametrize("no_ranges", [False, True])
def test_a_transfer_that_breaks_once_goes_on_and_progress_never_falls(server, files, no_ranges):
    """From a mirror that knows no ranges, too."""
    server.publish(NAME, files())
    server.faults.breaks[WEIGHTS] = [len(files()[WEIGHTS]) // 2]
    server.faults.no_ranges = no_ranges
    watch = Watch()
    load_encoder(NAME, progress=watch)
    assert watch.done == sorted(watch.done)
    assert watch.reports[-1] == (sum(map(len, files().values())),) * 2


def test_a_file_that_shrank_in_the_cache_is_fetched_again(server, tiny, tmp_path):
    server.publish(NAME, tiny)
    weights = fetch_model(NAME) / WEIGHTS
    content = weights.read_bytes()
    weights.resolve().write_bytes(content[:100])
    assert (fetch_model(NAME) / WEIGHTS).read_bytes() == content


def test_without_the_package_the_bundled_files_come_from_the_hub(server, tiny, monkeypatch):
    from geometry.hub import bundled

    commit = server.publish(bundled.REPOSITORY, tiny)
    monkeypatch.setattr(bundled, "bundled_folder", lambda: None)
    monkeypatch.setattr(bundled, "REVISION", commit)
    nothing = ModelLimits(allow=("no/model",), local_folders=False, max_model_megabytes=1)
    assert load_encoder(limits=nothing).revision == commit
