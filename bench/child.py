"""Work in a process of its own, whose peak memory is the operating system's figure for it alone."""

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
    """The most memory that this process has held: libraries and weights too."""
    # not getrusage where it can be helped: a process inherits that peak from the one that began it
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # there it is bytes
