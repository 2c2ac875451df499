"""What every command shares: errors as one line with exit code 2, progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click

FAILED, INTERRUPTED = 2, 130
STEPS_TOLD = 10  # lines of progress where stderr is no terminal


@click.group()
def shell() -> None:
    """See, measure and undo the anisotropy of embeddings."""


def run_shell(args: Sequence[str] | None = None) -> int:
    """Run one command, by default that of the process; returns the exit code.

    An error is one line on stderr, never a traceback or a page of usage.
    """
    try:
        shell.main(args, prog_name="python -m geometry", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as no_command:
        no_command.show()
        return FAILED
    except click.ClickException as error:
        click.echo(f"Error: {' '.join(error.format_message().split())}", err=True)
        return FAILED
    except click.Abort:
        click.echo("Interrupted; nothing was written.", err=True)
        return INTERRUPTED
    return 0


@contextmanager
def errors_in_words() -> Iterator[None]:
    """What the library refuses, and files that can't be read or written, as errors of the shell."""
    try:
        yield
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{named}{error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        raise click.ClickException(str(error)) from error


def progress_on_stderr(what: str, *, quiet: bool) -> Callable[[int, int], None] | None:
    """Called with (done, total): one line rewritten on a terminal, else a line every tenth."""
    if quiet:
        return None
    is_terminal = sys.stderr.isatty()
    told = -1

    def tell(done: int, total: int) -> None:
        nonlocal told
        percent = 100 * done // max(1, total)
        step = percent if is_terminal else percent * STEPS_TOLD // 100
        if step == told:
            return
        told = step
        click.echo(f"{what}: {percent}%", err=True, nl=not is_terminal)
        if is_terminal:
            click.echo("\n" if done >= total else "\r", err=True, nl=False)

    return tell
