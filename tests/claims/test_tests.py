"""Tests of claims on made-up vectors, for which the answer is known."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from geometry.claims import ClaimSubject, read_claims, result_of
from geometry.claims.ledger import function_of
from geometry.data.embeddings import TokenEmbeddings
from geometry.data.pairs import Pairs
from geometry.measure.intervals import Estimate
from tests.for_each import for_each

D, SENTENCES, LENGTH = 40, 120, 6
WORDS = 60


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def made(*layers: np.ndarray, **given: Any) -> ClaimSubject:
    """A subject whose tokens have these vectors (n, d) at each layer, layer 0 first."""
    n = len(layers[0])
    sentence = np.repeat(np.arange(n // LENGTH), LENGTH)
    words = given.pop("types", rng().zipf(1.6, n) % WORDS)
    tokens = tuple(f"w{word}" for word in words)
    encoder = SimpleNamespace(n_layers=len(layers) - 1, special_tokens=(), name="made")
    subject = ClaimSubject(encoder, None, given.pop("pairs", None))  # type: ignore[arg-type]
    position = np.tile(np.arange(LENGTH), n // LENGTH)
    every = tuple(TokenEmbeddings(X, tokens, sentence, position) for X in layers)
    vars(subject).update({"every_token": every, "knows_the_text": True, **given})
    return subject


def isotropic() -> np.ndarray:
    return rng().standard_normal((SENTENCES * LENGTH, D))


def shifted() -> np.ndarray:
    return isotropic() + 3.0


def pieces(X: np.ndarray, counts: np.ndarray) -> Any:
    return type("Made", (), {"vectors": X, "counts": counts, "__len__": lambda self: len(X)})()


def state(key: str, subject: ClaimSubject) -> str:
    found = result_of(key, subject)
    assert found is not None
    return found.state


def test_every_entry_has_a_test_or_says_why_not():
    for claim in read_claims():
        assert (function_of(claim.key) is None) == bool(claim.untested), claim.key
        assert claim.untested or claim.values
        assert bool(claim.control) != bool(claim.no_control or claim.untested), claim.key


def test_a_shift_is_a_cone_and_random_signs_are_none():
    subject = made(isotropic(), shifted(), shifted())
    found = result_of("gao2019_cone_tokens", subject)
    assert found.state == "holds"
    assert found.values["cosine"].value == pytest.approx(0.9, abs=0.02)  # 9 / (9 + 1)
    assert abs(found.control["signs"].value) < 0.02
    assert state("gao2019_cone_tokens", made(isotropic(), isotropic())) == "fails"
    assert state("gao2019_cone_tokens", made(isotropic(), isotropic() + 0.3)) == "partly"
    assert state("ethayarajh2019_layers", subject) == "holds"
    assert state("ethayarajh2019_layers", made(isotropic(), isotropic(), shifted())) == "unknown"
    assert state("ethayarajh2019_upper", subject) == "partly"  # above the input, as layer 1
    assert state("ethayarajh2019_upper", made(isotropic(), isotropic() + 1, shifted())) == "holds"
    assert state("ethayarajh2019_upper", made(shifted(), shifted(), isotropic())) == "fails"


def test_the_layer_that_the_contrastive_loss_sees_is_compared_with_a_middle_one():
    assert state("wang2020_uniform", made(isotropic(), shifted(), isotropic())) == "holds"
    assert state("wang2020_uniform", made(isotropic(), isotropic(), shifted())) == "fails"


def test_random_groups_have_a_small_cosine_too_so_clusters_need_more():
    centres = 20 * rng().standard_normal((10, D))
    grouped = isotropic() + np.repeat(centres, SENTENCES * LENGTH // 10, axis=0)
    found = result_of("cai2021_clusters", made(grouped, grouped))
    assert found.state == "holds"
    assert found.values["isoscore"].value == pytest.approx(1.0, abs=0.1)  # of isotropic data
    # long clusters: rounder as a whole than each is by itself
    long = isotropic()
    for group in range(10):
        rows = slice(group * len(long) // 10, (group + 1) * len(long) // 10)
        long[rows, group] *= 12
        long[rows] += centres[group]
    found = result_of("cai2021_clusters", made(long, long))
    assert found.state == "fails"
    assert abs(found.values["cosine"].value) < 0.05  # as that of any centred group


def test_few_dimensions_dominate_until_a_rotation():
    rogue = isotropic()
    rogue[:, 3] += 30.0
    found = result_of("timkey2021_rogue", made(isotropic(), rogue))
    assert found.state == "holds"
    assert found.values["share"].value > 0.95
    assert found.control["rotated"].high < 0.5
    assert state("timkey2021_rogue", made(isotropic(), isotropic() + 1)) == "fails"


def test_outliers_that_follow_the_frequency_are_found():
    words = rng().zipf(1.6, SENTENCES * LENGTH) % WORDS
    counts = np.log10(np.bincount(words)[words])
    X = isotropic()
    X[:, :3] += 10 + 5 * counts[:, None]
    assert state("puccetti2022_frequency", made(X, X, types=words)) == "holds"
    X = isotropic()
    X[:, :3] += 10
    assert state("puccetti2022_frequency", made(X, X, types=words)) == "unknown"


def test_a_massive_activation_is_larger_than_100_and_than_1000_medians():
    X = isotropic()
    assert state("sun2024_massive", made(X, X)) == "fails"
    X[5, 5] = 1e4  # the last token of its sentence
    assert state("sun2024_massive", made(X, X)) == "partly"
    X[::LENGTH, 5] = 1e4
    assert state("sun2024_massive", made(X, X)) == "holds"


def test_independent_axes_are_found_where_there_are_some():
    n = SENTENCES * LENGTH
    sources = rng().laplace(size=(n, 30))  # a sentence each; of excess kurtosis 3
    mixed = np.repeat(sources @ rng().standard_normal((30, D)), LENGTH, axis=0)
    found = result_of("yamagiwa2023_ica", made(mixed, mixed))
    assert found.state == "partly"  # a meaning is not measured
    assert found.values["ica"].value > 3 * found.control["rotated"].value > 0
    normal = np.repeat(rng().standard_normal((n, D)), LENGTH, axis=0)
    assert state("yamagiwa2023_ica", made(normal, normal)) != "partly"


def test_lengths_and_distances_by_rarity():
    counts = np.arange(300, 0, -1.0)
    X = rng().standard_normal((300, D)) * np.linspace(1, 3, 300)[:, None]  # rare is long
    subject = made(X[:120], X[:120], pieces=pieces(X, counts))
    assert state("li2020_norms", subject) == "holds"
    assert state("li2020_sparse", subject) == "partly"  # the lengths alone make the distances
    subject = made(X[:120], X[:120], pieces=pieces(X[::-1], counts))
    assert state("li2020_norms", subject) == "fails"


def test_a_context_that_overrides_the_word_lowers_the_self_similarity():
    words = rng().integers(WORDS, size=SENTENCES * LENGTH)
    of_word = rng().standard_normal((WORDS, D))[words]
    specific = 0.3 * of_word + isotropic()
    found = result_of("ethayarajh2019_specific", made(of_word, of_word, specific, types=words))
    assert found.state == "holds"
    assert abs(found.control["shuffled"].value) < 0.05
    again = made(of_word, specific, of_word, types=words)
    assert state("ethayarajh2019_specific", again) == "fails"
    assert state("ethayarajh2019_static", made(of_word, of_word, types=words)) == "fails"


def test_a_scale_changes_scores_and_a_rotation_does_not():
    n = 200
    left, noise = rng().standard_normal((2, n, D))
    right = left + noise * np.linspace(0.1, 3, n)[:, None]
    sentences = tuple(f"s{place}" for place in range(2 * n))
    pairs = Pairs("made", sentences[::2], sentences[1::2], np.linspace(5, 0, n))
    X = np.empty((2 * n, D))
    X[::2], X[1::2] = left, right
    of_pairs = {pooling: np.array([X, X, X]) for pooling in ("cls", "mean")}
    subject = made(isotropic(), isotropic(), isotropic(), pairs=pairs, of_pairs=of_pairs)
    found = result_of("steck2024_scale", subject)
    assert found.control["rotated"].value == pytest.approx(0, abs=1e-6)
    assert found.values["least"].value < 0
    same = result_of("huang2021_mean", subject)  # both poolings have the same vectors
    assert same.state == "unknown"
    assert same.values["gain"].value == 0
    assert same.missing == ""
    vars(subject.encoder)["name"] = "all-MiniLM-L6-v2"
    assert result_of("huang2021_mean", subject).missing == "contrastive"
    whitened = result_of("su2021_whitening", subject)
    assert all(each.value == pytest.approx(0, abs=1e-6) for each in whitened.control.values())


def test_what_is_missing_is_said():
    words_only = made(isotropic())
    assert result_of("gao2019_cone_tokens", words_only).missing == "layers"
    vars(words_only)["knows_the_text"] = False
    del vars(words_only)["every_token"]
    assert result_of("zhou2022_frequent", words_only).missing == "unknown_text"
    subject = made(isotropic()[:12], isotropic()[:12])
    assert result_of("rudman2022_isoscore", subject).missing == "rows"
    assert result_of("mu2018_mean", subject).missing == "words"
    assert result_of("sun2024_massive", subject).state == "fails"


def gains(**of_cures: tuple[float, float]) -> ClaimSubject:
    """A subject with these gains at the middle and the last layer, each within ± 0.005."""
    subject = made(isotropic(), isotropic(), isotropic())
    names = {"centred": "centred", "removed": "abtt:3", "few": "pca:64:lw", "whitened": "pca:lw"}
    cures = {names[name]: values for name, values in of_cures.items()}
    for control in ("rotated", "random:3", "random-kept:64"):
        cures[control] = (0.0, 0.0)

    def of(layer: int, _pooling: str, cure: str, _by: str) -> Any:
        value = cures[cure][layer - 1]
        gain = Estimate(value, value - 0.005, value + 0.005)
        return SimpleNamespace(gain=gain, over_control=gain, is_control=cure.startswith("ra"))

    every = [of(layer, "", cure, "") for cure in cures for layer in (1, 2)]
    grid = SimpleNamespace(of=of, gains=every, n_folds=5, n_together=8)
    pairs = Pairs("made", ("a", "b", "c"), ("d", "e", "f"), np.arange(3.0))
    vars(subject).update({"gains": grid, "of_pairs": {"mean": np.array([isotropic()] * 3)}})
    object.__setattr__(subject, "pairs", pairs)
    return subject


@for_each(
    ("centred", "whitened", "expected"),
    [
        ((0.0, 0.0), (0.1, 0.1), "holds"),  # no more than a point, where another cure gains
        ((0.0, 0.0), (0.1, 0.0), "partly"),
        ((0.0, 0.0), (0.0, -0.1), "unknown"),  # there is no low score to explain
        ((0.1, 0.1), (0.1, 0.1), "fails"),
        ((0.0, 0.1), (0.1, 0.1), "partly"),
    ],
)
def test_the_cone_is_no_cause_where_centring_gains_nothing_and_another_cure_does(
    centred, whitened, expected
):
    subject = gains(centred=centred, removed=(0.0, 0.0), few=(0.0, 0.0), whitened=whitened)
    assert state("fuster2022_cause", subject) == expected


@for_each(
    ("whitened", "expected"),
    [
        ((0.1, 0.1), "holds"),
        ((0.1, -0.1), "partly"),
        ((0.1, 0.0), "partly"),
        ((0.0, -0.1), "fails"),
        ((0.0, 0.0), "unknown"),
    ],
)
def test_a_cure_helps_at_both_layers_at_one_or_not(whitened, expected):
    subject = gains(centred=(0, 0), removed=whitened, few=whitened, whitened=whitened)
    assert state("su2021_whitening", subject) == expected
    assert state("liang2021_removal", subject) == expected
    of_few = {"holds": "holds", "partly": "holds"}.get(expected, "unknown")
    assert state("su2021_dimensions", subject) == of_few
    down, up = -0.1 in whitened, 0.1 in whitened
    consistent = "holds" if down else "partly" if up else "unknown"
    assert state("ding2022_calibration", subject) == consistent


def test_sentences_are_alike_by_more_than_a_token_s_own_weight():
    of_sentence = np.repeat(rng().standard_normal((SENTENCES, D)), LENGTH, axis=0)
    X = shifted() + of_sentence
    found = result_of("ethayarajh2019_sentence", made(X, X))
    assert found.state == "holds"
    alone = result_of("ethayarajh2019_sentence", made(shifted(), shifted()))
    assert alone.state == "unknown"  # its own weight, in a cone
    assert alone.control["shuffled"].value > 0.02


def test_frequent_words_that_crowd_are_left_out_beside_random_ones():
    n = SENTENCES * LENGTH
    words = np.where(rng().random(n) < 0.5, 0, 1 + np.arange(n))  # half of all tokens are one word
    X = isotropic()
    assert state("yan2021_frequent", made(X, X, X, types=words)) != "holds"
    crowded = X + 6.0 * (words == 0)[:, None]
    found = result_of("yan2021_frequent", made(X, crowded, crowded, types=words))
    assert found.state == "holds"
    assert found.values["last_without"].value < 0.05 < found.control["last_random"].value


def test_clusters_that_a_shift_hides_are_harmed_by_it():
    labels = [f"l{row % 4}" for row in range(SENTENCES)]
    centres = np.linalg.qr(rng().standard_normal((D, D)))[0][:4]
    X = np.repeat(2.0 * centres[np.arange(SENTENCES) % 4], LENGTH, axis=0) + 0.3 * isotropic()
    harmless = made(X, X, labels=labels)
    assert state("aitsaada2023_clusters", harmless) in ("holds", "unknown")
    hidden = X + 40 * rng().standard_normal((SENTENCES, 1)).repeat(LENGTH, 0) * np.ones(D)
    found = result_of("aitsaada2023_clusters", made(hidden, hidden, labels=labels))
    assert found.state == "fails"
    assert abs(found.control["rotated"].value) < 20


def test_claims_on_training_have_the_other_optimisers_as_controls():
    subject = made(isotropic(), isotropic())
    rare = result_of("gao2019_rare", subject)
    assert rare.state == "partly"  # with Adam alone
    assert rare.values["unseen"].low > 0.25 > rare.control["coupled"].high
    assert result_of("gao2019_unseen", subject).state == "partly"
    assert result_of("stollenwerk2025_adam", subject).state == "holds"
    cosreg = result_of("gao2019_cosreg", subject)
    assert cosreg.control["cosine"].value > 0.25 > cosreg.values["cosine"].value
    assert result_of("gao2021_simcse", subject).n == 8
