"""One tiny random model of each architecture, saved in the layout of the Hugging Face Hub."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

N_LAYERS, DIMENSION, POSITIONS = 2, 16, 24
PAD, UNKNOWN, START, END = "<pad>", "<unk>", "<s>", "</s>"
SPECIAL = (START, PAD, END, UNKNOWN)  # <pad> has the id 1, as in every published RoBERTa
WORDS = (
    *("the", "a", "cat", "dog", "bird", "sat", "ran", "sang", "on", "under", "mat", "tree", "old"),
    *("red", "rain", "."),
)
SIZES = {"hidden_size": DIMENSION, "num_hidden_layers": N_LAYERS, "num_attention_heads": 2}
VOCABULARY = {"vocab_size": len(SPECIAL) + len(WORDS), "pad_token_id": 1}
WIDE = {"initializer_range": 0.5}  # so that layers and texts differ by more than rounding


SHALLOW = {"hidden_size": DIMENSION, "num_hidden_layers": N_LAYERS}
LIKE_BERT = {**SIZES, **VOCABULARY, **WIDE, "intermediate_size": 32}
PLACES = {"max_position_embeddings": POSITIONS}
FROM_PAD = {"max_position_embeddings": POSITIONS + 2}  # counted from the padding's id on
ENDS = {"bos_token_id": 0, "eos_token_id": 2}
BART = {"d_model": DIMENSION, "encoder_layers": N_LAYERS, "decoder_layers": 3, "init_std": 0.5}
BART |= {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
BART |= {"encoder_ffn_dim": 32, "decoder_ffn_dim": 32}
PARTS = ("q", "k", "v", "post_attention", "intermediate", "output")


def _built(name: str, kind: str = "Model", **settings: Any) -> Any:
    """A model of transformers by the beginning and the end of its class's name."""
    config = getattr(transformers, f"{name}Config")(**settings)
    return getattr(transformers, f"{name}{kind}")(config)


Builders = dict[str, Callable[[], Any]]
BUILDERS: Builders = {
    "bert": partial(_built, "Bert", **LIKE_BERT, **PLACES),
    "roberta": partial(_built, "Roberta", "ForMaskedLM", **LIKE_BERT, **FROM_PAD),
    "xlm-roberta": partial(_built, "XLMRoberta", **LIKE_BERT, **FROM_PAD),
    "mpnet": partial(_built, "MPNet", **LIKE_BERT, **FROM_PAD),
    "distilbert": partial(
        *(_built, "DistilBert"),
        dim=DIMENSION,
        n_layers=N_LAYERS,
        n_heads=2,
        hidden_dim=32,
        **{**PLACES, **VOCABULARY, **WIDE},
    ),
    "modernbert": partial(
        *(_built, "ModernBert"),
        **{**LIKE_BERT, **PLACES, **ENDS, "cls_token_id": 0, "sep_token_id": 2},
        local_attention=4,
    ),
    "gpt2": partial(
        *(_built, "GPT2", "LMHeadModel"),
        n_embd=DIMENSION,
        n_layer=N_LAYERS,
        n_head=2,
        n_positions=POSITIONS,
        **{**ENDS, **WIDE, "vocab_size": VOCABULARY["vocab_size"]},
    ),
    "llama": partial(
        *(_built, "Llama"),
        **{**SIZES, **WIDE, "vocab_size": VOCABULARY["vocab_size"]},
        num_key_value_heads=1,
        intermediate_size=32,
        max_position_embeddings=131072,
    ),
    # The decoder is deeper than the encoder; counting its layers would give 3.
    "t5": partial(
        *(_built, "T5", "ForConditionalGeneration"),
        d_model=DIMENSION,
        num_layers=N_LAYERS,
        num_heads=2,
        d_kv=8,
        d_ff=32,
        **{**VOCABULARY, "num_decoder_layers": 3, "initializer_factor": 5.0},
    ),
    "bart": partial(_built, "Bart", **BART, **PLACES, **VOCABULARY),
}
# These can also be read. Each has a peculiarity that once prevented it.
OTHERS: Builders = {
    "squeezebert": partial(
        *(_built, "SqueezeBert"),
        **{**LIKE_BERT, "embedding_size": DIMENSION},
        **dict.fromkeys((f"{part}_groups" for part in PARTS), 1),
    ),
    "bigbird": partial(
        *(_built, "BigBird"),
        **{**LIKE_BERT, "max_position_embeddings": 64, "sep_token_id": 2},
        block_size=2,
        num_random_blocks=1,  # used for texts above 14 tokens
    ),
    "mamba": partial(_built, "Mamba", **SHALLOW, **VOCABULARY, **WIDE, state_size=4),
    "rwkv": partial(_built, "Rwkv", **SHALLOW, vocab_size=VOCABULARY["vocab_size"]),
}
# Text models that config.json does not rule out and that can't be used.
UNFIT: Builders = {
    # its last state is projected to another width, as OPT-350m's is
    "opt": partial(
        *(_built, "OPT"),
        **{**SIZES, **VOCABULARY, **PLACES, "ffn_dim": 32, "word_embed_proj_dim": DIMENSION // 2},
    ),
    "fnet": partial(
        _built, "FNet", **SHALLOW, **VOCABULARY, **WIDE, **PLACES, intermediate_size=32
    ),
    "convbert": partial(
        *(_built, "ConvBert"),
        **{**LIKE_BERT, **PLACES, "embedding_size": DIMENSION},
        head_ratio=1,
        conv_kernel_size=3,
    ),
    "yoso": partial(_built, "Yoso", **LIKE_BERT, **PLACES, use_expectation=True),
}
# Special tokens: GPT-2 adds none, Llama a first, T5 a last, the others both.
TEMPLATES = {"gpt2": "$A", "llama": f"{START} $A", "t5": f"$A {END}"}


def template(kind: str) -> str:
    return TEMPLATES.get(kind, f"{START} $A {END}")


def save_tiny(folder: Path, kind: str, *, padding_side: str = "right", seed: int = 0) -> Path:
    """Write config, weights and a word tokenizer; returns the folder."""
    torch.manual_seed(seed)
    build = BUILDERS.get(kind) or OTHERS.get(kind) or UNFIT[kind]
    build().eval().save_pretrained(folder)
    ids = {word: i for i, word in enumerate((*SPECIAL, *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=template(kind), special_tokens=[(name, ids[name]) for name in (START, END)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "padding_side": padding_side,
        "model_max_length": 10**30,
        "tokenizer_class": "PreTrainedTokenizerFast",
        "unk_token": UNKNOWN,
    }
    if kind not in ("gpt2", "llama"):
        settings["pad_token"] = PAD
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder
