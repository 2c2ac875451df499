"""The library from the shell: python -m geometry --help."""

import sys

from .commands import run_shell

if __name__ == "__main__":
    sys.exit(run_shell())
