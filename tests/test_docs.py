"""README.md and docs/: examples run, links exist, tables agree with the code.

The README's examples run in test_wheel.py, by an installed wheel.
"""

import re
import tomllib
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

import click
import numpy as np
import pytest

import geometry
from deploy import inputs
from geometry import Corpus, Encoder, data, measure, read_cloud, transform, vectors
from geometry.commands import (
    diagnose,
    evaluate,
    evidence,
    export,
    neighbours,
    project,
    reproduce,
    scale,
    shell,
    whiten,
)
from geometry.data.corpus import BUNDLED_CORPORA
from geometry.data.limits import LIMITS, MAX_CORPORA
from geometry.data.pairs import BUNDLED_PAIRS
from geometry.data.translations import catalogue
from geometry.diagnosis.evidence import CURES
from geometry.encode import ArrayStore
from geometry.encode.layers import LAYER_SETS
from geometry.encode.pool import OWN, POOLINGS
from geometry.errors import SENTENCES
from geometry.evaluate import parse_treatment
from geometry.evaluate.bootstrap import AGGREGATIONS
from geometry.evaluate.similarities import SIMILARITIES
from geometry.hub import read_model_limits
from geometry.hub.pair_sets import PAIR_SETS
from geometry.transform.treatments import TREATMENTS
from geometry.vectors.formats import MAIN_ENDINGS
from pages.common.words import table_of
from tests.for_each import for_each

ROOT = Path(__file__).resolve().parents[1]
DOCS = sorted((ROOT / "docs").glob("*.md"))
TOP = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY")]
TRANSLATED = sorted(ROOT.glob("README.*.md"))
PROSE = [*TOP, *TRANSLATED, *DOCS]
TEXT = {path.stem: path.read_text(encoding="utf-8") for path in PROSE}
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`]+)`")


def blocks(documents: Iterable[Path] = PROSE) -> list:
    """(document, code) of each example; empty lines before the code keep its line numbers."""
    return [
        pytest.param(path, "\n" * line + match[1], id=f"{path.name} line {line + 1}")
        for path in documents
        for text in [TEXT[path.stem]]
        for match in BLOCK.finditer(text)
        for line in [text.count("\n", 0, match.start(1))]
    ]


def table(text: str, header: str) -> list[list[str]]:
    below = [part.splitlines()[1:] for part in text.split(f"\n{header}\n")[1:]]
    rows = [takewhile(lambda line: line.startswith("|"), lines) for lines in below]
    return [[cell.strip() for cell in row.strip("|").split("|")] for each in rows for row in each]


# ---- examples and links ----


@pytest.fixture
def stored_vectors(monkeypatch):
    """Recall the vectors of large corpora, which several examples and other tests encode."""
    encode, encode_layers = Encoder.encode, Encoder.encode_layers

    def recall(encoder, texts, **how):
        if len(texts) < 1_000:
            return encode(encoder, texts, **how)
        return read_cloud(encoder, Corpus("any", tuple(texts)), **how, store=ArrayStore()).vectors

    def recall_layers(encoder, texts, **how):
        if how:  # this is the encoding of what is not stored
            return encode_layers(encoder, texts, **how)
        layers = range(encoder.n_layers + 1)
        return {"mean": np.stack([recall(encoder, texts, layer=layer) for layer in layers])}

    monkeypatch.setattr(Encoder, "encode", recall)
    monkeypatch.setattr(Encoder, "encode_layers", recall_layers)


@pytest.mark.model
@pytest.mark.slow  # half a minute; test_wheel.py runs the README's
@pytest.mark.parametrize(("path", "code"), blocks(DOCS))
def test_a_python_block_runs(path, code, monkeypatch, stored_vectors, tmp_path):
    monkeypatch.chdir(tmp_path)  # an example may write a file
    exec(compile(code, str(path), "exec"), {"__name__": "document"})


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.name)
def test_every_link_to_a_file_leads_to_one(path):
    links = [link for link in LINK.findall(TEXT[path.stem]) if "://" not in link]
    assert not [link for link in links if not (path.parent / link).exists()]


def test_the_readme_links_every_document_and_its_buttons_are_on_the_pages():
    assert {f"docs/{path.name}" for path in DOCS} <= set(LINK.findall(TEXT["README"]))
    code = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("pages/**/*.py"))
    buttons = re.findall(r"[Pp]ress \*\*(.+?)\*\*", TEXT["README"])
    assert len(buttons) >= 3
    assert not [button for button in buttons if f'_("{button}")' not in code]


def shape(text: str) -> list[list[str]]:
    """What a translation does not change: code without comments, links, headings, rows, figures."""
    text = re.sub(r"screenshot[\w-]*", "screenshot", text)
    code = re.findall(r"^```.*?^```|^    \S[^\n]*", text, re.MULTILINE | re.DOTALL)
    links = [link for link in LINK.findall(text) if not link.startswith("README")]
    lines = re.findall(r"^(#+ |\| |- |\d\. )", text, re.MULTILINE)
    figures = re.findall(r"\d[\d.,]*\d%?|\d%?", text)
    return [[re.sub(r" *#.*", "", each) for each in code], sorted(links), lines, sorted(figures)]


@pytest.mark.parametrize("path", TRANSLATED, ids=lambda path: path.name)
def test_a_translated_readme_has_what_the_readme_has(path):
    """Its code runs as the README's: the comments alone are translated."""
    assert shape(TEXT[path.stem]) == shape(TEXT["README"])
    code = path.suffixes[0][1:]
    english, pages = (table_of("names", "pages", each) for each in ("en", code))
    said = dict(zip(english.values(), pages.values(), strict=True))
    labels = re.findall(r"\*\*([^*\n]+)\*\*", TEXT["README"])  # of pages and buttons
    said |= {label: catalogue(code).gettext(label) for label in labels if label not in said}
    translated = [f"**{said[label]}**" for label in labels if said[label] != label]
    assert len(translated) > 15
    assert not [label for label in translated if label not in TEXT[path.stem]]


def test_the_readmes_link_each_other():
    readmes = {path.name for path in (ROOT / "README.md", *TRANSLATED)}
    for name in readmes:
        links = LINK.findall((ROOT / name).read_text(encoding="utf-8").split("\n")[2])
        assert {*links, name} == readmes, name


# ---- library.md: transforms, measures, data sets ----

# these are not measures of one cloud with their own formula
PLUMBING = {
    "measure_names",
    "chance_agreement",
    "label_agreement",
    "label_agreement_interval",
    "nearest",
}
FOLDERS = (measure, transform, vectors)
LISTED = table(TEXT["library"], "| what | where | source |")
FORMULAS = table(TEXT["mathematics"], "| what | formula | function | source |")
YEAR = re.compile(r"[A-Z]\w+.* \((18|19|20)\d\d")  # a name and a year at least


def is_transform(name: str) -> bool:
    found = next(getattr(package, name) for package in FOLDERS if name in package.__all__)
    return name.endswith("Map") or all(hasattr(found, verb) for verb in ("fit", "transform"))


TRANSFORMS = sorted({*filter(is_transform, transform.__all__), "sif_average"})
MEASURES = sorted(name for name in measure.__all__ if name[0].islower() and name not in PLUMBING)


def names_in(where: str) -> set[str]:
    return {re.match(r"[\w.]+", code)[0] for code in CODE.findall(where)}


def last_part(names: set[str]) -> set[str]:
    return {name.rsplit(".", 1)[-1] for name in names}


def of_both() -> list[list[str]]:
    wanted, rows = {*TRANSFORMS, *MEASURES}, []
    for table_rows in (LISTED, FORMULAS):  # of what both have, the first states the source
        rows += [row for row in table_rows if last_part(names_in(row[-2])) & wanted]
        wanted -= {name for row in rows for name in last_part(names_in(row[-2]))}
    return rows


@for_each("name", [*TRANSFORMS, *MEASURES])
def test_every_transform_and_measure_has_a_row(name):
    assert any(name in last_part(names_in(row[-2])) for row in (*LISTED, *FORMULAS))


@for_each("row", of_both())
def test_every_row_of_theirs_names_a_source(row):
    what, source = row[0], row[-1]
    assert what
    assert all(YEAR.search(each) for each in source.split(";")), source


def test_every_name_in_the_tables_exists():
    assert len(FORMULAS) > 20
    for row in (*LISTED, *FORMULAS):
        for name in names_in(row[-2]):
            found = geometry
            for part in name.split("."):
                if part == "StandardScaler":  # scikit-learn's
                    break
                found = getattr(found, part)


def test_every_data_set_is_listed_with_its_splits():
    listed = [
        tuple(row) for row in table(TEXT["library"], "| name | data set | splits and pairs |")
    ]
    assert listed == [
        (f"`{code}`", each.title, "; ".join(f"{split} {n:,}" for split, n in each.n_pairs.items()))
        for code, each in PAIR_SETS.items()
    ]


def test_every_bundled_corpus_is_listed_with_its_size():
    listed = table((ROOT / "assets/corpora/README.md").read_text(), "| file | content |")
    sizes = {
        name.strip("`").removesuffix(".csv"): int(content.split()[0].replace(",", ""))
        for name, content in listed
        if content[0].isdigit()  # not the word list
    }
    corpora = {name: len(data.read_bundled(name)) for name in BUNDLED_CORPORA}
    pairs = {name: len(data.read_bundled_pairs(name)) for name in BUNDLED_PAIRS}
    assert sizes == corpora | pairs
    assert f"the {pairs['pairs']} pairs that come with the project" in TEXT["README"]


# ---- models.md, shell.md, operator.md ----


def test_every_named_layer_and_pooling_is_in_models():
    layers = " ".join(row[0] for row in table(TEXT["models"], "| `layer=` | meaning |"))
    poolings = " ".join(row[0] for row in table(TEXT["models"], "| `pooling=` | meaning |"))
    assert set(re.findall(r'"([\w-]+)"', layers)) == set(LAYER_SETS)
    assert set(re.findall(r'"(\w+)"', poolings)) == {*POOLINGS, OWN}


@pytest.mark.parametrize(
    ("command", "of"),
    [
        (evaluate, [""]),
        (evidence, [" of `evidence`", " of a file"]),
        (reproduce, [" of `reproduce`"]),
        (export, [" of `export`", " of a file", " of one place"]),
        (diagnose, [" of `diagnose`", " of a file", " of one place"]),
        (whiten, [" of `whiten`", " of a file", " of one place"]),
        (neighbours, [" of `neighbours`", " of a file", " of one place"]),
        (project, [" of `project`", " of a file", " of one place"]),
    ],
)
def test_the_shell_documents_every_option_and_its_default(command, of):
    of = of if command is reproduce else [*of, " of reading"]
    heads = [f"| option{each} | default | meaning |" for each in of]
    rows = [row for head in heads for row in table(TEXT["shell"], head)]
    listed = {frozenset(CODE.findall(options)): default for options, default, _ in rows}
    options = [each for each in command.params if isinstance(each, click.Option)]
    assert set(listed) == {frozenset([*option.opts, *option.secondary_opts]) for option in options}
    for option in options:
        shown = option.default[0] if isinstance(option.default, tuple) else option.default
        if isinstance(shown, str | int) and not isinstance(shown, bool):
            assert listed[frozenset([*option.opts, *option.secondary_opts])].strip("`") == str(
                shown
            )


def test_the_scale_page_documents_every_option_with_its_default():
    shared = table(TEXT["scale"], "| option | default | meaning |")
    own = table(TEXT["scale"], "| option | verb | default | meaning |")
    for verb, command in scale.commands.items():
        rows = [] if verb == "status" else [(options, default) for options, default, _ in shared]
        rows += [
            (options, default)
            for options, verbs, default, _ in own
            if (verb in verbs.removeprefix("all but") and "all but" not in verbs)
            or ("all but" in verbs and verb not in verbs)
        ]
        listed = {name: default for options, default in rows for name in CODE.findall(options)}
        options = [each for each in command.params if isinstance(each, click.Option)]
        extra = {"--json"} if verb == "status" else set()
        assert set(listed) | extra == {name for each in options for name in each.opts}, verb
        for option in options:
            is_shown = isinstance(option.default, str | int | float) and not option.is_flag
            if is_shown and (verb, option.opts[0]) != ("encode", "--revision"):
                assert listed[option.opts[0]].strip("`") == str(option.default), (verb, option.name)


@pytest.mark.parametrize("name", ["shell", "README"])
def test_every_option_in_an_example_exists(name):
    commands = [*shell.commands.values(), *scale.commands.values()]
    known = {
        option
        for each in commands
        for param in each.params
        for option in (*param.opts, *param.secondary_opts)
    }
    used = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", TEXT[name])) - {"--help"}
    assert used
    assert used <= known


def test_the_tables_of_formats_and_questions_are_complete():
    assert inputs.written(TEXT["inputs"]) == TEXT["inputs"]
    rows = table(TEXT["inputs"], "| file | where the vectors are | texts and labels |")
    streamed = TEXT["inputs"].partition("\nStreaming works for")[2].partition("\n\n")[0]
    for listed in (" ".join(row[0] for row in rows), streamed):
        assert set(MAIN_ENDINGS) <= set(CODE.findall(listed))
    asked = {key.removeprefix("uncertain_") for key in SENTENCES["corpus"] if "uncertain" in key}
    questions = " ".join(row for row in TEXT["inputs"].splitlines() if row.startswith("| "))
    options = {"holds": "as", "bytes": "encoding", "title": "no-header"}
    for option in asked | {"packed"}:
        assert f"`--{options.get(option, option)}" in questions


@pytest.mark.parametrize("command", ["export", "whiten"])
def test_the_shell_documents_of_which_treatments_it_makes_no_map(command):
    rows = table(TEXT["shell"], f"| option of `{command}` | default | meaning |")
    meaning = next(cells[2] for cells in rows if cells[0] == "`--transform`")
    refused = [k.short for k in TREATMENTS.values() if k.is_alone and not k.is_exported]
    listed = re.search("except (.*)", meaning.partition(";")[0])
    assert listed
    assert CODE.findall(listed[1]) == refused


def test_the_shell_documents_treatments_similarities_and_aggregations():
    rows = table(TEXT["shell"], "| treatment | meaning |")
    specs = [spec for row in rows for spec in CODE.findall(row[0])]
    parsed = [parse_treatment(spec) for spec in specs]
    assert [each.text for each in parsed] == specs
    assert {k.name for k in TREATMENTS.values() if k.is_alone} <= {each.name for each in parsed}
    assert f"`usual` is `{','.join(CURES)}`" in TEXT["shell"]
    assert {*SIMILARITIES, *AGGREGATIONS} <= set(re.findall(r"[\w-]+", TEXT["shell"]))


def test_the_operator_page_lists_every_limit_with_its_default():
    rows = table(TEXT["operator"], "| key in `[models]` | default | meaning |")
    listed = {key.strip("`"): default.strip("`").replace(",", "") for key, default, _ in rows}
    file = tomllib.loads((ROOT / "narrow-cone.toml").read_text(encoding="utf-8"))["models"]
    file.setdefault("local_folders", "unset")  # the default depends on the server's address
    assert listed == {key: str(value).lower() for key, value in file.items()}
    assert listed.keys() == vars(read_model_limits(ROOT / "narrow-cone.toml")).keys()


@pytest.mark.parametrize("name", ["uploads", "memory"])
def test_the_operator_page_lists_every_limit_of_uploads_and_memory_with_its_default(name):
    rows = table(TEXT["operator"], f"| key in `[{name}]` | default | meaning |")
    listed = {key.strip("`"): int(default.replace(",", "")) for key, default, _ in rows}
    file = tomllib.loads((ROOT / "narrow-cone.toml").read_text(encoding="utf-8"))[name]
    assert listed == file


def test_every_promise_of_security_names_a_test_that_exists():
    rows = table(TEXT["SECURITY"], "| promise | test |")
    assert len(rows) > 10
    for promise, tests in rows:
        named = CODE.findall(tests)
        assert named, promise
        assert all((ROOT / name).is_file() for name in named), promise


def test_the_operator_page_lists_every_environment_variable():
    files = [*ROOT.glob("geometry/**/*.py"), *ROOT.glob("pages/**/*.py")]
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    pattern = r"\bNARROW_CONE_[A-Z_]+"
    assert set(re.findall(pattern, TEXT["operator"])) == set(re.findall(pattern, code))


@pytest.mark.parametrize("name", ["operator", "README"])
def test_limits_of_uploads_are_the_codes(name):
    assert f"at most {LIMITS.file_bytes // 10**6} MB" in TEXT[name]
    assert f"{LIMITS.rows:,} texts" in TEXT[name]
    assert name == "README" or f"at most {MAX_CORPORA} corpora" in TEXT[name]
