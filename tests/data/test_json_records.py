"""JSON as tools write it: where its rows are is found, asked for, or refused."""

import json

import numpy as np
import pandas as pd
import pytest

from geometry import CorpusError, read_corpus
from geometry.data.recognise import Reading
from geometry.errors import GeometryError
from geometry.vectors import read_vector_set, recognise
from geometry.vectors.errors import VectorFileError
from tests.for_each import for_each

VECTORS = np.random.default_rng(0).normal(size=(5, 4)).round(3)
TEXTS = tuple(f"The train {i} is late." for i in range(5))
TOPICS = ("rail", "rail", "food", "food", "rail")
LISTS = VECTORS.tolist()
RECORDS = [
    {"text": text, "topic": topic, "embedding": vector}
    for text, topic, vector in zip(TEXTS, TOPICS, LISTS, strict=True)
]
FRAME = pd.DataFrame({"text": TEXTS, "topic": TOPICS})


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def vectors_of(content, name="a.json", path=None, **options):
    content = content if isinstance(content, str) else json.dumps(content)
    return read_vector_set(content.encode(), name=name, reading=Reading(path=path), **options)


def texts_of(content, name="a.json", path=None, **options):
    content = content if isinstance(content, str) else json.dumps(content)
    return read_corpus(content.encode(), name=name, reading=Reading(path=path), **options)


def asked(call, *arguments, **options):
    with pytest.raises((CorpusError, VectorFileError)) as caught:
        call(*arguments, **options)
    assert caught.value.code == "uncertain", caught.value
    assert caught.value.details["option"] == "path"
    assert "`--path " in str(caught.value)
    return caught.value.details["choices"]


OF_VECTORS = {
    "lines": lines(RECORDS),
    "array on a line": json.dumps(RECORDS),
    "array, printed": json.dumps(RECORDS, indent=1),
    "records one after the other, printed": "\n".join(json.dumps(r, indent=2) for r in RECORDS),
    "lists": LISTS,
    "lists in lines": lines(LISTS),
    "words": dict(zip(("the", "king", "of", "May", "1990"), LISTS, strict=True)),
    "OpenAI": {
        "object": "list",
        "data": [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(LISTS)],
        "model": "m",
        "usage": {"prompt_tokens": 3, "total_tokens": 3},
    },
    "OpenAI, batch": lines(
        {
            "id": f"b{i}",
            "response": {"status_code": 200, "body": {"data": [{"index": 0, "embedding": v}]}},
            "error": None,
        }
        for i, v in enumerate(LISTS)
    ),
    "OpenAI, batch of several": lines(
        {
            "custom_id": f"b{i}",
            "response": {"body": {"data": [{"index": j, "embedding": v} for j, v in enumerate(p)]}},
        }
        for i, p in enumerate((LISTS[:2], LISTS[2:]))
    ),
    "Gemini, lines": lines({"embedding": {"values": vector}} for vector in LISTS),
    "Gemini, batch": {"embeddings": [{"values": vector} for vector in LISTS]},
    "Cohere": {
        "id": "x",
        "texts": TEXTS,
        "embeddings": {"float": LISTS},
        "meta": {"api_version": {"version": "2"}},
    },
    "Ollama": {"model": "m", "embeddings": LISTS, "total_duration": 14},
    "Chroma": {
        "ids": [f"i{i}" for i in range(5)],
        "embeddings": LISTS,
        "documents": TEXTS,
        "metadatas": [{"topic": topic} for topic in TOPICS],
        "uris": None,
        "data": None,
        "included": ["embeddings", "documents", "metadatas"],
    },
    "Qdrant": {
        "result": {
            "points": [
                {"id": i, "payload": {"text": t}, "vector": v}
                for i, (t, v) in enumerate(zip(TEXTS, LISTS, strict=True))
            ],
            "next_page_offset": None,
        },
        "status": "ok",
    },
    "Pinecone": {
        "namespace": "",
        "vectors": {
            f"d{i}": {"id": f"d{i}", "values": v, "metadata": {"n": i}} for i, v in enumerate(LISTS)
        },
    },
    "Weaviate": {"data": {"Get": {"Doc": [{"_additional": {"vector": v}} for v in LISTS]}}},
    "Elasticsearch": {
        "took": 1,
        "_shards": {"total": 1, "failed": 0},
        "hits": {
            "total": {"value": 5, "relation": "eq"},
            "hits": [{"_id": str(i), "_source": r} for i, r in enumerate(RECORDS)],
        },
    },
    "MongoDB": lines(
        {
            "_id": {"$oid": f"{i:024x}"},
            "embedding": [{"$numberDouble": str(x)} for x in v],
        }
        for i, v in enumerate(LISTS)
    ),
    "pgvector": lines({"id": i, "embedding": json.dumps(v)} for i, v in enumerate(LISTS)),
    "a vector in a list": lines({"embedding": [vector]} for vector in LISTS),
    "several vectors in a line": lines({"embeddings": part} for part in (LISTS[:3], LISTS[3:])),
    "columns": {"text": TEXTS, "embedding": LISTS},
    "by key": {f"doc{i}": record for i, record in enumerate(RECORDS)},
    "rows of cells": [[text, vector] for text, vector in zip(TEXTS, LISTS, strict=True)],
    "dimensions": lines(dict(zip("abcd", row, strict=True)) for row in LISTS),
    "dimensions, columns": {
        "text": TEXTS,
        **{f"d{i}": column for i, column in enumerate(VECTORS.T.tolist())},
    },
    "long first line": lines([{**RECORDS[0], "note": "x" * 500_000}, *RECORDS[1:]]),
}


@for_each("form", OF_VECTORS)
def test_vectors_of_every_form(form):
    found = vectors_of(OF_VECTORS[form])
    np.testing.assert_allclose(found.vectors, VECTORS, rtol=1e-6)
    assert found.report.n_rows == 5


@for_each(
    "form",
    [
        *("lines", "array on a line", "array, printed", "columns", "by key", "long first line"),
        *("Elasticsearch", "Qdrant", "Chroma", "Cohere"),
    ],
)
def test_texts_of_every_form(form):
    column = {
        "Elasticsearch": "_source.text",
        "Qdrant": "payload.text",
        "Chroma": "documents",
        "Cohere": "texts",
    }.get(form, "text")
    assert texts_of(OF_VECTORS[form], text_column=column).texts == TEXTS
    assert texts_of(OF_VECTORS[form], "a.json").texts == TEXTS


def test_nested_names_have_points_and_may_be_labels():
    found = vectors_of(
        OF_VECTORS["Chroma"], text_column="documents", label_column="metadatas.topic"
    )
    assert (found.texts, found.labels) == (TEXTS, TOPICS)
    batch = vectors_of(OF_VECTORS["OpenAI, batch of several"], text_column="custom_id")
    assert batch.texts == ("b0", "b0", "b1", "b1", "b1")


@for_each("orient", ["records", "columns", "index", "split", "values", "table", "list", "tight"])
def test_tables_of_pandas(orient):
    if orient in ("list", "tight"):
        content = json.dumps(FRAME.to_dict(orient))
    else:
        content = FRAME.to_json(orient=orient)
    chosen = ("column 1", "column 2") if orient == "values" else ("text", "topic")
    corpus = texts_of(content, text_column=chosen[0], label_column=chosen[1])
    assert (corpus.texts, corpus.labels) == (TEXTS, TOPICS)
    renamed = FRAME.set_index(pd.Index([f"doc-{i}" for i in range(5)]))
    if orient in ("columns", "index"):
        assert texts_of(renamed.to_json(orient=orient), text_column="text").texts == TEXTS


@for_each(
    "content",
    [
        {"text": list(TEXTS)},
        list(TEXTS),
        {"text": dict(enumerate(TEXTS))},
        {"results": {"items": [{"text": text} for text in TEXTS]}, "n": 5},
    ],
)
def test_texts_alone(content):
    assert texts_of(content).texts == TEXTS


def test_where_the_rows_are_is_asked_and_answered():
    two = {"train": [{"text": t} for t in TEXTS], "test": [{"text": t} for t in TEXTS[:2]]}
    assert asked(texts_of, two) == ("train", "test")
    assert texts_of(two, path="train").texts == TEXTS
    assert texts_of(two, path="test").texts == TEXTS[:2]
    alike = {"old": {"hits": RECORDS}, "new": {"hits": RECORDS}}
    assert asked(vectors_of, alike) == ("old.hits", "new.hits")
    assert vectors_of(alike, path="new.hits").vectors.shape == (5, 4)
    with pytest.raises(CorpusError, match="no column `absent`"):
        texts_of(two, path="absent")


def test_a_table_of_dimensions_and_vectors_by_number_are_asked_about():
    content = {str(i): row for i, row in enumerate(LISTS)}
    assert asked(vectors_of, content) == ("*", "*.*")
    assert vectors_of(content, path="*").vectors.shape == (5, 4)
    assert vectors_of(content, path="*.*").vectors.shape == (4, 5)
    assert asked(vectors_of, {f"dim_{i}": row for i, row in enumerate(LISTS)}) == ("*", "*.*")
    alike = {"a1": {"b1": "x y", "b2": "z"}, "a2": {"b1": "x w", "b2": "v"}}
    assert asked(texts_of, alike) == ("*", "*.*")
    assert texts_of(alike, path="*", text_column="b1").texts == ("x y", "x w")
    assert texts_of(alike, path="*.*", text_column="a1").texts == ("x y", "z")


def test_several_vectors_of_a_point_are_asked_about():
    points = lines({"id": 1, "vector": {"text": v, "image": v[:2]}} for v in LISTS)
    assert asked(vectors_of, points) == ("vector.text", "vector.image")
    assert vectors_of(points, path="vector.image").vectors.shape == (5, 2)
    assert vectors_of(points, vector_column="vector.text").vectors.shape == (5, 4)
    several = lines({"title": LISTS[:2], "body": LISTS[:3]} for _ in range(2))
    assert asked(vectors_of, several) == ("title", "body")
    assert vectors_of(several, path="body").vectors.shape == (6, 4)
    usual = lines({"embedding": v, "tokens": [1, 2]} for v in LISTS)
    assert vectors_of(usual).vectors.shape == (5, 4)


def test_a_dimension_of_whole_or_missing_numbers_is_kept():
    rows = [{f"d{i}": x for i, x in enumerate(row)} | {"id": i} for i, row in enumerate(LISTS)]
    whole = [row | {"d1": 1} for row in rows]
    assert vectors_of(lines(whole)).vectors.shape == (5, 4)
    for gaps in (range(1, 5), range(5)):
        missing = [row | ({"d1": None} if i in gaps else {}) for i, row in enumerate(rows)]
        with pytest.raises(VectorFileError, match=r"missing number: |No row has a number in `d1`"):
            vectors_of(lines(missing))
    absent = [
        row if i == 0 else {k: row[k] for k in row if k != "d1"} for i, row in enumerate(rows)
    ]
    with pytest.raises(VectorFileError, match="missing number: 4"):
        vectors_of(lines(absent))


def test_true_and_false_are_no_numbers():
    with pytest.raises(VectorFileError, match="`True` in column `embedding`"):
        vectors_of(lines({"embedding": [True, False]} for _ in range(3)))
    rows = [{"active": i % 2 == 0, "d0": i, "d1": -i} for i in range(4)]
    assert vectors_of(lines(rows)).vectors.shape == (4, 2)


@for_each("form", ["array, printed", "Chroma", "Qdrant", "OpenAI", "long first line"])
def test_a_document_larger_than_its_head_is_recognised_as_vectors(form):
    content = OF_VECTORS[form]
    content = content if isinstance(content, str) else json.dumps(content)
    content = content.replace("train 0", "train 0 " + "x" * 300_000)
    found = recognise(content.encode(), name="a.json")
    assert (found.holds, found.is_certain) == ("vectors", True)


MEAN = {
    "deep": ("[" * 100_000, "not a JSON object"),
    "deep records": ('{"a":' * 900 + "1" + "}" * 900, None),
    "long number": ("[" + "9" * 10_000 + "]", "not a JSON object"),
    "many lists": ("[[" + "[]," * 7_000_000 + "[]]]", "of memory. Write one record per line"),
    "many records": ("[" + '{"a":1},' * 2_000_000 + "{}]", "of memory. Write one record per line"),
    "no number": ('{"v": {"$numberDouble": null}}\n{"v": [{"$numberInt": "x"}]}\n', None),
    "cut off": ('[{"text": "a"}, {"te', "Line 1 is not"),
    "a value": ("3", "Line 1 is not"),
    "empty": ("[]", None),
    "broken line": ('{"text": "a"}\n{"text"\n', "Line 2 is not"),
    "mixed": ('{"text": {"0": "a"}}\n{"text": "b"}\n', "`text` is a value in some rows"),
}


@for_each("case", MEAN)
def test_mean_documents_are_refused(case):
    content, words = MEAN[case]
    for read in (texts_of, vectors_of):
        with pytest.raises((CorpusError, VectorFileError)) as caught:
            read(content)
        assert caught.value.code != "damaged_file"
        if words is not None and (read, case) != (vectors_of, "mixed"):
            assert words in str(caught.value)


def test_texts_that_are_all_within_lists_are_asked_about():
    turns = [{"role": "user", "content": "Is it late?"}, {"role": "bot", "content": "It is."}]
    for record in ({"messages": turns}, {"id": "x1", "messages": turns}):
        content = (json.dumps(record) + "\n").encode() * 3
        with pytest.raises(GeometryError) as caught:
            read_corpus(content, name="a.jsonl")
        assert caught.value.details["choices"] == ("messages",)
        read = read_corpus(content, name="a.jsonl", reading=Reading(path="messages"))
        assert read.texts == ("Is it late?", "It is.") * 3


def test_blank_lines_are_those_of_the_file():
    rows = [{"text": text, "topic": "a\n\nb"} for text in TEXTS]
    first, *rest = lines(rows).splitlines(keepends=True)
    corpus = read_corpus((first + "\n" + "".join(rest) + "  \n").encode(), name="a.jsonl")
    [blank] = [each for each in corpus.account.left_out if each.reason == "blank"]
    assert (blank.n, blank.rows) == (2, (2, 7))
