"""Each thing that can go wrong with a model of the hub: its code, its message, its details."""

import errno
import json

import pytest
from huggingface_hub import file_download

from geometry import ModelFilesError, load_encoder
from geometry.hub import ModelLimits, fetch, fetch_model

NAME = "tiny/bert"
WEIGHTS = "model.safetensors"
SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
STATIC = {
    **dict.fromkeys(("modules.json", "1_Pooling/config.json"), b"{}"),
    "0_WordEmbeddings/wordembedding_config.json": b"{}",
}


def refused(name=NAME, **keywords):
    with pytest.raises(ModelFilesError) as caught:
        load_encoder(name, **keywords)
    return caught.value


def settings(tiny, **changes):
    config = json.loads((tiny / "config.json").read_text(encoding="utf-8")) | changes
    return json.dumps({key: value for key, value in config.items() if value is not None}).encode()


def test_no_network(server, tiny):
    server.close()
    error = refused()
    assert error.code == "no_network"
    assert error.details["endpoint"] == server.url


def test_offline_without_the_model(server, tiny, offline):
    server.publish(NAME, tiny)
    offline()
    error = refused()
    assert (error.code, error.details["reason"]) == ("no_network", "HF_HUB_OFFLINE is set")
    assert server.requests == []


@pytest.mark.parametrize(
    ("fault", "value"), [("status", {NAME: 503}), ("no_listing", True), ("hides_sizes", True)]
)
def test_an_answer_that_is_none_of_a_hub(server, tiny, fault, value):
    server.publish(NAME, tiny)
    setattr(server.faults, fault, value)
    assert refused().code == "no_network"


def test_unknown_name(server, tiny):
    server.publish(NAME, tiny)
    error = refused("no/body")
    assert (error.code, error.details["name"]) == ("unknown_name", "no/body")


@pytest.mark.parametrize("name", ["not a name!", "a--b", "own/..er", "a" * 97, "a\0b", "-a"])
def test_an_invalid_name_is_refused_without_naming_the_hub(server, name):
    error = refused(name)
    assert (error.code, error.details["name"]) == ("invalid_name", name)
    assert server.url not in str(error)
    assert not server.requests


@pytest.mark.parametrize("arguments", [{"device": "gpu"}, {"dtype": "float16"}])
def test_what_the_machine_does_not_support_is_reported_before_anything_is_fetched(
    server, tiny, arguments
):
    server.publish(NAME, tiny)
    with pytest.raises(ValueError, match=r"gpu|float16"):
        load_encoder(NAME, **arguments)
    assert not server.requests


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("place", ["listing", "file"])
def test_gated(server, tiny, status, place):
    server.publish(NAME, tiny)
    if place == "listing":
        server.faults.status[NAME] = status
    else:
        server.faults.file_status["config.json"] = status
    error = refused()
    assert (error.code, error.details["status"]) == ("gated", status)


@pytest.mark.parametrize("revision", ["v9", "0" * 40, "../../main"])
def test_vanished_revision(server, tiny, revision):
    server.publish(NAME, tiny)
    error = refused(revision=revision)
    assert (error.code, error.details["revision"]) == ("vanished_revision", revision)


@pytest.mark.parametrize(
    "changes",
    [
        {"model_type": "vit", "image_size": 224},
        {"model_type": "vit", "num_hidden_layers": None},
        {"hidden_size": None},
    ],
)
def test_wrong_architecture_is_known_before_the_weights(server, tiny, files, changes):
    server.publish(NAME, files({"config.json": settings(tiny, **changes), "tokenizer.json": None}))
    error = refused()
    assert error.code == "wrong_architecture"
    assert error.details["architecture"] == changes.get("model_type", "bert")
    assert server.fetched() == {"config.json"}


def test_pickle_only(server, files):
    server.publish(NAME, files({WEIGHTS: None, "pytorch_model.bin": b"pickled"}))
    error = refused()
    assert (error.code, error.details["file"]) == ("pickle_only", "pytorch_model.bin")
    assert "SentenceTransformer('tiny/bert').save('bert-safetensors')" in error.details["command"]
    assert server.fetched() == {"config.json"}


def test_static_vectors(server, files):
    """In a folder of their own, at the top as sentence-transformers saves them now, as pickle."""
    server.publish(NAME, {**STATIC, f"0_WordEmbeddings/{WEIGHTS}": files()[WEIGHTS]})
    assert (fetch_model(NAME) / "0_WordEmbeddings" / WEIGHTS).is_file()
    paths = ("modules.json", "wordembedding_config.json", "whitespacetokenizer_config.json")
    server.publish(NAME, {**dict.fromkeys(paths, b"{}"), WEIGHTS: files()[WEIGHTS]})
    folder = fetch_model(NAME)
    assert all((folder / path).is_file() for path in (*paths, WEIGHTS))
    server.publish(NAME, {**STATIC, "0_WordEmbeddings/pytorch_model.bin": b"x"})
    assert refused().code == "pickle_only"


@pytest.mark.parametrize(
    ("changes", "code", "fetched"),
    [
        ({"config.json": None}, "wrong_architecture", set()),
        ({"tokenizer.json": None, "vocab.txt": b"the"}, "slow_tokenizer", {"config.json"}),
    ],
)
def test_a_file_that_is_needed_and_not_listed(server, files, changes, code, fetched):
    server.publish(NAME, files(changes))
    assert refused().code == code
    assert server.fetched() == fetched


@pytest.mark.parametrize(
    ("fault", "value", "code", "reason"),
    [
        ("breaks", [1000, 500, *[0] * 6], "half_downloaded", "the transfer broke"),
        ("file_status", 404, "half_downloaded", "lists a file that it does not have"),
        ("file_status", 503, "no_network", "it answered 503"),
    ],
)
def test_weights_that_do_not_arrive(server, files, tmp_path, fault, value, code, reason):
    server.publish(NAME, files())
    getattr(server.faults, fault)[WEIGHTS] = value
    error = refused()
    assert error.code == code
    assert reason in error.details["reason"]
    blobs = tmp_path / "home/hub/models--tiny--bert/blobs"
    assert not list(blobs.glob("*.incomplete"))


def test_a_disk_that_fills_meanwhile(server, files, monkeypatch):
    server.publish(NAME, files())

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(file_download, "http_get", full)
    error = refused()
    assert (error.code, error.because) == ("no_disk", "disk_failed")


@pytest.mark.parametrize(
    ("limits", "because", "fetched"),
    [
        ({"max_model_megabytes": 1}, "too_large", set()),
        ({"dimensions": 15}, "wide_vectors", {"config.json"}),
    ],
)
def test_too_large_is_known_before_the_weights(server, files, limits, because, fetched):
    """Only files that are read count."""
    server.publish(NAME, files({"onnx/model.onnx": bytes(3_000_000)}))
    load_encoder(NAME, limits=ModelLimits(max_model_megabytes=1))
    server.publish(NAME, files({WEIGHTS: bytes(1_500_000), "x.json": b"{}"}))
    server.requests.clear()
    error = refused(limits=ModelLimits(**limits))
    assert (error.code, error.because) == ("too_large", because)
    assert server.fetched() <= fetched


def test_an_index_whose_shard_is_not_there(server, files):
    index = json.dumps({"weight_map": {"a": SHARDS[0], "b": SHARDS[1]}}).encode()
    shards = {SHARDS[0]: files()[WEIGHTS], "model.safetensors.index.json": index}
    server.publish(NAME, files({WEIGHTS: None, **shards}))
    error = refused()
    assert (error.code, error.details["file"]) == ("half_downloaded", SHARDS[1])
    assert not [path for path in server.fetched() if path.endswith(".safetensors")]


def test_no_disk_is_known_before_anything_is_fetched(server, files, monkeypatch):
    server.publish(NAME, files())
    monkeypatch.setattr(fetch, "free_bytes", lambda folder: 1000)
    error = refused()
    assert (error.code, error.details["free"]) == ("no_disk", 1000)
    assert error.details["needed"] == sum(map(len, files().values()))
    assert server.fetched() == set()


def test_not_allowed(server, tiny):
    server.publish(NAME, tiny)
    error = refused(limits=ModelLimits(allow=("google-bert/*",)))
    assert (error.code, error.details["allowed"]) == ("not_allowed", ("google-bert/*",))
    assert server.requests == []
    load_encoder(NAME, limits=ModelLimits(allow=("google-bert/*", "tiny/*")))


def test_weights_of_a_module_that_are_missing_at_a_full_commit_are_fetched(server, files):
    """They come last; without them the folder looks complete."""
    dense = "2_Dense/model.safetensors"
    content = {"2_Dense/config.json": b"{}", dense: files()[WEIGHTS]}
    commit = server.publish(NAME, files(content))
    server.faults.file_status[dense] = 404
    assert refused(revision=commit).code == "half_downloaded"
    server.faults.file_status.clear()
    assert (fetch_model(NAME, revision=commit) / dense).is_file()
    server.requests.clear()
    fetch_model(NAME, revision=commit)
    assert not server.requests
