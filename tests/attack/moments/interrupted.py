"""Calls that are interrupted at every step, or at random moments; run in a process of its own.

Run with "steps" or "moments", a seed and a number of rounds. An interrupt is an exception that reaches the thread
between two of its steps: raised by a tracing function at the n-th bytecode of the files that share work, or by a
signal. After each the results are right, workers take parts, and they come and go at once.
"""

from __future__ import annotations

import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import specgrad as sg
from specgrad.runtime.device.threads import job, parallel_for, workers
from specgrad.runtime.device.threads import parallel_for as threads

TRACED = {str(Path(workers.__file__).with_name(name)) for name in ("workers.py", "parallel_for.py", "call_record.py")}
PATIENCE = 60.0  # seconds for another thread to come
AGAIN = 20.0  # seconds to the next signal: Python drops an exception that is raised in a callback of LLVM's
AT_ONCE = 15.0  # seconds for what takes some microseconds where nothing else runs


class Interrupted(BaseException):
    """What the tracing function raises."""


def work() -> None:
    """Work that is shared in all ways, and changes of the number of threads; results are compared with NumPy's."""
    a = np.arange(12_000.0).reshape(60, 200)[:, ::-1] % 701
    x = sg.tensor(a, requires_grad=True)
    assert np.array_equal((x * 2 + x).detach().numpy(), a * 3)
    assert np.array_equal(x.sort(1).values.detach().numpy(), np.sort(a, 1))
    assert np.array_equal(x.detach().to(sg.float32).numpy(), a.astype(np.float32))
    assert np.array_equal(x.amax(1).detach().numpy(), a.max(1))
    e = np.exp(a - a.max(1, keepdims=True))
    assert np.allclose(x.softmax(1).detach().numpy(), e / e.sum(1, keepdims=True))
    (x * x).sum().backward()
    assert np.array_equal(x.grad.numpy(), 2 * a)
    sg.set_num_threads(4)
    sg.set_num_threads(2)


def workers_take_parts() -> bool:
    """Whether two parts of a job run at the same time."""
    seen: set[int] = set()

    def meet(first: int, last: int) -> None:
        end = time.monotonic() + PATIENCE
        seen.add(threading.get_ident())
        while len(seen) < 2 and time.monotonic() < end:
            time.sleep(0.0005)

    workers.in_parts(2, 1, meet)
    return len(seen) == 2


def check() -> None:
    """As if nothing had happened."""
    begin = time.monotonic()
    sg.set_num_threads(3)
    sg.set_num_threads(2)
    assert time.monotonic() - begin < AT_ONCE, "set_num_threads waits"
    work()
    assert workers_take_parts(), "no worker takes a part"
    assert job.slot_values[job.Job.word("owned")] == 0, "somebody still has the job"


def interrupted_at(step: int) -> int:
    """Raise at a bytecode of the files above while they work; gives how many there were up to then."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename not in TRACED and frame.f_code is not threads.set_num_threads.__code__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            count += 1
            if count == step:
                raise Interrupted
        return trace

    try:
        sys.settrace(trace)
        work()
    except Interrupted:
        pass
    finally:
        sys.settrace(None)
    return count


def at_steps(draw: random.Random, rounds: int) -> int:
    """Interrupt at so many of the bytecodes, each at most once."""
    every = interrupted_at(0)
    steps = draw.sample(range(1, every + 1), min(rounds, every))
    for step in steps:
        interrupted_at(step)
        try:
            check()
        except AssertionError as error:
            raise AssertionError(f"interrupted at step {step} of {every}: {error}") from error
    return len(steps)


def at_moments(draw: random.Random, rounds: int) -> int:
    """Interrupt by signals; gives how many came while something was computed."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    count = 0
    for number in range(rounds):
        moment = draw.random() * (1.0 if number == 0 else 0.01)  # the first while the compiler is loaded
        try:
            signal.setitimer(signal.ITIMER_REAL, moment, AGAIN)
            while True:
                work()
        except KeyboardInterrupt:
            count += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            check()
        except AssertionError as error:
            raise AssertionError(f"interrupted after {moment} s: {error}") from error
    return count


def main() -> None:
    """Do what the command line asks for, and print how many interrupts there were."""
    kinds: dict[str, Callable[[random.Random, int], int]] = {"steps": at_steps, "moments": at_moments}
    job.LARGE = parallel_for.CALL = parallel_for.LARGE_FOR_PYTHON = 1  # so that little work is shared
    sg.set_num_threads(2)
    if sys.argv[1] == "steps":
        check()
    print(kinds[sys.argv[1]](random.Random(sys.argv[2]), int(sys.argv[3])))


if __name__ == "__main__":
    main()
