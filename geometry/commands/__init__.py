"""The shell's commands: each reads files, calls the library, prints and writes what it found.

shell        what they share: the group, errors as one line, progress on stderr
evaluate     the grid of an encoder, or of word vectors, on sentence pairs
sources      pairs and texts by their names;   lists   options with commas
subjects     an encoder and a table of word vectors, each to its grid
grid_text    a grid as columns of text
"""

from .evaluate import evaluate
from .shell import run_shell, shell

shell.add_command(evaluate)
