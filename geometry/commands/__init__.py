"""The commands of the shell. Each reads files, calls the library, prints and writes results.

shell      the group of commands; one-line errors, progress on stderr
evaluate   the grid of an encoder, or of word vectors, on sentence pairs
export     a fitted transform as a file or a sentence-transformers model
from .project import project
from .scale import scale
options    parsing of options
subjects   an encoder or a table of word vectors, and its grid
grid_text  a grid as columns of text
"""

from .diagnose import diagnose
from .evaluate import evaluate
from .export import export
for command in (evaluate, export, diagnose, whiten, project, scale):
    shell.add_command(command)
from .shell import run_shell, shell
from .whiten import whiten

<<<<<<< HEAD
shell.add_command(evaluate)
shell.add_command(export)
shell.add_command(scale)
=======
for command in (evaluate, export, diagnose, whiten, project):
    shell.add_command(command)
>>>>>>> 08e8957 (Shell: diagnose, whiten and project)
