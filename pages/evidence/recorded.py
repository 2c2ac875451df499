"""The recorded grids, which the page shows first.

    python -m pages.evidence.recorded
    python -m pages.evidence.recorded --stsb FOLDER

The first measures the bundled tables on the bundled corpora and writes assets/evidence.json again.
Run it after a change of these, of the cures, or of how they are judged. The second measures STS-B,
which is not part of the project: FOLDER has sts-train.csv and sts-test.csv. The treatments are then
fitted on the sentences of train and judged on the pairs of test.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from geometry import load_encoder, read_bundled, read_pairs
from geometry.data import read_bundled_pairs
from geometry.data.write import write
from geometry.diagnosis.evidence import Evidence, evidence
from geometry.diagnosis.trial import Place
from geometry.vectors import read_bundled_vectors
from geometry.vectors.word_averages import sentence_vectors

FILE = Path(__file__).parents[2] / "assets" / "evidence.json"
DECIMALS = 4
MINILM, E5, GLOVE = "all-MiniLM-L6-v2", "multilingual-e5-small", "GloVe"
ENCODERS = {MINILM: ("bundled", ""), E5: ("bundled-e5", "query: ")}
LAYERS = {MINILM: range(7), E5: (0, 3, 6, 9, 11, 12)}
POOLINGS = ("mean", "cls")
SIMILARITIES = ("cosine", "dot", "euclidean", "rank")
STOP_WORDS = "english"


@cache
def recorded() -> dict[str, Evidence]:
    """The grids of the file, by "<data> <model> <task>"."""
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: Evidence.of_json(each) for name, each in stored.items()}


def places_of(model: str, texts: list[str]) -> dict[Place, np.ndarray]:
    """Vectors of texts at the recorded layers and poolings of an encoder."""
    name, prefix = ENCODERS[model]
    encoder = load_encoder(name, prefix=prefix, device="cpu")
    hidden = encoder.encode_layers(texts, poolings=POOLINGS)
    return {(layer, each): hidden[each][layer] for each in POOLINGS for layer in LAYERS[model]}


def averages(texts: list[str]) -> dict[Place, np.ndarray]:
    """Averages of GloVe, of all words and without stop words; zero for a text without one."""
    table, found = read_bundled_vectors("glove"), {}
    for name, stop_words in (("mean", "none"), ("no-stop-words", STOP_WORDS)):
        average = sentence_vectors(texts, table, empty="zero", stop_words=stop_words)
        found[0, name] = average.vectors
    return found


def bundled() -> Iterator[tuple[str, Evidence]]:
    """Every grid of the bundled data."""
    topics = read_bundled("topics")
    for name in ("pairs", "pairs-zh"):
        pairs = read_bundled_pairs(name)
        for model in (MINILM, E5, GLOVE) if name == "pairs" else (E5,):
            texts = list(pairs.sentences)
            places = averages(texts) if model == GLOVE else places_of(model, texts)
            yield (
                f"{name} {model} pairs",
                evidence(
                    places,
                    task="pairs",
                    texts=texts,
                    pairs=(pairs.rows[0], pairs.rows[1], pairs.gold_scores),
                    similarities=SIMILARITIES if model == MINILM else ("cosine",),
                    about={"model": model, "data": name, "fit": "folds"},
                ),
            )
    for model in (MINILM, E5, GLOVE):
        texts = list(topics.texts)
        places = averages(texts) if model == GLOVE else places_of(model, texts)
        for task in ("labels", "probe"):
            about = {"model": model, "data": "topics", "fit": "folds"}
            given: dict[str, Any] = {"texts": texts, "labels": topics.labels, "about": about}
            yield f"topics {model} {task}", evidence(places, task=task, **given)


def stsb(folder: Path) -> Iterator[tuple[str, Evidence]]:
    """STS-B: fitted on the sentences of train, judged on the pairs of test."""
    train, test = (read_pairs(folder / f"sts-{part}.csv") for part in ("train", "test"))
    texts = list(dict.fromkeys([*test.sentences, *train.sentences]))
    row = {text: place for place, text in enumerate(texts)}
    left, right = (np.array([row[text] for text in side]) for side in (test.left, test.right))
    is_train = np.isin(np.arange(len(texts)), np.append(left, right), invert=True)
    for model in (MINILM, E5, GLOVE):
        places = averages(texts) if model == GLOVE else places_of(model, texts)
        yield (
            f"stsb {model} pairs",
            evidence(
                places,
                task="pairs",
                texts=texts,
                pairs=(left, right, test.gold_scores),
                fittable=is_train,
                about={"model": model, "data": "STS-B test", "fit": "STS-B train"},
            ),
        )


def _short(value: Any) -> Any:
    """The same with few decimals."""
    if isinstance(value, Mapping):
        return {name: _short(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_short(each) for each in value]
    if isinstance(value, np.integer):
        return int(value)
    return round(float(value), DECIMALS) if isinstance(value, float | np.floating) else value


def main() -> None:
    """Write the grids of the bundled data, or add those of STS-B."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stsb", type=Path, help="folder with sts-train.csv and sts-test.csv")
    folder = parser.parse_args().stsb
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    for name, found in bundled() if folder is None else stsb(folder):
        kept[name] = _short(found.as_json())
        lines = [f"{json.dumps(each)}: {json.dumps(kept[each])}" for each in sorted(kept)]
        write(FILE, ("{\n" + ",\n".join(lines) + "\n}\n").encode(), force=True)


if __name__ == "__main__":
    main()
