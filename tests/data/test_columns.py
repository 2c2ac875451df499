"""Columns of a file beside its texts: what is kept, and as what."""

import numpy as np
import pytest

from geometry import read_corpus
from geometry.data.columns import MOST_COLUMNS, columns_of
from geometry.data.limits import LIMITS
from geometry.vectors import read_vector_set

HEAD = "text,lang,price,id,note\n"


def table(n=12):
    return HEAD + "".join(
        f"a text {i},{'de' if i % 3 else 'en'},{i + 0.5},r{i},words of their own {i}\n"
        for i in range(n)
    )


def test_numbers_and_categories_are_kept_ids_and_further_texts_are_not():
    corpus = read_corpus(table().encode(), name="own.csv", text_column="text")
    assert [column.name for column in corpus.columns] == ["lang", "price"]
    lang, price = corpus.columns
    assert lang.categories == ("de", "en")  # the most frequent one first
    np.testing.assert_array_equal(lang.values[:3], [1, 0, 0])
    assert price.categories is None
    np.testing.assert_array_equal(price.values[:3], [0.5, 1.5, 2.5])
    taken = corpus.take([2, 0])
    np.testing.assert_array_equal(taken.columns[1].values, [2.5, 0.5])


def test_the_rows_of_a_column_are_those_of_the_texts():
    """Rows without text are left out; a sentence has the entry of its text."""
    lines = HEAD + ",de,1,9,x\nOne. Two.,en,2,8,y\nThree. Four.,en,3,6,z\n"
    corpus = read_corpus(lines.encode(), name="own.csv", text_column="text", by_sentence=True)
    assert len(corpus) == 4
    [price] = [column for column in corpus.columns if column.name == "price"]
    np.testing.assert_array_equal(price.values, [2, 2, 3, 3])


def test_decimal_commas_missing_numbers_and_the_limit_of_columns():
    lines = [f"a text {i};{i},5;1.{i}00,25" for i in range(9)]
    content = "\n".join(["text;price;sum", *lines]).encode()
    price, total = read_corpus(content, name="own.csv", text_column="text").columns
    np.testing.assert_array_equal(price.values[:2], [0.5, 1.5])
    np.testing.assert_array_equal(total.values[:2], [1000.25, 1100.25])
    [column] = columns_of([("price", ["1", "", "x", "2", "3.5"])])
    np.testing.assert_array_equal(column.values, [1, np.nan, np.nan, 2, 3.5])
    many = [(f"column {i}", ["a", "b", "a", "b"]) for i in range(30)]
    assert len(columns_of(many)) == MOST_COLUMNS
    assert columns_of([("empty", ["", ""]), ("one", ["a", "a"])]) == ()


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv"])
def test_vectors_keep_the_columns_beside_them(tmp_path, suffix):
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"text": [f"text {i}" for i in range(30)]})
    frame["lang"] = ["en", "de", "fr"] * 10
    frame["stars"] = [1, 2, 3, 4, 5] * 6
    frame["embedding"] = rng.standard_normal((30, 4)).round(3).tolist()
    path = tmp_path / f"own.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    elif suffix == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
    found = read_vector_set(path, vector_column="embedding", sample=20, seed=1)
    columns = {column.name: column for column in found.columns}
    rows = found.numbers - 1
    np.testing.assert_array_equal(columns["stars"].values, frame["stars"].to_numpy()[rows])
    lang = columns["lang"]
    assert [lang.categories[code] for code in lang.values] == frame["lang"][rows].tolist()


def test_the_limit_of_columns_counts_the_memory_that_they_take():
    """Equal cells share one string, so a column of few values takes eight bytes a row."""
    names = {}
    for lang in (["de", "en"], [f"language {i}" for i in range(1500)]):
        rows = "".join(f"{i}.5,1,{lang[i % len(lang)]}\n" for i in range(3000))
        found = read_vector_set(f"x,y,lang\n{rows}".encode(), limits=LIMITS.but(table_bytes=60_000))
        names[len(lang)] = [column.name for column in found.columns]
    assert names == {2: ["lang"], 1500: []}
