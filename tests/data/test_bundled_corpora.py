"""The corpora that ship: full topics, short sentences, no near-duplicates, every score used."""

import re
from collections import Counter
from itertools import combinations

import pytest

from geometry.data.corpus import read_bundled
from geometry.data.pairs import read_bundled_pairs

TOPICS = {
    "everyday", "science", "law", "cooking", "sport", "finance",
    "music", "travel", "medicine", "weather", "technology", "history",
}  # fmt: skip


def trigrams(sentence: str) -> set[tuple[str, ...]]:
    """Of words; a Chinese character counts as one."""
    words = re.findall(r"[\u4e00-\u9fff]|[a-z0-9']+", sentence.lower())
    return set(zip(words, words[1:], words[2:], strict=False))


def near_duplicates(sentences: list[str]) -> list[tuple[str, str]]:
    """Pairs that share more than half of the smaller set of word trigrams."""
    sets = [trigrams(sentence) for sentence in sentences]
    return [
        (sentences[i], sentences[j])
        for i, j in combinations(range(len(sentences)), 2)
        if sets[i] and sets[j] and 2 * len(sets[i] & sets[j]) > min(len(sets[i]), len(sets[j]))
    ]


def test_the_measure_of_near_duplicates():
    assert near_duplicates(["the old dog barked at me", "the old dog barked at him"])
    assert not near_duplicates(["the old dog barked at me", "the old dog slept near me"])
    assert near_duplicates(["老狗昨晚對我叫了", "老狗昨晚對他叫了"]) == []
    assert near_duplicates(["老狗昨晚對我叫了一聲", "老狗昨晚對我叫了兩聲"])


@pytest.mark.parametrize(("name", "least"), [("topics", 100), ("topics-zh", 20)])
def test_every_topic_is_full(name, least):
    sizes = Counter(read_bundled(name).labels)
    assert set(sizes) == TOPICS
    assert min(sizes.values()) >= least


def test_sizes():
    assert len(read_bundled("topics")) >= 1200
    assert len(read_bundled("topics-zh")) == 240
    assert len(read_bundled_pairs()) >= 300


@pytest.mark.parametrize("name", ["topics", "topics-zh", "pairs"])
def test_sentences_are_unique_and_whole(name):
    texts = read_bundled(name).texts
    assert [text for text, n in Counter(map(str.lower, texts)).items() if n > 1] == []
    assert [text for text in texts if text[-1] not in '.?!。？！"'] == []
    assert [text for text in texts if re.search(r"\s\s|\s[.,?!]|\ufffd", text)] == []


def test_sentences_have_4_to_30_words():
    texts = read_bundled("topics").texts
    assert [text for text in texts if not 4 <= len(text.split()) <= 30] == []


@pytest.mark.parametrize("name", ["topics", "topics-zh"])
@pytest.mark.parametrize("topic", sorted(TOPICS))
def test_no_near_duplicates(topic, name):
    corpus = read_bundled(name)
    sentences = [t for t, label in zip(corpus.texts, corpus.labels, strict=True) if label == topic]
    assert near_duplicates(sentences) == []


def test_questions_and_statements():
    corpus = read_bundled("topics")
    questions = Counter(
        label for t, label in zip(corpus.texts, corpus.labels, strict=True) if t.endswith("?")
    )
    assert all(10 <= questions[topic] <= 50 for topic in TOPICS)


def test_chinese_sentences_are_chinese():
    for text in read_bundled("topics-zh").texts:
        han = sum("\u4e00" <= character <= "\u9fff" for character in text)
        assert han > len(text) / 2, text


def test_every_score_is_used():
    pairs = read_bundled_pairs()
    used = Counter(pairs.gold_scores.tolist())
    assert set(used) == {half / 2 for half in range(11)}
    assert min(used.values()) >= 10
    assert all(left != right for left, right in zip(pairs.left, pairs.right, strict=True))


def test_the_same_words_swapped_are_not_the_same_meaning():
    """Role swaps are what a bag of words cannot see: none is scored as a paraphrase."""
    pairs = read_bundled_pairs()
    swaps = [
        score
        for left, right, score in zip(pairs.left, pairs.right, pairs.gold_scores, strict=True)
        if sorted(re.findall(r"\w+", left.lower())) == sorted(re.findall(r"\w+", right.lower()))
    ]
    assert len(swaps) >= 20
    assert max(swaps) < 4.5
