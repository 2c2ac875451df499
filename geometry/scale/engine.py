"""Work on shards: in this process, or by Dask. Both run the same functions on the same shards.

Sums are merged in a tree whose shape depends on the number of shards alone, so they have the same
bits on any number of workers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Union

from threadpoolctl import threadpool_limits

from ..errors import GeometryError
from .errors import Failed, ScaleError

if TYPE_CHECKING:
    from .manifest import Part, Shard

Task = Union["Shard", "Part"]  # that is read, or written
FAN = 8  # parts that are merged at a time
RETRIES = 3
CONNECT_SECONDS = 20
# Dask drops a killed worker for good if its replacement has not started within this time. Its
# default is 15 s; on a busy machine the imports take longer.
REPLACED_WITHIN = "10 minutes"
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass
class Report:
    """What is done so far of a run's shards."""

    shards: int
    done: int = 0
    rows: int = 0  #: of the shards that are done
    failures: list[Failed] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows / max(time.monotonic() - self.started, 1e-9)

    @property
    def seconds_left(self) -> float:
        """An estimate from the shards that are done."""
        passed = time.monotonic() - self.started
        finished = self.done + len(self.failures)
        return passed / max(finished, 1) * (self.shards - finished)


Watch = Callable[[Report], None]


@dataclass(frozen=True)
class ShardSum:
    """A sum over shards, and what is not in it."""

    value: Any
    rows: int = 0
    failures: tuple[Failed, ...] = ()
    # (shard, number of rows that were left out, the first of these from 1)
    omitted: tuple[tuple[str, int, list[int]], ...] = ()


class Engine:
    """Works in this process, one shard after the other.

    ``threads`` are those of numpy and torch in each task. ``skip`` goes on after a shard that can't
    be done; else the run ends there, and ``ended_by`` is that shard. ``watch`` is called with a
    Report after each shard. ``failures`` and ``omitted`` are what sums left out, as in
    ``ShardSum``; runs that write shards list it in their manifest.
    """

    def __init__(self, *, threads: int = 1, skip: bool = False, watch: Watch | None = None) -> None:
        self.threads, self.skip = threads, skip
        self.watch = watch or (lambda report: None)
        self.failures: list[Failed] = []
        self.omitted: list[tuple[str, int, list[int]]] = []
        self.ended_by: Failed | None = None

    def each(self, work: Callable[[Any], int], tasks: Sequence[Task]) -> Report:
        """Work on each task; ``work`` returns its rows. Raises an error that ends the run."""
        report = Report(len(tasks))
        for task in tasks:
            self._count(report, self._tried(attempt, work, task))
        return report

    def _tried(self, how: Callable[..., Any], work: Callable[[Any], Any], task: Task) -> Any:
        try:
            return how(work, task, self.threads)
        except Exception as error:  # such as a network error; Dask would repeat the task
            return failed(task.name, error, 0)

    def total(self, work: Callable[[Any], ShardSum], tasks: Sequence[Task]) -> ShardSum:
        """The sums of all tasks, merged by their ``merge`` from left to right in a tree."""
        report = Report(len(tasks))

        def leaf(i: int) -> ShardSum:
            part = self._tried(part_of, work, tasks[i])
            part = ShardSum(None, 0, (part,)) if isinstance(part, Failed) else part
            self._count(report, outcome_of(part))
            return part

        return self._noted(tree(leaf, len(tasks), merged))

    def _noted(self, found: ShardSum) -> ShardSum:
        self.failures += found.failures
        self.omitted += found.omitted
        return found

    def _count(self, report: Report, result: int | Failed) -> None:
        if isinstance(result, Failed):
            report.failures.append(result)
            if not self.skip:
                self.ended_by = result
                raise result.error
        else:
            report.done += 1
            report.rows += result
        self.watch(report)


class DaskEngine(Engine):
    """Works on a Dask cluster, which tries a task that raised an error ``retries`` times again."""

    def __init__(self, client: Any, *, retries: int = RETRIES, **how: Any) -> None:
        super().__init__(**how)
        self.client, self.retries = client, retries

    def each(self, work: Callable[[Any], int], tasks: Sequence[Task]) -> Report:
        """As ``Engine.each``, in any order."""
        how = {"retries": self.retries, "pure": False, "key": "shard"}
        with _faults_of_the_cluster(self.client):
            run = partial(attempt, work, threads=self.threads)
            return self._followed(self.client.map(run, list(tasks), **how), tasks)

    def _followed(self, futures: Sequence[Any], tasks: Sequence[Task]) -> Report:
        from distributed import as_completed

        report = Report(len(tasks))
        named = {future.key: task.name for future, task in zip(futures, tasks, strict=True)}
        try:
            for future in as_completed(futures):
                is_lost = future.status == "error"
                result = future.exception() if is_lost else future.result()
                shard = named[future.key]
                self._count(report, failed(shard, result, self.retries) if is_lost else result)
                future.release()
        finally:
            self.client.cancel([future for future in futures if not future.done()])
        return report

    def total(self, work: Callable[[Any], ShardSum], tasks: Sequence[Task]) -> ShardSum:
        """As ``Engine.total``. The workers merge the parts, which stay there."""
        from distributed import wait

        submit = partial(self.client.submit, retries=self.retries, pure=False)
        outcomes = []

        def leaf(i: int) -> Any:
            part = submit(part_of, work, tasks[i], self.threads)
            outcomes.append(submit(outcome_of, part))
            return part

        with _faults_of_the_cluster(self.client):
            # from left to right: Dask then merges early, so that few parts wait in memory
            whole = tree(leaf, len(tasks), lambda parts: submit(merged, parts))
            self._followed(outcomes, tasks)
            wait(whole)
            if whole.status == "error":  # of a part, after all retries
                raise failed("", whole.exception(), self.retries).error
            return self._noted(whole.result())


def tree(leaf: Callable[[int], Any], n: int, join: Callable[[list[Any]], Any]) -> Any:
    """Leaves 0 to n - 1, joined from left to right, FAN at a time."""
    size = 1
    while size < n:
        size *= FAN

    def node(start: int, size: int) -> Any:
        if size == 1:
            return leaf(start)
        step = size // FAN
        return join([node(i, step) for i in range(start, min(start + size, n), step)])

    return node(0, size)


def attempt(work: Callable[[Any], Any], task: Task, threads: int) -> Any:
    """The result of a task, or Failed for a fault of its shard, which a retry would not mend."""
    try:
        with threadpool_limits(threads):
            return work(task)
    except GeometryError as error:
        return Failed(task.name, error)


def part_of(work: Callable[[Any], Any], task: Task, threads: int) -> ShardSum:
    result = attempt(work, task, threads)
    return ShardSum(None, 0, (result,)) if isinstance(result, Failed) else result


def outcome_of(part: ShardSum) -> int | Failed:
    """What the client hears of a part, whose sum may be large."""
    return part.failures[0] if part.failures else part.rows


def merged(parts: Sequence[ShardSum]) -> ShardSum:
    """The parts as one, from left to right; parts without rows are left out."""
    values = [part.value for part in parts if part.value is not None]
    return ShardSum(
        reduce(lambda a, b: a.merge(b), values) if values else None,
        sum(part.rows for part in parts),
        tuple(failure for part in parts for failure in part.failures),
        tuple(omitted for part in parts for omitted in part.omitted),
    )


def failed(shard: str, error: BaseException, retries: int) -> Failed:
    """A task that raised after all retries, or that several workers died of."""
    if type(error).__name__ == "KilledWorker":
        return Failed(shard, ScaleError("killed_workers", shard=shard))
    detail = f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"
    return Failed(shard, ScaleError("gave_up", shard=shard, tries=retries + 1, detail=detail))


@contextmanager
def _faults_of_the_cluster(client: Any) -> Iterator[None]:
    """Turn the loss of the scheduler into a ScaleError."""
    from concurrent.futures import CancelledError

    from distributed.comm import CommClosedError

    try:
        yield
    except (CancelledError, CommClosedError, TimeoutError) as error:
        address = getattr(getattr(client, "scheduler", None), "addr", None) or "?"
        raise ScaleError("lost_scheduler", address=address) from error


@contextmanager
def open_engine(
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    threads: int = 1,
    memory: str = "auto",
    retries: int = RETRIES,
    skip: bool = False,
    watch: Watch | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Iterator[Engine]:
    """An engine: this process, a cluster of this machine, or one that is there.

    ScaleError "missing_library" without Dask, "lost_scheduler" if there is none at the address.

    Parameters
    ----------
    workers : int, optional
        Processes of a cluster on this machine; by default one for each core. 0 works in this
        process, without Dask.
    scheduler : str, optional
        The address of a running scheduler, such as tcp://host:8786. Its workers are used.
    threads : int
        Threads of numpy and torch in a worker.
    memory : str
        Memory of a worker on this machine, such as "2GB"; "auto" shares the machine's memory.
    retries : int
        How often Dask begins a task again.
    skip : bool
        Leave out rows and shards that can't be read. False ends the run there.
    watch : callable, optional
        Called with a Report after each shard.
    say : callable of str
        Gets the lines about workers and dashboard.
    """
    how: dict[str, Any] = {"threads": threads, "skip": skip, "watch": watch}
    if workers == 0 and scheduler is None:
        say(f"this process, {threads} thread(s)")
        yield Engine(**how)
        return
    try:
        import distributed
    except ImportError as error:
        raise ScaleError("missing_library") from error
    if scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError) as error:
            raise ScaleError("lost_scheduler", address=scheduler) from error
        with client:
            found = client.scheduler_info(n_workers=-1)["workers"]
            say(f"scheduler {scheduler}: {len(found)} workers; dashboard {client.dashboard_link}")
            yield DaskEngine(client, retries=retries, **how)
        return
    from dask import config
    from dask.system import CPU_COUNT
    from distributed.system import MEMORY_LIMIT

    n = workers or CPU_COUNT
    settings = {
        "distributed.deploy.lost-worker-timeout": REPLACED_WITHIN,
        # The profiler samples the stack every 10 ms; its results are not used.
        "distributed.worker.profile.enabled": False,
        # Without Dask's MALLOC_TRIM_THRESHOLD_: with it glibc maps and unmaps every large array
        # anew, and encoding takes a third more time.
        "distributed.nanny.pre-spawn-environ": dict.fromkeys(THREAD_VARIABLES, str(threads)),
    }
    with (
        config.set(settings),
        distributed.LocalCluster(
            n_workers=n,
            threads_per_worker=1,
            processes=True,
            memory_limit=int(MEMORY_LIMIT / n) if memory == "auto" else memory,
            dashboard_address="127.0.0.1:0",  # a free port, and for this machine only
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        limits = [worker["memory_limit"] for worker in cluster.scheduler_info["workers"].values()]
        size = f"{min(limits) / 1e9:.1f} GB" if limits else memory
        each = f"{n} workers of {threads} thread(s), {size} of memory each"
        say(f"{each}; dashboard {cluster.dashboard_link}")
        yield DaskEngine(client, retries=retries, **how)
