"""Several processes that run one function: started, joined and, where one fails, ended together."""

import multiprocessing
import multiprocessing.connection
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from ...errors import warn_user
from .reductions import init_reductions


class ProcessException(Exception):
    """A process has failed.

    Args:
        msg: what happened.
        error_index: which of the processes it was.
        pid: its number in the system.
    """

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = pid

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """A process has failed by an exception, whose traceback the message has.

    Args:
        msg, error_index, pid: as of `ProcessException`.
    """


class ProcessExitedException(ProcessException):
    """A process has ended by a signal or with an exit code.

    Args:
        msg, error_index, pid: as of `ProcessException`.
        exit_code: the code; the negative number of the signal.
        signal_name: the name of the signal, if it was one.
    """

    def __init__(self, msg: str, error_index: int, pid: int, exit_code: int, signal_name: str | None = None) -> None:
        super().__init__(msg, error_index, pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


GRACE = 30.0  # seconds


class ProcessContext:
    """Processes that run together.

    Args:
        processes: the processes, started.
        error_queues: one for each, where it puts the traceback of an exception.
    """

    def __init__(self, processes: list[Any], error_queues: list[Any]) -> None:
        self.processes = processes
        self.error_queues = error_queues
        self.sentinels = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The numbers of the processes in the system."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait for one of the processes or more to end; whether all have ended.

        That takes `timeout` seconds at most, if it is given. Where a process has failed, the others have `grace_period`
        seconds to end before they are killed.

        Raises:
            ProcessRaisedException: one of them has raised an exception.
            ProcessExitedException: one of them was killed, or has ended with an exit code that is not 0.
        """
        if not self.sentinels:
            return True
        failed = None
        for sentinel in multiprocessing.connection.wait(self.sentinels.keys(), timeout):
            index = self.sentinels.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                failed = index
                break
        if failed is None:
            return not self.sentinels
        self._end_others(GRACE if grace_period is None else grace_period)
        raise self._failure(failed)

    def _end_others(self, patience: float) -> None:
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        end = time.monotonic() + patience
        for process in self.processes:
            process.join(max(0.0, end - time.monotonic()))
        for process in self.processes:
            if process.is_alive():
                process.kill()
            process.join()

    def _failure(self, index: int) -> Exception:
        process, queue = self.processes[index], self.error_queues[index]
        pid, code = int(process.pid), int(process.exitcode)
        if not queue.empty():
            message = f"\n\n-- Process {index} terminated with the following error:\n{queue.get()}"
            return ProcessRaisedException(message, index, pid)
        if code >= 0:
            return ProcessExitedException(f"process {index} terminated with exit code {code}", index, pid, code)
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"<Unknown signal {-code}>"
        return ProcessExitedException(f"process {index} terminated with signal {name}", index, pid, code, name)


class SpawnContext(ProcessContext):
    """Processes that were started by `spawn`, arguments as of `multiprocessing.ProcessContext`."""


def _run(fn: Callable[..., Any], index: int, args: tuple[Any, ...], errors: Any) -> None:
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass  # the one that has started this process has got it as well
    except Exception:
        errors.put(traceback.format_exc())
        sys.exit(1)


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`spawn` by another way of starting, arguments as of `multiprocessing.spawn`.

    Args:
        start_method: "spawn", "fork" or "forkserver".

    Raises:
        TypeError: the number of processes is none.
    """
    if not isinstance(nprocs, int):
        raise TypeError(f"spawn(): argument 'nprocs' must be an int, but got {type(nprocs).__name__}")
    init_reductions()
    context: Any = multiprocessing.get_context(start_method)
    processes, queues = [], []
    for index in range(nprocs):
        queue = context.SimpleQueue()
        process = context.Process(target=_run, args=(fn, index, args, queue), daemon=daemon)
        process.start()
        queues.append(queue)
        processes.append(process)
    started = (SpawnContext if start_method == "spawn" else ProcessContext)(processes, queues)
    while join and not started.join():
        pass
    return None if join else started


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Start processes that call ``fn(i, *args)``, i = 0 ... nprocs - 1. Where one fails the others are ended.

    Tensors among the arguments are shared with the processes, not copied.

    Args:
        fn: a function that can be pickled: one that a module has.
        args: what it is called with, after the number of the process.
        nprocs: how many processes there are.
        join: whether to wait until all have ended; errors are those of `ProcessContext.join`.
        daemon: whether they end with this process.
        start_method: "spawn"; for others there is `start_processes`.

    Returns:
        None, or with `join=False` a `ProcessContext` to join.
    """
    if start_method != "spawn":
        warn_user(
            f"This method only supports start_method=spawn (got: {start_method}).\nTo use a different start_method use:"
            "\n\t\t torch.multiprocessing.start_processes(...)",
            FutureWarning,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
