"""The recorded grids, which the page shows first.

    python -m pages.evidence.recorded
    python -m pages.evidence.recorded --stsb FOLDER

The first measures the bundled tables on the bundled corpora and writes assets/evidence.json again.
Run it after a change of these, of the cures, or of how they are judged. The second measures STS-B,
which is not part of the project: FOLDER has sts-train.csv and sts-test.csv. The treatments are then
fitted on the sentences of train and judged on the pairs of test.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from geometry import Encoder, load_encoder, read_bundled, read_pairs
from geometry.data import read_bundled_pairs
from geometry.diagnosis.evidence import CURES, FLOW, GainGrid, Task, evidence
from geometry.diagnosis.yardsticks import Place
from geometry.shipped import shipped_file
from geometry.vectors import read_bundled_vectors
from geometry.vectors.word_averages import sentence_vectors
from pages.common.recorded import rounded, write_lines

FILE = shipped_file("evidence.json")
DECIMALS = 4
MINILM, E5, GLOVE = "all-MiniLM-L6-v2", "multilingual-e5-small", "GloVe"
ENCODERS = {MINILM: ("bundled", ""), E5: ("bundled-e5", "query: ")}
LAYERS = {MINILM: range(7), E5: (0, 3, 6, 9, 11, 12)}
POOLINGS = ("mean", "cls")
TASKS: tuple[Task, ...] = ("labels", "probe")
SIMILARITIES = ("cosine", "dot", "euclidean", "rank")
STOP_WORDS = "sklearn"


@cache
def recorded() -> dict[str, GainGrid]:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: GainGrid.of_json(each) for name, each in stored.items()}


Made = Iterator[tuple[str, Callable[[], GainGrid]]]


def bundled() -> Made:
    """The name of every grid of the bundled data, and what makes it."""
    for name, models in (("pairs", (MINILM, E5, GLOVE)), ("pairs-zh", (E5,))):
        for model in models:
            yield f"{name} {model} pairs", partial(_of_pairs, name, model)
    for model in (MINILM, E5, GLOVE):
        for task in TASKS:
            yield f"topics {model} {task}", partial(_of_topics, model, task)


def _vectors(model: str, texts: list[str]) -> dict[Place, np.ndarray]:
    """Of an encoder those of the recorded layers and poolings; of GloVe averages of words."""
    if model == GLOVE:
        table = read_bundled_vectors("glove")
        found = {}
        for pooling, stop_words in (("mean", "none"), ("no-stop-words", STOP_WORDS)):
            average = sentence_vectors(texts, table, empty="zero", stop_words=stop_words)
            found[0, pooling] = average.vectors
        return found
    name, prefix = ENCODERS[model]
    encoder = load_encoder(name, prefix=prefix, device="cpu")
    return encoded_places(encoder, texts, LAYERS[model])


def encoded_places(
    encoder: Encoder, texts: list[str], layers: Sequence[int], **how: Any
) -> dict[Place, np.ndarray]:
    hidden = encoder.encode_layers(texts, poolings=POOLINGS, layers=layers, **how)
    return {
        (layer, pooling): hidden[pooling][number]
        for pooling in POOLINGS
        for number, layer in enumerate(layers)
        if layer or pooling != "cls"  # [CLS] of layer 0 is one vector for all texts
    }


def _of_pairs(name: str, model: str) -> GainGrid:
    pairs = read_bundled_pairs(name)
    judge = {"task": "pairs", "pairs": (*pairs.rows, pairs.gold_scores)}
    similarities = SIMILARITIES if (name, model) == ("pairs", MINILM) else ("cosine",)
    return _grid(model, pairs.sentences, name, similarities=similarities, **judge)


def _of_topics(model: str, task: Task) -> GainGrid:
    topics = read_bundled("topics")
    return _grid(model, topics.texts, "topics", task=task, labels=topics.labels)


def _grid(model: str, texts: Iterable[str], data: str, **judge: Any) -> GainGrid:
    rows = list(texts)
    about = {"model": model, "data": data, "fit": "folds"}
    cures = (*CURES, FLOW)
    return evidence(_vectors(model, rows), texts=rows, cures=cures, about=about, **judge)


def stsb(folder: Path) -> Made:
    for model in (MINILM, E5, GLOVE):
        yield f"stsb {model} pairs", partial(_of_stsb, folder, model)


def _of_stsb(folder: Path, model: str) -> GainGrid:
    train, test = (read_pairs(folder / f"sts-{part}.csv") for part in ("train", "test"))
    texts = list(dict.fromkeys([*test.sentences, *train.sentences]))
    row = {text: place for place, text in enumerate(texts)}
    left, right = (np.array([row[text] for text in side]) for side in (test.left, test.right))
    is_train = np.isin(np.arange(len(texts)), np.append(left, right), invert=True)
    return evidence(
        _vectors(model, texts),
        task="pairs",
        texts=texts,
        pairs=(left, right, test.gold_scores),
        fittable=is_train,
        about={"model": model, "data": "STS-B test", "fit": "STS-B train"},
    )


def main() -> None:
    """Write the grids of the bundled data, or add those of STS-B; only those of a name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stsb", type=Path, help="folder with sts-train.csv and sts-test.csv")
    parser.add_argument("--only", default="", help="a part of the names of the grids to make")
    given = parser.parse_args()
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    for name, made in bundled() if given.stsb is None else stsb(given.stsb):
        if given.only in name:
            kept[name] = rounded(asdict(made()), DECIMALS)
            write_lines(FILE, dict(sorted(kept.items())))


if __name__ == "__main__":
    main()
