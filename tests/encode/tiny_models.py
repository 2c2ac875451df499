"""One tiny random model of each architecture, saved in the layout of the Hugging Face Hub."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BartConfig,
    BartModel,
    BertConfig,
    BertModel,
    BigBirdConfig,
    BigBirdModel,
    ConvBertConfig,
    ConvBertModel,
    DistilBertConfig,
    DistilBertModel,
    FNetConfig,
    FNetModel,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaModel,
    MambaConfig,
    MambaModel,
    ModernBertConfig,
    ModernBertModel,
    MPNetConfig,
    MPNetModel,
    OPTConfig,
    OPTModel,
    RobertaConfig,
    RobertaForMaskedLM,
    RwkvConfig,
    RwkvModel,
    SqueezeBertConfig,
    SqueezeBertModel,
    T5Config,
    T5ForConditionalGeneration,
    XLMRobertaConfig,
    XLMRobertaModel,
    YosoConfig,
    YosoModel,
)

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


def _bert() -> Any:
    sizes = {**SIZES, **VOCABULARY, **WIDE, "intermediate_size": 32}
    return BertModel(BertConfig(max_position_embeddings=POSITIONS, **sizes))


def _roberta() -> Any:
    sizes = {**SIZES, **VOCABULARY, **WIDE, "intermediate_size": 32}
    return RobertaForMaskedLM(RobertaConfig(max_position_embeddings=POSITIONS + 2, **sizes))


def _xlm_roberta() -> Any:
    sizes = {**SIZES, **VOCABULARY, **WIDE, "intermediate_size": 32}
    return XLMRobertaModel(XLMRobertaConfig(max_position_embeddings=POSITIONS + 2, **sizes))


def _mpnet() -> Any:
    sizes = {**SIZES, **VOCABULARY, **WIDE, "intermediate_size": 32}
    return MPNetModel(MPNetConfig(max_position_embeddings=POSITIONS + 2, **sizes))


def _distilbert() -> Any:
    sizes = {"dim": DIMENSION, "n_layers": N_LAYERS, "n_heads": 2, "hidden_dim": 32}
    config = DistilBertConfig(max_position_embeddings=POSITIONS, **sizes, **VOCABULARY, **WIDE)
    return DistilBertModel(config)


def _modernbert() -> Any:
    ends = {"bos_token_id": 0, "eos_token_id": 2, "cls_token_id": 0, "sep_token_id": 2}
    sizes = {**SIZES, **VOCABULARY, **WIDE, **ends, "intermediate_size": 32}
    config = ModernBertConfig(max_position_embeddings=POSITIONS, local_attention=4, **sizes)
    return ModernBertModel(config)


def _gpt2() -> Any:
    sizes = {"n_embd": DIMENSION, "n_layer": N_LAYERS, "n_head": 2, "n_positions": POSITIONS}
    ends = {"bos_token_id": 0, "eos_token_id": 2}
    return GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY["vocab_size"], **sizes, **ends, **WIDE))


def _llama() -> Any:
    sizes = {**SIZES, "num_key_value_heads": 1, "intermediate_size": 32, **WIDE}
    config = LlamaConfig(
        vocab_size=VOCABULARY["vocab_size"], max_position_embeddings=131072, **sizes
    )
    return LlamaModel(config)


def _t5() -> Any:
    sizes = {"d_model": DIMENSION, "num_layers": N_LAYERS, "num_heads": 2, "d_kv": 8, "d_ff": 32}
    # The decoder is deeper than the encoder; counting its layers would give 3.
    config = T5Config(num_decoder_layers=3, initializer_factor=5.0, **sizes, **VOCABULARY)
    return T5ForConditionalGeneration(config)


def _bart() -> Any:
    sizes = {"d_model": DIMENSION, "encoder_layers": N_LAYERS, "decoder_layers": 3, "init_std": 0.5}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    widths = {"encoder_ffn_dim": 32, "decoder_ffn_dim": 32}
    config = BartConfig(max_position_embeddings=POSITIONS, **sizes, **heads, **widths, **VOCABULARY)
    return BartModel(config)


BUILDERS: dict[str, Callable[[], Any]] = {
    "bert": _bert,
    "roberta": _roberta,
    "xlm-roberta": _xlm_roberta,
    "mpnet": _mpnet,
    "distilbert": _distilbert,
    "modernbert": _modernbert,
    "gpt2": _gpt2,
    "llama": _llama,
    "t5": _t5,
    "bart": _bart,
}


def _squeezebert() -> Any:
    sizes = {**SIZES, **VOCABULARY, **WIDE, "intermediate_size": 32, "embedding_size": DIMENSION}
    groups = dict.fromkeys(
        (f"{part}_groups" for part in ("q", "k", "v", "post_attention", "intermediate", "output")),
        1,
    )
    return SqueezeBertModel(SqueezeBertConfig(max_position_embeddings=POSITIONS, **sizes, **groups))


def _bigbird() -> Any:
    sizes = {**SIZES, **VOCABULARY, **WIDE, "intermediate_size": 32}
    blocks = {"block_size": 2, "num_random_blocks": 1}  # used for texts above 14 tokens
    return BigBirdModel(
        BigBirdConfig(max_position_embeddings=64, sep_token_id=2, **sizes, **blocks)
    )


def _mamba() -> Any:
    sizes = {"hidden_size": DIMENSION, "num_hidden_layers": N_LAYERS, "state_size": 4}
    return MambaModel(MambaConfig(**sizes, **VOCABULARY, **WIDE))


def _rwkv() -> Any:
    sizes = {"hidden_size": DIMENSION, "num_hidden_layers": N_LAYERS}
    return RwkvModel(RwkvConfig(vocab_size=VOCABULARY["vocab_size"], **sizes))


def _opt() -> Any:
    """Its last state is projected to another width, as OPT-350m's is."""
    sizes = {**SIZES, **VOCABULARY, "ffn_dim": 32, "word_embed_proj_dim": DIMENSION // 2}
    return OPTModel(OPTConfig(max_position_embeddings=POSITIONS, **sizes))


def _fnet() -> Any:
    sizes = {"hidden_size": DIMENSION, "num_hidden_layers": N_LAYERS, "intermediate_size": 32}
    config = FNetConfig(max_position_embeddings=POSITIONS, **sizes, **VOCABULARY, **WIDE)
    return FNetModel(config)


def _convbert() -> Any:
    sizes = {**SIZES, **VOCABULARY, **WIDE, "intermediate_size": 32, "embedding_size": DIMENSION}
    kernel = {"head_ratio": 1, "conv_kernel_size": 3}
    return ConvBertModel(ConvBertConfig(max_position_embeddings=POSITIONS, **sizes, **kernel))


def _yoso() -> Any:
    sizes = {**SIZES, **VOCABULARY, **WIDE, "intermediate_size": 32}
    return YosoModel(YosoConfig(max_position_embeddings=POSITIONS, use_expectation=True, **sizes))


# These can also be read. Each has a peculiarity that once prevented it.
OTHERS: dict[str, Callable[[], Any]] = {
    "squeezebert": _squeezebert,
    "bigbird": _bigbird,
    "mamba": _mamba,
    "rwkv": _rwkv,
}
# Text models that config.json does not rule out and that can't be used.
UNFIT: dict[str, Callable[[], Any]] = {
    "opt": _opt,
    "fnet": _fnet,
    "convbert": _convbert,
    "yoso": _yoso,
}
# Special tokens: GPT-2 adds none, Llama a first, T5 a last, the others both.
TEMPLATES = {"gpt2": "$A", "llama": f"{START} $A", "t5": f"$A {END}"}
DECODERS = ("gpt2", "llama")


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
    if kind not in DECODERS:
        settings["pad_token"] = PAD
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder
