"""Bytes to text: detected encodings, and refusals that name the file's kind."""

import io
from pathlib import Path

import pytest

from geometry.data.corpus import read_bundled
from geometry.data.decode import decode, read_text_file
from geometry.data.limits import CorpusError, Limits

GERMAN = "Die Straße war naß und die Bäume blühten schön.\nKönnen Sie mir helfen, bitte?\n"
FRENCH = "L'été dernier, nous étions à la plage.\nÇa va très bien, merci à vous tous.\n"
SWEDISH = "Flickan åt ett äpple på bron.\nVar är närmaste tågstation? Kan du hjälpa mig?\n"
QUOTED = "The dog’s bowl was “empty” again, and nobody had filled it.\n"
POLISH = "Zażółć gęślą jaźń.\nProszę o pomoc, bo źle się czuję.\nWłaśnie wróciłem z pracy.\n"
RUSSIAN = "Я иду в магазин, чтобы купить хлеб и молоко.\nКогда начинается концерт?\n"  # noqa: RUF001
JAPANESE = "昨日は友達と一緒に映画を見ました。とても面白かったです。\nカタカナも使います。\n"


def chinese() -> str:
    return "\n".join(read_bundled("topics-zh").texts)


def refused(content: bytes, encoding: str | None = None) -> CorpusError:
    with pytest.raises(CorpusError) as caught:
        decode(content, encoding=encoding)
    return caught.value


@pytest.mark.parametrize(
    ("codec", "read_as"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),  # Python writes the byte order mark, in the machine's byte order
        ("utf-32", "utf-32"),
    ],
)
def test_unicode_by_its_mark(codec, read_as):
    text = "naïve 餘弦 🙂\nline"
    assert decode(text.encode(codec)) == (text, read_as)


@pytest.mark.parametrize(
    ("mark", "codec"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]
)
def test_both_byte_orders(mark, codec):
    assert decode(mark + "餘弦".encode(codec)) == ("餘弦", "utf-16")


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (GERMAN, "cp1252"),
        (FRENCH, "cp1252"),
        (SWEDISH, "cp1252"),  # cp1250 also fits but is rarer
        (QUOTED, "cp1252"),
        (POLISH, "cp1250"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
    ],
)
def test_legacy_encodings_that_are_clear(text, codec):
    decoded, encoding = decode(text.encode(codec))
    assert decoded == text
    assert encoding == codec or text.encode(encoding) == text.encode(codec)


def test_big5():
    text = chinese()
    assert decode(text.encode("big5")) == (text, "big5")


def test_an_encoding_may_be_named():
    short = "Мама мыла раму."  # too short to detect its encoding
    assert decode(short.encode("koi8_r"), encoding="koi8-r") == (short, "koi8-r")
    assert decode("餘弦".encode("utf-16-le"), encoding="utf-16-le")[0] == "餘弦"


def test_an_encoding_that_is_not_clear():
    error = refused("abc\nМама мыла раму.".encode("koi8_r"))  # noqa: RUF001
    assert error.code == "wrong_encoding"
    assert error.details == {"encoding": "UTF-8", "offset": 4, "line": 2}
    assert "byte 4 (line 2)" in str(error)


def test_a_damaged_byte_is_named_and_nothing_is_guessed():
    content = bytearray("一行。\n二行。\n三行。\n".encode())
    place = content.index("三".encode())
    content[place] = 0xFF
    assert refused(bytes(content)).details == {"encoding": "UTF-8", "offset": place, "line": 3}
    # decodes as cp1252, but to wrong characters
    mixed = FRENCH.encode() + GERMAN.encode("cp1252")[:10]
    assert refused(mixed).details["line"] == 3


def test_a_cut_end_is_damage():
    assert refused("中文字".encode()[:-1]).code == "wrong_encoding"
    assert refused(b"\xff\xfea").details["encoding"] == "UTF-16-LE"


def test_the_wrong_name():
    assert refused("naïve".encode("cp1252"), "utf-8").code == "wrong_encoding"
    assert refused(b"abc", "no-such").code == "unknown_encoding"
    # a Python codec, but not a text encoding
    assert refused(b"abc", "rot13").code == "unknown_encoding"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n123", "PNG image"),
        (b"\xff\xd8\xff\xe0abc", "JPEG image"),
        (b"GIF89a123", "GIF image"),
        (b"%PDF-1.7\n", "PDF document"),
        (b"PK\x03\x04abc", "ZIP archive or Office document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old Office document"),
        (b"\x1f\x8b\x08abc", "gzip archive"),
        (b"\x93NUMPY\x01", "NumPy array"),
        (b"SQLite format 3\x00", "SQLite database"),
        (b"plain\x00text", "binary file"),
        ("no mark".encode("utf-16-le"), "binary file"),
        (b"\xff\xfe\x00\x00" + "a\0b".encode("utf-32-le"), "binary file"),
    ],
)
def test_what_is_no_text(content, kind):
    error = refused(content)
    assert (error.code, error.details) == ("binary", {"kind": kind})
    assert kind in str(error)


# Sources


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "My Corpus.v2.CSV"
    place.write_text("text\nünï\ncode\n", encoding="utf-8")
    return place


def test_every_kind_of_source_reads_alike(path):
    files = [
        read_text_file(path),
        read_text_file(str(path)),
        read_text_file(path.read_bytes(), name=path.name),
        read_text_file(io.BytesIO(path.read_bytes()), name=path.name),
    ]
    with path.open("rb") as opened:
        files.append(read_text_file(opened))
    assert len(set(files)) == 1
    assert files[0].title == "My Corpus.v2"
    assert files[0].suffix == ".csv"
    assert files[0].is_table


def test_a_stream_is_read_from_its_start():
    stream = io.BytesIO(b"one\ntwo")
    assert read_text_file(stream).text == read_text_file(stream).text == "one\ntwo"


def test_titles(path):
    assert read_text_file(path, name="mine").title == "mine"
    assert read_text_file(path, name="mine").is_table  # the file's own suffix counts
    assert read_text_file(b"x", name="v1.2 final").title == "v1.2 final"
    assert not read_text_file(b"x").is_table


def test_a_text_stream_is_refused(path):
    with path.open(encoding="utf-8") as opened, pytest.raises(TypeError, match="binary mode"):
        read_text_file(opened)


@pytest.mark.parametrize("name", ["absent.txt", ".", "x" * 5000, "nul\0l"])
def test_no_such_file(tmp_path, name):
    with pytest.raises(CorpusError) as caught:
        read_text_file(tmp_path / name)
    assert caught.value.code == "unreadable"
    assert "Check its path" in str(caught.value)


def test_the_limit_of_bytes(path):
    size = path.stat().st_size
    assert read_text_file(path, limits=Limits(file_bytes=size)).text
    for source in (path, path.read_bytes(), io.BytesIO(path.read_bytes())):
        with pytest.raises(CorpusError) as caught:
            read_text_file(source, limits=Limits(file_bytes=size - 1))
        assert (caught.value.code, caught.value.details) == ("too_many_bytes", {"limit": size - 1})
    with pytest.raises(CorpusError, match="limit of 50 MB"):
        read_text_file(bytes(50_000_001))
