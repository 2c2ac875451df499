"""The report is one file: it loads nothing, has every number, and escapes users' texts."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.metadata import version

import numpy as np
import pytest

from geometry.diagnosis import (
    diagnose,
    diagnosis_json,
    recommended_treatment,
    report_html,
    threshold_sentences,
)
from geometry.diagnosis.sentences import REPORT, SENTENCES, basis, evidence, finding_sentence
from tests.diagnosis.made_up import labelled

HOSTILE = "<script>alert(1)</script>\"'&"


class Outline(HTMLParser):
    """Tags with their attributes; fails where they are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def made():
    X, labels = labelled("centre")
    texts = [f"{HOSTILE} {row}" for row in range(len(X))]
    about = {"corpus": HOSTILE, "model": "https://elsewhere.example/x.js"}
    return X, diagnose(X, texts=texts, labels=labels, about=about)


def outline(html: str) -> Outline:
    found = Outline()
    found.feed(html)
    assert not found.open
    return found


def test_the_report_loads_nothing_and_escapes_every_text(made):
    html = report_html(made[1], language="zh-Hant")
    page = outline(html)
    assert len(html) < 200_000
    tags = {tag for tag, _ in page.found}
    assert {"svg", "table", "style"} <= tags
    assert not tags & {"script", "link", "img", "iframe", "object", "a", "base"}
    names = {name for _, attributes in page.found for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in ("src", "href")}
    assert "url(" not in html
    assert "@import" not in html
    assert HOSTILE in page.text  # as text
    assert page.found[0] == ("html", {"lang": "zh-Hant"})
    [policy] = [each["content"] for _, each in page.found if "http-equiv" in each]
    assert policy.startswith("default-src 'none'")


def test_the_report_has_the_recommendation_its_evidence_hashes_and_versions(made):
    diagnosis = made[1]
    html = report_html(diagnosis)
    text = outline(html).text
    assert basis(diagnosis, str) in html.partition("</section>")[0]  # with the recommendation
    assert SENTENCES["centre"] in text
    assert evidence(diagnosis, str) in text
    for finding in diagnosis.findings:
        assert finding_sentence(finding, str) in text
    versions = [f"{name} {version(name)}" for name in ("numpy", "torch", "transformers")]
    for value in (diagnosis.vectors_sha256, diagnosis.texts_sha256, *versions):
        assert value in text
    assert "fitted on the other folds (480 rows, n/d = 20.00)" in text


def test_every_word_of_the_report_is_translated(made):
    texts = []
    html = report_html(made[1], translate=lambda text: texts.append(text) or f"《{text}》")
    assert f"《{REPORT['findings']}》" in html
    whole = outline(html).text
    latin = re.sub(r"《.*?》", "", whole, flags=re.DOTALL)
    assert "interval" not in latin
    assert {REPORT["picture-points"], REPORT["verdict"], SENTENCES["better"]} <= set(texts)


def test_clouds_without_pictures_or_a_mean_have_a_report():
    for X in (np.eye(2)[[0, 1, 0, 1]], np.vstack([np.eye(3), -np.eye(3)])):
        assert "</html>" in report_html(diagnose(X))


def test_json_has_the_numbers_and_the_sentences(made):
    diagnosis = made[1]
    found = json.loads(json.dumps(diagnosis_json(diagnosis), allow_nan=False))
    assert found["trial"]["chosen"]["treatment"] == "centred"
    assert found["trial"]["cures"][1]["score"] == diagnosis.chosen.score
    assert found["sentences"]["recommendation"] == SENTENCES["centre"]
    said = threshold_sentences.summary(diagnosis, str)
    assert found["sentences"]["thresholds"] == said
    assert said in report_html(diagnosis)
    [arm, *_] = found["thresholds"]["arms"]
    assert arm["auc"]["value"] == diagnosis.thresholds.arms[0].auc.value
    assert "related_shares" not in arm
    assert "pictures" not in found


def test_where_another_layer_is_better_the_cure_of_this_one_is_in_the_report():
    clean, labels = labelled("leave")
    noise, _ = labelled("remove")
    found = diagnose(noise, labels=labels, others={(2, "mean"): clean})
    # the removal alone may recover the labels fully
    found = replace(found, trial=replace(found.trial, chosen=found.trial.cures[-1]))
    text = outline(report_html(found)).text
    assert "layer 2 with mean pooling" in text
    assert "If you stay with this layer and pooling: Subtract the mean and remove" in text
    assert recommended_treatment(found, noise).name == "removed"
