"""A BERT of two layers with random weights and a word-piece vocabulary of its own, in a folder."""

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = (
    *("the", "a", "cat", "dog", "bird", "sat", "ran", "sang", "on", "under", "mat", "tree", "old"),
    *("red", "rain", "##s", "##y", "##ing", ".", "?"),
)
N_LAYERS, DIMENSION, MAX_TOKENS = 2, 16, 12


def save_tiny_bert(folder: Path, *, seed: int = 0, dtype: torch.dtype = torch.float32) -> Path:
    """Write config, weights and tokenizer as a hub folder has them; returns the folder."""
    vocabulary = {piece: i for i, piece in enumerate((*SPECIAL, *WORDS))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=DIMENSION,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=2 * MAX_TOKENS,
        initializer_range=0.5,  # large, so that layers and texts differ by more than rounding
    )
    torch.manual_seed(seed)
    BertModel(config).eval().to(dtype).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"model_max_length": MAX_TOKENS}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder
