"""The group of commands; errors as one line with exit code 2, progress on stderr."""

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from .. import __version__
from ..errors import GeometryError
from ..process import Progress, no_report

FAILED, INTERRUPTED = 2, 130
STEPS = 10  # lines of progress if stderr is no terminal


def _noted(context: click.Context, option: click.Parameter, value: bool) -> None:
    context.meta[option.name or ""] = value


FORCE = click.option("--force", is_flag=True, help="Replace a file that exists.")
# how a command prints: noted for ``show`` and ``progress_on_stderr``, and not passed on
NOTED: dict[str, Any] = {"is_flag": True, "expose_value": False, "callback": _noted}
JSON = click.option("--json", "as_json", **NOTED, help="Print JSON on stdout.")
QUIET = click.option("--quiet", **NOTED, help="No progress on stderr.")


@click.group(context_settings={"show_default": True})
@click.version_option(__version__, message="%(version)s")
def shell() -> None:
    """See, measure and undo the anisotropy of embeddings."""


def run_shell(args: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code; an error is one line on stderr."""
    try:
        program = Path(sys.argv[0]).stem
        name = program if program == "narrow-cone" else "python -m geometry"
        code = shell.main(args, prog_name=name, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as no_command:
        no_command.show()
        return FAILED
    except click.ClickException as error:
        return _failed(error.format_message(), max(error.exit_code, FAILED))
    except click.Abort as abort:
        outcome = abort.args[0] if abort.args else "nothing was written."
        click.echo(f"Interrupted; {outcome}", err=True)
        return INTERRUPTED
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        return _failed(f"{named}{error.strerror or error}")
    except (ValueError, TypeError) as error:
        said = str(error)
        if isinstance(error, GeometryError) and error.code == "uncertain":
            option = f"--{error.details['option']}"
            choices = error.details["choices"]
            answer = f"{option} {' or '.join(map(shlex.quote, choices))}"
            if choices == ("yes", "no"):
                answer = f"{option} or --no-{option[2:]}"
            said += f" Say it by {answer}."
        return _failed(said)
    return code if isinstance(code, int) else 0


def _failed(message: str, code: int = FAILED) -> int:
    click.echo(f"Error: {' '.join(message.split())}", err=True)
    return code


def is_noted(option: str) -> bool:
    """Whether the command that runs has the option "as_json" or "quiet"."""
    return bool(click.get_current_context().meta.get(option))


def show(result: Mapping[str, Any], text: str) -> None:
    """Print a result: as one JSON object, or as text."""
    click.echo(json.dumps(result, ensure_ascii=False) if is_noted("as_json") else text)


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table as text: a line for each row, its cells below those of the first row."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def progress_on_stderr(what: str) -> Progress:
    """A callable of (done, total): rewrites one line of a terminal, else prints every tenth."""
    if is_noted("quiet"):
        return no_report
    is_terminal = sys.stderr.isatty()
    last_step = -1

    def report(done: int, total: int) -> None:
        nonlocal last_step
        percent = 100 * done // max(1, total)
        step = percent if is_terminal else percent * STEPS // 100
        if step == last_step:
            return
        last_step = step
        click.echo(f"{what}: {percent}%", err=True, nl=not is_terminal)
        if is_terminal:
            click.echo("\n" if done >= total else "\r", err=True, nl=False)

    return report
