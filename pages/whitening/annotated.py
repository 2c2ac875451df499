"""Annotations of the points, for the measures that need more than vectors."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry.data.corpus import read_bundled
from geometry.data.pairs import read_bundled_pairs
from geometry.measure import Annotations
from geometry.training.contrastive import POSITIVE
from pages.common.corpus_cloud import CorpusCloud, labels_of
from pages.common.words import prose

from . import PAGE
from .scene import Scene


def annotations_of(sample: CorpusCloud) -> Annotations:
    """Labels; positive pairs of the bundled sentences; types and sentences of tokens; counts."""
    cloud, units = sample.cloud, sample.units
    labels = labels_of(cloud)
    if cloud.unit == "tokens":
        types, sentences = np.array(cloud.texts), cloud.sources
        return Annotations(types=types, sentences=sentences, labels=labels, units=units)
    if cloud.unit == "types":
        return Annotations(frequencies=cloud.counts, labels=labels)
    if sample.corpus.sha256 == read_bundled("pairs").sha256:
        return Annotations(pairs=_positive_pairs(cloud.sources), labels=labels)
    return Annotations(labels=labels, units=units)


def _positive_pairs(sources: np.ndarray) -> np.ndarray:
    """Rows (m, 2) of the positive pairs whose two sentences are both among the rows.

    sources (n,) : the sentence of each row, numbered with all left sentences before the right ones.
    """
    gold = read_bundled_pairs().gold_scores
    row_of = {int(source): row for row, source in enumerate(sources)}
    left = np.flatnonzero(gold > POSITIVE)
    both = [(row_of.get(int(i)), row_of.get(int(i) + len(gold))) for i in left]
    return np.array([pair for pair in both if None not in pair], dtype=np.int64).reshape(-1, 2)


def show_annotated_note(scene: Scene) -> None:
    """A caption: what these measures are averaged over, and their values for isotropic data."""
    about = annotations_of(scene.sets.sample)
    if about.pairs is not None:
        st.caption(prose(PAGE, "annotated-pairs", {"pairs": f"{len(about.pairs):,}"}))
    elif scene.sets.cloud.unit in ("tokens", "types"):
        st.caption(prose(PAGE, f"annotated-{scene.sets.cloud.unit}"))
