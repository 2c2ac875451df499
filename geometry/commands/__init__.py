"""The commands of the shell. Each reads files, calls the library, prints and writes results.

shell      the group of commands; one-line errors, progress on stderr
evaluate   the grid of an encoder, or of word vectors, on sentence pairs
export     a fitted transform as a file or a sentence-transformers model
scale      data sets of any size, on this machine or a Dask cluster
neighbours the nearest rows before and after a treatment
options    parsing of options
subjects   an encoder or a table of word vectors, and its grid
grid_text  a grid as columns of text
"""

from .evaluate import evaluate
from .export import export
from .neighbours import neighbours
from .scale import scale
from .shell import run_shell, shell

shell.add_command(evaluate)
shell.add_command(export)
shell.add_command(scale)
shell.add_command(neighbours)
