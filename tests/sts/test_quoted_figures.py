"""Every figure in the texts of sentence_similarity and whitening is measured again or published.

Those of narrow_cone are in test_published_figures; the flow's are measured in
test_flow_on_sentences, where a fit takes minutes, and what clusters do in test_removal_figures.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from geometry import load_encoder, mean_cosine
from geometry.evaluate import published_tables
from geometry.evaluate.published import datasets
from pages.sentence_similarity.choices import DRAWS
from tests.sts.scoring import score
from tests.sts.test_flow_on_sentences import QUOTED as OF_THE_FLOW
from tests.sts.test_removal_figures import CLUSTERWISE

pytestmark = [pytest.mark.model, pytest.mark.timeout(1200)]

TEXT = Path(__file__).resolve().parents[2] / "assets" / "text"
SPEARMAN = 0.15  # as in test_published_figures
ENDS = 0.35  # another seed moves an end of an interval from 1,000 draws by this much
ROUNDED = 0.005  # of two decimals
RARE = 10_000  # rank from which on types are called rare
TABLES = {table.key: table for table in published_tables()}

# quote: (name of the figure below, tolerance)
MEASURED = {
    "1,379": ("pairs", 0),
    "82.0": ("last", SPEARMAN),
    "78.1": ("last, on test", SPEARMAN),
    "−4.0": ("last, on test moved", SPEARMAN),
    "−5.6": ("last, on test low", ENDS),
    "−2.5": ("last, on test high", ENDS),
    "80.6": ("last, on train", SPEARMAN),
    "−1.4": ("last, on train moved", SPEARMAN),
    "−2.6": ("last, on train low", ENDS),
    "−0.2": ("last, on train high", ENDS),
    "81.5": ("last, k", SPEARMAN),
    "−0.5": ("last, k moved", SPEARMAN),
    "−1.3": ("last, k low", ENDS),
    "+0.2": ("last, k high", ENDS),
}
OF_PAPERS = {
    "+7.3": ("target on STS13", 0.05),
    "−3.0": ("target on SICK-R", 0.05),
    "74.86": ("SBERT", ROUNDED),
    "77.00": ("SBERT whitened", ROUNDED),
    "63.75": ("SICK-R", 0),
    "60.60": ("SICK-R whitened", 0),
}
BY_LAYER = {  # raw, on STS-B test
    "cls": ("25.7", "33.7", "39.0", "49.5", "54.3"),
    "mean": ("55.6", "56.7", "56.1", "55.9", "59.6", "66.5"),
}
# GloVe's scores, and the pairs without a sentence of stop words alone: measured in test_glove
OF_GLOVE = ("44.0", "59.2", "60.8")
PAGES = {
    "sentence_similarity": MEASURED
    | OF_PAPERS
    | {
        "1,000": ("draws", 0),
        "58.0": ("avg GloVe", 0.05),
        **{quote: (f"cls {layer}", SPEARMAN) for layer, quote in enumerate(BY_LAYER["cls"], 1)},
        **{quote: (f"mean {layer}", SPEARMAN) for layer, quote in enumerate(BY_LAYER["mean"])},
        "70.3": ("layer 5, on test", SPEARMAN),
        "74.1": ("layer 5, on train", SPEARMAN),
    },
    "whitening": MEASURED
    | OF_PAPERS
    | {
        "2,758": ("sentences", 0),
        "10,518": ("distinct training sentences", 0),
        "1,000": ("draws", 0),
        "59.6": ("layer 4", SPEARMAN),
        "16.50": ("BERT CLS", 0),
        "46.35": ("avg BERT", 0),
        "58.02": ("avg GloVe", 0),
        "0.95": ("norm of frequent types", 0),
        "1.45": ("norm of rare types", 0),
        "0.12": ("cosine of frequent types", 0.005),
        "0.03": ("cosine of rare types", 0.005),
        "10,000": ("rare types from rank", 0),
    },
}
OF_BERT_BASE = {
    "0.18",
    "0.45",
}  # measured once, on a matrix that is neither bundled nor external data
OF_RARE_NORM = "5,000"  # the rank of the paper's last column, see of_papers
ELSEWHERE = {
    # 0.9 and 0.3 are example cosines.
    # test_bundled_corpora measures the score of common characters, 83.9.
    # 74.89 is the mean printed in its paper.
    "sentence_similarity": {"83.9", "0.9", "0.3", "74.89", "44.0", "59.5", "1,362"},
    # test_spectrum measures the IsoScore of clusters, 0.99.
    "whitening": {
        *OF_GLOVE,
        "74.89",
        "0.99",
        *CLUSTERWISE,
        *OF_THE_FLOW,
        *OF_BERT_BASE,
        OF_RARE_NORM,
    },
}


@pytest.fixture(scope="module")
def figures(sts, sts_layers, fit_on_train, grids, shared_data):
    """Every figure of the two texts, by the names above; correlations × 100."""
    pairs = sts("test")
    on_test, on_train = grids["test"], grids["train"]
    last = {
        "last, on test": on_test.cell(6, "mean", "pca"),
        "last, on train": on_train.cell(6, "mean", "pca"),
        "last, k": on_train.cell(6, "mean", "pca:128"),
    }
    assert (on_test.draws, on_test.seed) == (on_train.draws, on_train.seed) == (DRAWS, 0)
    found = {"pairs": len(pairs), "sentences": 2 * len(pairs), "draws": DRAWS}
    n_distinct = fit_on_train["mean"].shape[1]
    found |= {"distinct training sentences": n_distinct, "rare types from rank": RARE}
    for name, cell in last.items():
        moved = cell.difference
        found |= {
            name: 100 * cell.score.spearman,
            f"{name} moved": 100 * moved.value,
            f"{name} low": 100 * moved.low,
            f"{name} high": 100 * moved.high,
        }
    found |= {
        f"layer {layer}": 100 * on_test.cell(layer, "mean").score.spearman for layer in (1, 4)
    }
    found |= {
        f"{pooling} {layer}": score(sts_layers("test")[pooling][layer], pairs.gold_scores)
        for pooling in BY_LAYER
        for layer in range(6)
    }
    found["last"] = 100 * on_test.cell(6, "mean").score.spearman
    found["layer 1, on test"] = 100 * on_test.cell(1, "mean", "pca").score.spearman
    for where, grid in (("test", on_test), ("train", on_train)):
        found[f"layer 5, on {where}"] = 100 * grid.cell(5, "mean", "pca").score.spearman
    return found | of_papers() | of_types(shared_data("frequency/enwiki_60k.txt"))


def of_types(counts: Path) -> dict[str, float]:
    """Mean cosines of the bundled input matrix: the 100 types most frequent in English Wikipedia,
    and those from rank RARE on."""
    table = load_encoder().type_embeddings()
    row = {word: place for place, word in enumerate(table.words)}
    by_rank = [line.split()[0] for line in counts.read_text(encoding="utf-8").splitlines()]
    ranked = table.vectors[[row[word] for word in by_rank if word in row]]
    return {
        "cosine of frequent types": mean_cosine(ranked[:100]),
        "cosine of rare types": mean_cosine(ranked[RARE:]),
    }


def of_papers() -> dict[str, float]:
    """The figures that the two texts quote from published tables."""
    re_run, contrastive = TABLES["simcse_table_b2"], TABLES["simcse_table_5"]
    sbert, first_last = TABLES["sbert_table_1"], TABLES["bert_flow_table_2"]

    def target(dataset: str) -> float:
        rows = re_run.column(dataset)
        return rows["whiten target Su"] - rows["whiten NLI Su"]

    def mean_of_seven(table, row: str) -> float:
        assert len(datasets()) == 7
        return float(np.mean([table.column(name)[row] for name in datasets()]))

    norms = TABLES["bert_flow_table_1"]
    return {
        "norm of frequent types": norms.column("<100")["mean L2 norm"],
        "norm of rare types": norms.column(">=5K (printed as [5K,1K))")["mean L2 norm"],
        "target on STS13": target("STS13"),
        "target on SICK-R": target("SICK-R"),
        "SBERT": mean_of_seven(sbert, "SBERT-NLI-base"),
        "SBERT whitened": mean_of_seven(contrastive, "SBERT-whitening"),
        "SICK-R": first_last.column("SICK-R")["BERTbase first-last"],
        "SICK-R whitened": re_run.column("SICK-R")["whiten target Su"],
        **{name: sbert.column("STS-B")[name] for name in ("BERT CLS", "avg BERT", "avg GloVe")},
    }


@pytest.mark.parametrize(
    ("page", "quote"), [(page, quote) for page, quotes in PAGES.items() for quote in quotes]
)
def test_a_page_quotes_what_is_measured_or_published(figures, page, quote):
    name, tolerance = PAGES[page][quote]
    assert figures[name] == pytest.approx(number(quote), abs=tolerance + 1e-9)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", sorted(path.name for path in TEXT.iterdir() if path.is_dir()))
def test_a_page_quotes_nothing_else(page, language):
    """A figure with a decimal point, a thousands' comma or a degree sign is one of the above."""
    text = (TEXT / language / f"{page}.md").read_text(encoding="utf-8")
    text = re.sub(r"\{\{.*?\}\}|`[^`]*`", "", text)  # live values and names of files
    found = re.findall(r"[−+]?(?<![\dB.])(?:\d{1,3}(?:,\d{3})+|\d*\.\d+°?|\d+°)", text)
    # "Table B.2" is no figure; the dash of a range is no minus.
    assert set(found) == PAGES[page].keys() | ELSEWHERE[page]


def test_what_is_quoted_in_whole_numbers(figures):
    assert figures["layer 1, on test"] == pytest.approx(70, abs=0.5)  # "about 70"
    rows = TABLES["simcse_table_b2"]
    apart = [
        abs(rows.column(name)["whiten target all"] - rows.column(name)["whiten target wmean"])
        for name in datasets()
    ]
    assert max(apart) == pytest.approx(20, abs=1)  # "up to 20 points"


def number(quote: str) -> float:
    return float(quote.replace("−", "-").replace(",", ""))
