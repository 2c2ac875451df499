"""The shell's commands: each reads files, calls the library, prints and writes what it found.

shell        what they share: the group, errors as one line, progress on stderr
evaluate     the grid of an encoder on sentence pairs
grid_text    a grid as columns of text
"""

from .evaluate import evaluate
from .shell import run_shell, shell

shell.add_command(evaluate)
