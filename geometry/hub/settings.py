"""What a model's config.json states, read before any weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .model_errors import ModelFilesError

# The same thing by its names in config.json. An encoder-decoder states two depths, its
# encoder's under a name of its own, so that name is asked first.
LAYER_SETTINGS = ("encoder_layers", "num_hidden_layers", "n_layers", "n_layer", "num_layers")


DIMENSION_SETTINGS = ("hidden_size", "dim", "n_embd", "d_model")


# Only models of pictures or sound have these.
OTHER_SENSES = (
    *("image_size", "patch_size", "num_channels", "vision_config", "audio_config"),
    *("num_mel_bins", "conv_dim", "feat_extract_norm", "sampling_rate"),
)


def refuse_other_models(config: Mapping[str, Any], *, name: str) -> None:
    """Raise ModelFilesError "wrong_architecture" where config.json is no text model's."""
    found = {"name": name, "file": "config.json"}
    found["architecture"] = str(config.get("model_type", "unknown"))
    for settings in (LAYER_SETTINGS, DIMENSION_SETTINGS):
        if not any(isinstance(config.get(setting), int) for setting in settings):
            raise ModelFilesError(
                "wrong_architecture", because="lacks_setting", settings=settings, **found
            )
    for setting in OTHER_SENSES:
        if setting in config:
            raise ModelFilesError(
                "wrong_architecture", because="other_senses", setting=setting, **found
            )


def refuse_unknown_kind(config: Mapping[str, Any], *, name: str) -> None:
    """Raise ModelFilesError "wrong_architecture" for a model that needs code of its own."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in CONFIG_MAPPING_NAMES:
        raise ModelFilesError(
            "wrong_architecture",
            because="own_code",
            name=name,
            file="config.json",
            architecture=str(kind),
        )


def read_json(path: Path, default: dict[str, Any] | None = None) -> dict[str, Any]:
    """The settings in a JSON file, or ``default`` where one is given and there is no such file.

    Raises ModelFilesError "unreadable" where the file holds something else than settings.
    """
    if default is not None and not path.is_file():
        return default
    content = json.loads(path.read_text(encoding="utf8"))
    if not isinstance(content, dict):
        raise ModelFilesError(
            "unreadable",
            because="no_settings",
            file=path.name,
            folder=str(path.parent),
            found=type(content).__name__,
        )
    return content
