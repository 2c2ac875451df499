"""Work in a process of its own: the operating system then reports its peak memory alone."""

import subprocess
import sys
from pathlib import Path


def printed_by(module: str, *args: str | Path) -> list[str]:
    """The words that ``python -m module args`` prints; what it writes to stderr is shown."""
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, args)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.split()


def peak_bytes() -> int:
    """The peak memory of this process, with libraries and weights."""
    # getrusage is used last: its peak includes that of the process that started this one
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # macOS reports bytes
