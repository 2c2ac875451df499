"""The bundled corpora: full topics, no sentence twice, the counts and the score of the README."""

import csv
import re
from collections import Counter
from pathlib import Path

from scipy.stats import spearmanr

from geometry.data.corpus import read_bundled
from geometry.data.pairs import BUNDLED_PAIRS, read_bundled_pairs
from geometry.shipped import shipped_file
from tests.for_each import for_each

FOLDER = Path(__file__).resolve().parents[2] / "assets"
README = (FOLDER / "corpora" / "README.md").read_text(encoding="utf-8")

TOPICS = {
    "everyday", "science", "law", "cooking", "sport", "finance",
    "music", "travel", "medicine", "weather", "technology", "history",
}  # fmt: skip


def sentences_of(name: str) -> tuple[str, ...]:
    if name not in BUNDLED_PAIRS:
        return read_bundled(name).texts
    pairs = read_bundled_pairs(name)
    return pairs.left + pairs.right


@for_each(("name", "least"), [("topics", 100), ("topics-zh", 20)])
def test_every_topic_is_full(name, least):
    sizes = Counter(read_bundled(name).labels)
    assert set(sizes) == TOPICS
    assert min(sizes.values()) >= least


def test_no_sentence_is_in_two_files():
    found = Counter(
        re.sub(r"\W+$", "", text.lower())
        for name in ("topics", "topics-zh", *BUNDLED_PAIRS)
        for text in sentences_of(name)
    )
    assert [text for text, n in found.items() if n > 1] == []


@for_each("name", ["pairs", "pairs-zh"])
def test_the_counts_in_the_readme_are_those_of_the_file(name):
    with shipped_file(f"corpora/{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = README.split(f"Pairs of `{name}.csv` by topic and score:\n\n")[1].split("\n\n")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n")]
    scores = lines[0][1:-1]
    assert {line[0] for line in lines[2:-1]} == TOPICS
    for topic, *counts in lines[2:]:
        some = [row["score"] for row in rows if topic in (row["topic"], "all")]
        assert counts == [*(str(some.count(score)) for score in scores), str(len(some))]
    kinds = Counter(row["kind"] for row in rows)
    column = 2 if name == "pairs" else 3
    for kind, n in kinds.items():
        line = next(line for line in README.split("\n") if line.startswith(f"| {kind} |"))
        assert line.split("|")[column].strip() == str(n)


def test_the_score_of_common_words_alone_is_the_quoted_one():
    quoted = {name: float(value) for value, name in re.findall(r"([\d.]+) on `([\w-]+)`", README)}
    for name in BUNDLED_PAIRS:
        pairs = read_bundled_pairs(name)
        words = [
            [set(re.findall(r"[\u4e00-\u9fff]|[a-z0-9']+", text.lower())) for text in side]
            for side in (pairs.left, pairs.right)
        ]
        shares = [len(left & right) / len(left | right) for left, right in zip(*words, strict=True)]
        rho = 100 * spearmanr(shares, pairs.gold_scores)[0]
        assert f"{rho:.1f}" == f"{quoted[name]:.1f}"
    for prose in FOLDER.glob("text/*/sentence_similarity.md"):
        text = prose.read_text(encoding="utf-8").split("<!-- about-pairs-zh -->")[1]
        assert f" {quoted['pairs-zh']:.1f} " in text.split("<!--")[0]
