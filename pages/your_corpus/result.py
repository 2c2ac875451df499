"""A reader's own corpus or vectors: the cloud, its picture and the claim."""

from dataclasses import asdict, dataclass
from functools import partial

import streamlit as st

from geometry import Corpus, Pairs
from geometry.data import VectorSet
from geometry.data.corpus import read_bundled
from geometry.data.number_text import signed
from geometry.encode.cloud import is_stored
from geometry.measure import Measured, mean_cosine, measure_table
from geometry.projection import Projection
from geometry.projection.packing import pack_cloud
from geometry.projection.panel import Panel
from geometry.projection.twin import common_scale
from geometry.projection.twin_message import Picture, Points, TwinCloud
from pages.common import measures
from pages.common.cache import kept
from pages.common.cloud_choices import choose_place
from pages.common.cloud_parts import show_explored
from pages.common.corpus_cloud import (
    MOST_DRAWN,
    OF_VECTORS,
    CloudSpec,
    CorpusCloud,
    encode_corpus,
    store,
)
from pages.common.downloads import offer_csv, points_csv
from pages.common.draw import clouds
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.explore_panel import Explored, filtered
from pages.common.messages import errors_shown
from pages.common.models import chosen_model, current_encoder
from pages.common.origin import coverage_of, origin
from pages.common.seed import SEED
from pages.common.selected_points import chosen_marks, show_selection
from pages.common.words import _, dotted, language, markdown, paragraph

VIEW, COMPONENTS = "mean", 2
PLOTLY_POINTS = 3000  # points that Plotly draws at most, a sample of a larger cloud


@dataclass(frozen=True, eq=False)
class CorpusScene:
    own: Corpus | VectorSet
    pairs: Pairs | None  # the pairs whose sentences ``own`` are
    points: CorpusCloud  # the vectors; of many texts a sample
    shown: CorpusCloud  # those that the filters leave in
    drawn: CorpusCloud  # in the picture: Plotly draws a sample of them
    picture: Projection | None  # None without enough points or a mean direction
    mean_cosine: Measured  # of ``shown``, with its interval


def make_scene(own: Corpus | VectorSet, pairs: Pairs | None, explored: Explored) -> CorpusScene:
    spec = OF_VECTORS
    if isinstance(own, Corpus):
        layer, pooling = choose_place(current_encoder(), "sentences", *st.columns(2))
        spec = CloudSpec("sentences", layer, pooling, max_points=MOST_DRAWN)
    points = encode_corpus(own, spec)
    shown = filtered(points, explored.left_in)
    drawn = shown.sample(PLOTLY_POINTS) if has_no_webgl2() else shown
    picture = None
    if len(drawn.cloud) > COMPONENTS:
        with errors_shown():
            picture = drawn.project_in_job(VIEW, COMPONENTS)
    return CorpusScene(own, pairs, points, shown, drawn, picture, _cosine(shown))


@kept(8)
def _cosine(points: CorpusCloud) -> Measured:
    [cosine] = measure_table(points.vectors, names=("mean_cosine",), seed=SEED, units=points.units)
    return cosine


def draw_cloud(
    scene: CorpusScene, explored: Explored, colour: str, chosen: int | None
) -> TwinCloud | None:
    """The raw cloud around the origin, with its cones. None for too few points."""
    points = scene.drawn
    cloud = points.cloud
    picture = scene.picture
    if picture is None:
        if len(cloud) <= COMPONENTS:
            few = _(
                "A picture in {k} dimensions needs at least {least} texts, and there are {n}. "
                "The numbers below are valid all the same."
            )
            st.info(few.format(k=COMPONENTS, least=COMPONENTS + 1, n=len(cloud)))
        return None
    reach = common_scale(picture, picture)[1]
    panel = _panel(points, picture, reach, language())
    below = clouds.lines_below(picture, panel)
    line = cloud_line(points)
    alt = clouds.alternative_with(_("Raw"), len(cloud), _cosine(points).value, panel)
    twin = TwinCloud(
        points=Points.of(pack_cloud([picture.around_origin], reach)),
        rows_key=points.key,
        pictures=[Picture([0], [_("Raw")])],
        colours=clouds.point_colours(points, colour, picture.around_origin),
        reach=reach,
        axis_titles=clouds.axis_titles(VIEW, COMPONENTS),
        origin_label=_("origin"),
        name=_("Raw"),
        alt=paragraph([alt, line]),
        cones=[panel.wedges],
        factors=[1.0],
        marks=chosen_marks(points, chosen),
        below=below,
        provenance=line,
        file_name="narrow-cone-your-corpus",
    )
    with st.container(key="own_cloud"):
        twin = show_explored(twin, points, explored, key="own-cloud")
    st.caption(markdown(dotted(*below, line)))
    show_selection(cloud, points.shared_key)
    table = partial(points_csv, cloud, ["x", "y"], picture.around_origin, line)
    offer_csv(_("Download points (CSV)"), "your-corpus", table)
    return twin


@kept(8)
def _panel(points: CorpusCloud, picture: Projection, reach: float, code: str) -> Panel:
    return clouds.cloud_panel(points.vectors, (), picture, reach)


def show_counts(scene: CorpusScene) -> None:
    points = scene.shown
    cosine = measures.print_value("mean_cosine", scene.mean_cosine.value)
    counts = {measures.measure_label("mean_cosine"): cosine}
    if points.model is None:
        n = len(points.cloud)
        counts |= {
            _("vectors"): f"{n:,}",
            _("numbers of each"): f"{points.vectors.shape[1]:,}",
            _("rows of zeros, left out"): f"{points.n_zero:,}",
        }
    else:
        corpus = scene.points.corpus
        coverage = coverage_of(corpus)
        counts |= {
            _("number of texts"): f"{len(corpus):,}",
            _("duplicates, kept"): f"{len(corpus) - len({*corpus.texts}):,}",
            _("blank lines, left out"): f"{corpus.n_blank:,}",
            _("texts cut"): f"{coverage.truncated:,}",
            _("unknown tokens"): f"{coverage.unknown_share:.1%}",
        }
    for label, value in counts.items():
        st.metric(label, value)


def cloud_line(points: CorpusCloud) -> str:
    seed = _("seed {seed}").format(seed=points.spec.seed)
    return dotted(*origin(points), _("raw (not centred, no treatment)"), seed)


def cone_verdict(scene: CorpusScene) -> measures.Verdict:
    """Whether the texts form a narrow cone, and how narrow the bundled corpus is, if encoded."""
    points = scene.shown
    row = scene.mean_cosine
    units = _("texts") if points.model else _("vectors")
    state, heading, measured = measures.cone_sentence(units, row.value, row.low, row.high)
    claim = _("The vectors of a language model form a narrow cone.")
    if points.model is not None:
        claim = _("Texts of any subject form a narrow cone in the middle layers of a model.")
        topics = read_bundled("topics")
        is_compared = row.low is not None and chosen_model().is_bundled
        if is_compared and is_stored(points.encoder, topics, **asdict(points.spec), store=store()):
            cosine = signed(mean_cosine(encode_corpus(topics, points.spec).vectors), 3)
            said = _("The corpus Topics, of twelve subjects, has {cosine} at the same layer.")
            measured = paragraph([measured, said.format(cosine=cosine)])
    here = _("the paper measured contextual tokens; here: {units}")
    basis = cloud_line(points), here.format(units=units), measures.cone_words()
    control = measures.isotropic_control(*points.vectors.shape)
    about = dotted(*basis, _("95% interval: jackknife over rows"))
    source = _("Ethayarajh (2019)")
    return measures.Verdict(claim, source, state, measured, control, about, heading)
