"""Bytes to text: detected encodings, and refusals that name the file's kind."""

import gzip
import io

import pytest

from geometry.data.corpus import read_bundled, read_corpus
from geometry.data.decode import _MAGIC, BINARY, decode, read_text_file, unpacked
from geometry.data.errors import CorpusError
from geometry.data.recognise import Reading
from tests.for_each import for_each

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


@for_each(
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


SIMPLIFIED = (
    "今天的天气很好，适合出门散步。\n我喜欢在图书馆里安静地读书。\n"
    "这家餐厅的红烧牛肉面非常好吃，价格也便宜。\n老师在课堂上讲解了向量的概念。\n"
)
KOREAN = (
    "오늘은 날씨가 매우 좋아서 산책을 나갔습니다.\n저는 도서관에서 책을 읽는 것을 좋아합니다.\n"
)


@for_each(
    ("added", "codec"),
    [
        ("", "cp950"),
        *((each, "cp950") for each in "碁銹裏墻恒粧嫺"),
        ("～‧￥€", "cp950"),  # noqa: RUF001
        ("我哋喺香港食嘢，佢哋嚟咗𠵱家。\n", "big5hkscs"),
        ("～", "big5"),  # noqa: RUF001 (Python's own Big5 has no such sign)
    ],
)
def test_big5_as_browsers_read_it(added, codec):
    text = f"{chinese()}\n{added}"
    if codec == "big5":
        content = f"{chinese()}\n".encode("big5") + b"\xa1\xe3"
    else:
        content = text.encode(codec)
    assert decode(content) == (text, "cp950" if codec == "big5" else codec)
    for name in ("big5", "cp950", "big5-hkscs"):
        assert decode(content, encoding=name)[0] == text


def test_the_places_where_browsers_and_pythons_cp950_differ():
    """As Chromium's TextDecoder("big5") reads them."""
    content = bytes.fromhex("c6a1c6e8c7f3a145a1e3a244f9d6")
    assert decode(content, encoding="cp950")[0] == "①あА‧～￥碁"  # noqa: RUF001


@for_each("name", ["gb2312", "gbk", "gb18030"])
def test_chinese_of_the_mainland_is_gb18030(name):
    text = SIMPLIFIED + "朱镕基 𠮷\n"
    content = text.encode("gb18030")
    assert decode(content) == (text, "gb18030")
    assert decode(content, encoding=name)[0] == text


@for_each("codec", ["utf-16-le", "utf-16-be"])
@for_each("text", ["The train was late\nSoup", SIMPLIFIED, RUSSIAN, KOREAN])
def test_utf16_without_its_mark(text, codec):
    assert decode(text.encode(codec)) == (text, codec)


def test_utf16_that_is_not_certain_names_the_option():
    error = refused("沒有換行的文字".encode("utf-16-le"))
    assert (error.code, error.details["option"]) == ("uncertain", "encoding")
    assert "utf-16-le" in error.details["choices"]
    assert "`utf-16-le: 沒有換行的文字`" in str(error)
    assert "`--encoding utf-16-le`" in str(refused(b"plain\x00text"))


@for_each("mark", ["\ufeff" * 2, "\ufeff"])
@for_each("codec", ["utf-8", "utf-16-le", "utf-16"])
def test_no_mark_is_left_wherever_it_stands(mark, codec):
    encoding = None if codec == "utf-8" else codec
    text, _ = decode(f"{mark}a,b\n{mark}c,d\n".encode(codec), encoding=encoding)
    assert text == "a,b\nc,d\n"


@for_each(
    ("text", "codec"),
    [("abc\nМама мыла раму.", "koi8_r"), ("naïve café\n", "cp1252"), ("一碁\n", "cp950")],  # noqa: RUF001
)
def test_an_encoding_that_is_not_clear_is_asked_for(text, codec):
    error = refused(text.encode(codec))
    assert (error.code, error.details["option"]) == ("uncertain", "encoding")
    assert codec in error.details["choices"]
    assert f"{codec}: {text.splitlines()[-1]}" in str(error)
    assert "`--encoding " in str(error)


def broken(text: str, codec: str, place: int) -> bytes:
    content = bytearray(text.encode(codec))
    content[place] = 0xFF
    return bytes(content)


@for_each(
    ("content", "name", "line"),
    [
        (broken("一行。\n二行。\n三行。\n", "utf-8", 20), "utf-8", 3),
        (broken(SIMPLIFIED * 4, "gb18030", 50), "gb18030", 2),
        (broken(chinese(), "cp950", 1000), "cp950", 27),
        (FRENCH.encode() + GERMAN.encode("cp1252")[:10], "utf-8", 3),
        ("中文字".encode()[:-1], "utf-8", 1),
    ],
)
def test_a_broken_byte_is_named_and_replaced_on_demand(content, name, line):
    error = refused(content)
    choice = f"{name}:replace"
    assert (error.code, error.details["choices"]) == ("uncertain", (choice,))
    assert error.details["lines"] == (line,)
    assert f"`--encoding {choice}`" in str(error)
    file = read_text_file(content, encoding=choice)
    assert "\ufffd" in file.text.splitlines()[line - 1]
    (note,) = file.notes
    assert (note.reason, note.n, note.rows) == ("replaced", file.text.count("\ufffd"), (line,))
    assert refused(content, name).details["choices"] == (choice,)


def test_the_wrong_name():
    assert refused("naïve".encode("cp1252"), "utf-8").code == "wrong_encoding"
    assert refused(b"abc", "no-such").code == "unknown_encoding"
    # a Python codec, but not a text encoding
    assert refused(b"abc", "rot13").code == "unknown_encoding"


@for_each(
    ("content", "kind"),
    [(start + b"123", kind) for start, kind in _MAGIC]
    + [(b"plain\x00text", BINARY), (b"\xff\xfe\x00\x00" + "a\0b".encode("utf-32-le"), BINARY)],
)
def test_what_is_no_text(content, kind):
    error = refused(content)
    assert (error.code, error.details) == ("binary", {"kind": kind})


@pytest.mark.parametrize("name", ["absent.txt", ".", "x" * 5000, "nul\0l"])
def test_no_such_file(tmp_path, name):
    with pytest.raises(CorpusError, match="Check its path", check=lambda e: e.code == "unreadable"):
        read_text_file(tmp_path / name)


ACCENTS = {
    "German": "Überraschung für die Bürger: größere Straßen, schöne Gärten",
    "French": "Les élèves du collège ont été très déçus à Noël",
    "a single word": "A café in town",
    "Spanish": "Los niños comerán más piña después",
}


@for_each("encoding", ["cp850", "mac-roman"])
@for_each("language", ACCENTS)
def test_texts_of_dos_and_of_old_macs_are_asked_about(encoding, language):
    lines = [f"{ACCENTS[language]} {i}" for i in range(30)]
    content = "\n".join(lines).encode(encoding)
    with pytest.raises(CorpusError) as caught:
        read_corpus(content, name="t.txt")
    assert caught.value.details["option"] == "encoding"
    assert encoding.replace("-", "_") in caught.value.details["choices"]
    assert read_corpus(content, name="t.txt", reading=Reading(encoding=encoding)).texts == tuple(
        lines
    )
    assert read_corpus("\n".join(lines).encode("cp1252"), name="t.txt").texts == tuple(lines)


def test_a_line_of_an_archive_may_not_pass_the_limit_of_unpacked_bytes():
    """A line is read beyond the limit by no, one or several bytes; what follows is not read."""
    for beyond in range(5):
        packed = gzip.compress(b"a" * 50 + b"b" * (49 + beyond) + b"\n" + b"c" * 1000)
        too_large = CorpusError("too_large", limit=100)
        with unpacked(io.BytesIO(packed), 100, 5, too_large) as file:
            file.read(50)
            file.readline(1000)
            with pytest.raises(CorpusError) as caught:
                file.read(60)
        assert caught.value is too_large, beyond
