"""Which of a model's files are read, and whether they can be read, in a folder or on the hub.

The listing and config.json are judged before any weights.
"""

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from .errors import ModelFilesError

CONFIG, TOKENIZER = "config.json", "tokenizer.json"
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
SETTINGS = (
    CONFIG, TOKENIZER, "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
    "modules.json", "config_sentence_transformers.json", "sentence_*_config.json",
    "wordembedding_config.json", "whitespacetokenizer_config.json",
)  # fmt: skip
SHARD = re.compile(r"model-\d+-of-\d+\.safetensors")
MODULE = re.compile(r"\d+_\w+")  # sentence-transformers' folders: 1_Pooling, 2_Dense
# Models of averaged word vectors have this file instead of a config.json.
STATIC = re.compile(r"(0_WordEmbeddings/)?wordembedding_config\.json")
PICKLES = ("pytorch_model*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
# Bytes. Parsed, JSON takes up to 25 times the memory of its text.
HEADER_LIMIT = 10_000_000  # of a safetensors file; a shard of a thousand tensors has 0.1 MB
SETTINGS_LIMIT = 20_000_000  # of a file of settings; a vocabulary of 400,000 words has 6 MB
TOKENIZER_LIMIT = 100_000_000  # of tokenizer.json; with 256,000 tokens and merges it has 34 MB

# The names of one setting in config.json; of an encoder-decoder the encoder's depth is first.
LAYER_SETTINGS = ("encoder_layers", "num_hidden_layers", "n_layers", "n_layer", "num_layers")
DECODER_LAYER_SETTINGS = ("decoder_layers", "num_decoder_layers")
DIMENSION_SETTINGS = ("hidden_size", "dim", "n_embd", "d_model")
# Settings that only models of images or sound have.
OTHER_SENSES = (
    "image_size", "patch_size", "num_channels", "vision_config", "audio_config",
    "num_mel_bins", "conv_dim", "feat_extract_norm", "sampling_rate",
)  # fmt: skip


def needed_files(paths: Collection[str]) -> list[str]:
    """The paths that are read, out of all paths of a model: settings first, weights last."""
    safe = list(filter(is_inside, paths))
    return sorted(filter(_is_setting, safe)) + weight_files(safe)


def is_inside(path: str) -> bool:
    """Whether a path of the hub stays in the repository's folder."""
    return ".." not in path.split("/") and not path.startswith("/")


def weight_files(paths: Collection[str]) -> list[str]:
    """The safetensors among the paths: one file or shards at the top, then those of modules."""
    top = [WEIGHTS] if WEIGHTS in paths else [path for path in paths if SHARD.fullmatch(path)]
    modules = [path for path in paths if _module_of(path) and path.endswith(f"/{WEIGHTS}")]
    return sorted(top) + sorted(modules)


def refuse_unreadable(
    name: str, paths: Collection[str], config: object, *, is_folder: bool
) -> None:
    """Raise ModelFilesError if no text model can be read from these files."""
    static = [path for path in paths if config is None and STATIC.fullmatch(path)]
    if not static and config is None:
        raise ModelFilesError(
            "missing_folder_file" if is_folder else "no_config", name=name, file=CONFIG
        )
    if not static:
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

        settings = config if isinstance(config, Mapping) else {}
        refuse_other_models(settings, name=name)
        kind = str(settings.get("model_type"))
        if kind not in CONFIG_MAPPING_NAMES:
            raise ModelFilesError("own_code", name=name, file=CONFIG, architecture=kind)
    place = static[0].rpartition("/")[0] if static else ""
    if not any(path.rpartition("/")[0] == place for path in weight_files(paths)):
        names = {path: path.rsplit("/", 1)[-1] for path in sorted(paths)}
        pickles = [path for path in names if any(fnmatchcase(names[path], p) for p in PICKLES)]
        if not pickles:
            raise ModelFilesError("missing_folder_file", name=name, file=WEIGHTS)
        command = _conversion(name, "safetensors")
        raise ModelFilesError("pickle_only", name=name, file=pickles[0], command=command)
    if not static and TOKENIZER not in paths:
        command = _conversion(name, "fast")
        raise ModelFilesError("slow_tokenizer", name=name, file=TOKENIZER, command=command)


def check_folder(folder: Path, *, name: str) -> int:
    """The bytes of the files to read; only settings, index and headers of the weights are read."""
    paths = folder_files(folder)
    config = read_settings(folder / CONFIG, name=name) if CONFIG in paths else None
    refuse_unreadable(name, paths, config, is_folder=True)
    needed = needed_files(paths)
    if TOKENIZER in needed:
        _refuse_long(folder / TOKENIZER, TOKENIZER_LIMIT, name=name)
    for path in needed:
        if path.endswith(".json") and path != TOKENIZER and not _module_of(path):
            read_settings(folder / path, name=name)  # the tokenizer may have megabytes
    refuse_missing_shards(folder, name, paths)
    shapes = _shapes(folder, name=name)
    if isinstance(config, Mapping):
        _refuse_unfit_sizes(shapes, config, name=name)
    return folder_bytes(folder)


def folder_bytes(folder: Path) -> int:
    return sum((folder / path).stat().st_size for path in needed_files(folder_files(folder)))


def refuse_missing_shards(folder: Path, name: str, paths: Collection[str]) -> None:
    """Raise ModelFilesError "half_downloaded" if the index or one of its shards is missing."""
    if WEIGHTS in paths or not any(map(SHARD.fullmatch, paths)):
        return
    if INDEX not in paths:
        raise incomplete(name, INDEX, "it is missing")
    shards = set(read_settings(folder / INDEX, name=name).get("weight_map", {}).values())
    for shard in sorted(shards - set(paths)):
        raise incomplete(name, shard, "it is missing")


def folder_files(folder: Path) -> list[str]:
    """Relative paths of the files at the folder's top and in its modules' folders, with "/"."""
    top = sorted(folder.iterdir())
    modules = [each for each in top if each.is_dir() and MODULE.fullmatch(each.name)]
    inner = [path for each in modules for path in each.iterdir()]
    return [path.relative_to(folder).as_posix() for path in (*top, *inner) if path.is_file()]


def module_folder(folder: Path, path: str, *, name: str) -> Path:
    """The folder of a module in modules.json. ModelFilesError if it is outside the model's."""
    if path and not MODULE.fullmatch(path):
        raise ModelFilesError("folder_elsewhere", name=name, folder=path)
    return folder / path


def read_modules(folder: Path) -> list[dict[str, Any]]:
    """The steps in a folder's modules.json, each with "type" and "path"; [] without the file."""
    path = folder / "modules.json"
    if not path.is_file():
        return []
    steps = read_settings(path, name=str(folder))
    if not isinstance(steps, list) or not all(
        isinstance(step, dict) and all(isinstance(step.get(key), str) for key in ("type", "path"))
        for step in steps
    ):
        raise ModelFilesError("no_steps", folder=str(folder))
    return steps


def read_settings(path: Path, *, name: str) -> Any:
    """The content of a JSON file of at most SETTINGS_LIMIT bytes."""
    _refuse_long(path, SETTINGS_LIMIT, name=name)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise incomplete(name, path.name, "it is not JSON") from error


def _refuse_long(path: Path, limit: int, *, name: str) -> None:
    if path.stat().st_size > limit:
        raise incomplete(name, path.name, f"it has more than {limit:,} bytes")


def _refuse_unfit_sizes(
    shapes: Collection[Sequence[int]], config: Mapping[str, Any], *, name: str
) -> None:
    """Raise ModelFilesError if the weights are too few for config.json.

    Without this check, transformers would build a billion layers and only then miss their weights.
    """
    n_weights = sum(map(math.prod, shapes))
    limits = dict.fromkeys((*LAYER_SETTINGS, *DECODER_LAYER_SETTINGS), len(shapes))
    limits |= dict.fromkeys((*DIMENSION_SETTINGS, "vocab_size"), n_weights)
    for setting, limit in limits.items():
        stated = config.get(setting)
        if isinstance(stated, int) and not 0 <= stated <= limit:
            found = {"tensors": len(shapes), "weights": n_weights}
            about = {"name": name, "file": CONFIG, "setting": setting, "stated": stated}
            raise ModelFilesError("too_few_weights", **about, **found)


def count_weights(folder: Path, *, name: str) -> int:
    return sum(map(math.prod, _shapes(folder, name=name)))


def _shapes(folder: Path, *, name: str) -> list[list[int]]:
    """The shape of each tensor, from the headers of the folder's safetensors."""
    shapes: list[list[int]] = []
    for path in weight_files(folder_files(folder)):
        with (folder / path).open("rb") as start:
            if int.from_bytes(start.read(8), "little") > HEADER_LIMIT:
                raise incomplete(name, path, "its header is too long")
        try:
            with safe_open(folder / path, "numpy") as file:
                shapes += (file.get_slice(key).get_shape() for key in file.keys())  # noqa: SIM118
        except SafetensorError as error:
            size = (folder / path).stat().st_size
            reason = f"its {size:,} bytes are not those that its header states"
            raise incomplete(name, path, reason) from error
    return shapes


def incomplete(name: str, file: str, reason: str) -> ModelFilesError:
    return ModelFilesError("half_downloaded", name=name, file=file, reason=reason)


def refuse_other_models(config: Mapping[str, Any], *, name: str) -> None:
    """Raise ModelFilesError "wrong_architecture" if config.json is not of a text model."""
    kind = str(config.get("model_type", "unknown"))
    found = {"name": name, "file": CONFIG, "architecture": kind}
    for settings in (LAYER_SETTINGS, DIMENSION_SETTINGS):
        if not any(isinstance(config.get(setting), int) for setting in settings):
            raise ModelFilesError("lacks_setting", settings=settings, **found)
    for setting in OTHER_SENSES:
        if setting in config:
            raise ModelFilesError("other_senses", setting=setting, **found)


def read_json(path: Path, default: dict[str, Any] | None = None) -> dict[str, Any]:
    """The settings in a JSON file; ``default``, if one is given, without the file."""
    if default is not None and not path.is_file():
        return default
    content = read_settings(path, name=str(path.parent))
    if not isinstance(content, dict):
        about = {"file": path.name, "folder": str(path.parent), "found": type(content).__name__}
        raise ModelFilesError("no_settings", **about)
    return content


def _is_setting(path: str) -> bool:
    if _module_of(path):
        return path.endswith(".json")
    return path == INDEX or any(fnmatchcase(path, pattern) for pattern in SETTINGS)


def _module_of(path: str) -> str:
    first, slash, _ = path.partition("/")
    return first if slash and MODULE.fullmatch(first) else ""


def _conversion(name: str, what: str) -> str:
    """The command that saves the model in a new folder, whose name ends in ``what``."""
    folder = f"{name.rstrip('/').rsplit('/', 1)[-1]}-{what}"
    return (
        'python -c "from sentence_transformers import SentenceTransformer; '
        f"SentenceTransformer('{name}').save('{folder}')\""
    )
