"""The commands of the shell. Each reads files, calls the library, prints and writes results.

app        the pages, for one reader or a class
shell      the group of commands; one-line errors, progress on stderr
evaluate   the grid of an encoder, or of word vectors, on sentence pairs
evidence   gains of cures by layer and pooling, with controls; a report
export     a fitted transform as a file or a sentence-transformers model
export_view a cloud, raw beside treated, as one file of HTML
diagnose   what is unusual about texts or vectors, and which cure helps; a report
whiten     texts or vectors as whitened vectors
project    texts or vectors as points of a picture
neighbours the nearest rows before and after a treatment
scale      data sets of any size, on this machine or a Dask cluster
own_data   a file of texts or vectors
reproduce  a published table, computed again
judging    pairs and queries that judge vectors
options    parsing of options
grid_text  a grid as columns of text
"""

from .app import app, serve_class
from .diagnose import diagnose
from .evaluate import evaluate
from .evidence import evidence
from .export import export
from .export_view import export_view
from .neighbours import neighbours
from .project import project
from .reproduce import reproduce
from .scale import scale
from .shell import run_shell, shell
from .whiten import whiten

for command in (
    app,
    serve_class,
    evaluate,
    evidence,
    export,
    export_view,
    diagnose,
    whiten,
    project,
    neighbours,
    reproduce,
    scale,
):
    shell.add_command(command)
