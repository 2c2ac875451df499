"""The page Claims: the wall, the cards with their controls, the files, and the recorded results."""

import re
from collections import Counter
from dataclasses import asdict, replace
from typing import Any

import pytest

from geometry import load_encoder, read_bundled
from geometry.claims import Tested, read_claims, result_of
from geometry.claims.claim import CONTRASTIVE
from geometry.data.translations import languages
from pages.claims.explore import ORDER, claims_csv, claims_html, is_measured, state_of
from pages.claims.recorded import RECORDED, measured, place_of, recorded, subject_of
from pages.common.words import TEXT
from tests.for_each import for_each
from tests.pages.visits import everything, healthy, new_visit, rows_of

QUICK = (
    *("ethayarajh2019_layers", "cai2021_clusters", "mu2018_mean", "bis2021_drift"),
    *("ethayarajh2019_sentence", "timkey2021_rogue", "puccetti2022_frequency", "sun2024_massive"),
    *("yamagiwa2023_ica", "li2020_sparse", "jiang2022_static", "huang2021_layers"),
    *("gao2019_narrow", "steck2024_scale", "gao2021_simcse"),
)

pytestmark = pytest.mark.usefixtures("one_memory")


def visit(**query: str):
    return healthy(new_visit("claims", **query).run())


def html(at) -> str:
    return "\n".join(element.proto.body for element in at.get("html"))


def test_every_claim_is_a_tile_and_a_card_with_a_control_or_the_reason_why_not():
    at = visit()
    claims = read_claims()
    found = next(iter(recorded().values()))  # of the default model and corpus
    states = Counter(state_of(found[claim.key]) for claim in claims)
    tiles = Counter(re.findall(r'<li class="tile (\w+)"', html(at)))
    assert tiles == states
    assert len(at.expander) >= len(claims)
    said = everything(at)
    for claim in claims:
        assert claim.says in said
        assert claim.untested or any(label in said for label in claim.values.values())
    assert (
        said.count("**Control**") + said.count("**No control is needed**")
        == len(claims) - states["untested"]
    )
    n_others = sum(each is not None and each.missing == CONTRASTIVE for each in found.values())
    assert said.count("**Does not apply.**") == n_others > 0


@pytest.mark.parametrize("shown", ORDER)
def test_a_verdict_is_chosen_and_only_its_claims_are_left(shown):
    at = visit(**{"claims-state": shown, "lang": "zh-Hant"})
    assert set(re.findall(r'<li class="tile (\w+)"', html(at))) <= {shown}


def test_each_file_has_every_claim_and_loads_nothing():
    claims = read_claims()
    found = next(iter(recorded().values()))
    rows = rows_of(claims_csv(claims, found, "about <b>"))
    assert [len(row) for row in rows] == [14] * len(claims)  # no two columns have one name
    page = claims_html(claims, found, "about <b>")
    assert page.count("<tr>") == len(claims) + 1
    assert "about &lt;b&gt;" in page
    assert "default-src 'none'" in page
    assert not re.search(r"<script|<link|<img|https?://", page)


@for_each("language", languages())
def test_the_words_of_every_language_have_the_numbers(language):
    for found in recorded().values():
        for claim in read_claims(language):
            tested = found[claim.key]
            if tested is not None and is_measured(tested):
                assert set(tested.values) <= set(claim.values), claim.key
                assert set(tested.control) == set(claim.control), claim.key
                claim.here.format(**tested.settings)


def test_pages_quote_the_recorded_numbers():
    found = next(iter(recorded().values()))
    outliers, massive = found["puccetti2022_frequency"], found["sun2024_massive"]
    uses, tokens = found["zhou2022_frequent"], found["jiang2022_static"]
    quoted = {
        "layers": [
            f"the frequency is {outliers.values['few'].value:.2f}",
            f"dimensions is {outliers.values['others'].value:.2f}",
            f"is {massive.values['ratio'].value:.0f} times the median",
        ],
        "word_frequency": [
            f"{uses.n} word pieces with 3 uses",
            f"rank correlation −{abs(uses.values['spearman'].value):.2f}",
            f"at random it is +{uses.control['shuffled'].value:.2f} on average",
            f"gain {tokens.values['gain'].value:.1f} points",
            f"left out gain {tokens.control['random'].value:.1f}",
        ],
    }
    for page, quotes in quoted.items():
        text = (TEXT / "en" / f"{page}.md").read_text(encoding="utf-8")
        for quote in quotes:
            assert quote in text


def agrees(made: dict[str, Any] | None, stored: Tested | None) -> bool:
    """Whether a result is the recorded one, nearly."""
    if made is None or stored is None:
        return made is stored
    return made["state"] == stored.state and all(
        number["value"] == pytest.approx(getattr(stored, part)[name].value, abs=2e-3, rel=2e-3)
        for part in ("values", "control")
        for name, number in made[part].items()
    )


@pytest.mark.long
@pytest.mark.model
@pytest.mark.parametrize("place", RECORDED)
def test_the_script_makes_the_recorded_results(place):
    name, made = measured(*place)
    stored = recorded()[name]
    assert [key for key in made if not agrees(made[key], stored[key])] == []


@pytest.mark.model
def test_other_labels_are_not_those_of_the_record():
    encoder, topics = load_encoder(device="cpu"), read_bundled("topics")
    translated = tuple(map(str.upper, topics.labels))
    cases = {translated: True, ("", *translated[1:]): False, None: False}
    for labels, expected in cases.items():
        assert (place_of(encoder, replace(topics, labels=labels)) in recorded()) == expected


@pytest.mark.slow
@pytest.mark.model
def test_recorded_results_are_made_again():
    """Of the default model and corpus, where one takes a second; `make test-long` has all."""
    stored = next(iter(recorded().values()))
    subject = subject_of(load_encoder(device="cpu"), read_bundled("topics"))
    made = {key: asdict(result_of(key, subject)) for key in QUICK}
    assert [key for key in QUICK if not agrees(made[key], stored[key])] == []


@pytest.mark.slow
@pytest.mark.model
def test_another_corpus_is_measured_live_and_kept():
    corpus = read_bundled("topics-zh")
    at = visit(corpus="topics-zh")  # which the English model does not know
    encoder = load_encoder(device="cpu")
    assert encoder.coverage(corpus.texts).unknown_share > 0.2
    assert "The model does not know this text." in everything(at)
    assert "recorded" not in at.caption[0].value
    assert Counter(re.findall(r'<li class="tile (\w+)"', html(at)))["unknown"] > 25
