"""What the page shows in one run: a reader's own data and their cloud."""

from __future__ import annotations

from dataclasses import dataclass

from geometry import Corpus, Pairs
from geometry.data import VectorSet
from pages.common.corpus_cloud import CorpusCloud


@dataclass(frozen=True, eq=False)
class Scene:
    """A reader's own data, encoded.

    Attributes
    ----------
    own : Corpus or VectorSet
    pairs : Pairs or None
        The pairs whose sentences ``own`` are.
    points : CorpusCloud
        The vectors; of many texts a sample.
    """

    own: Corpus | VectorSet
    pairs: Pairs | None
    points: CorpusCloud
