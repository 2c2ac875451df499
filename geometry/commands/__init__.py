"""The commands of the shell. Each reads files, calls the library, prints and writes results."""

from .app import app, serve_class
from .diagnose import diagnose
from .evaluate import evaluate
from .evidence import evidence
from .export import export, whiten
from .neighbours import neighbours
from .project import export_view, project
from .reproduce import reproduce
from .scale import scale
from .shell import run_shell, shell
