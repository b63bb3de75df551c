"""Forks while other threads work; run in a process of its own with what they do, a seed and a number of forks.

Each child computes, compiles, uses threads of its own and ends. It says so by its exit code; where it hangs, it is
ended and says where it was.
"""

from __future__ import annotations

import faulthandler
import os
import random
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

import specgrad as sg
from specgrad.nn import functional as F
from specgrad.runtime.device.threads import parallel_for, workers

LIMIT = 120  # seconds: some two are enough where nothing else runs


def compiles() -> None:
    """A function that is new to the compiler each time."""
    from numba import njit

    code = f"def new(x):\n    return x * {random.random()}"
    space: dict[str, Callable[[float], float]] = {}
    exec(code, space)
    njit(space["new"])(2.0)


def shares() -> None:
    """Work for the workers, of compiled code and of Python."""
    a = sg.rand(500, 500)
    (a * 2 + a).sum()
    a.sort(1)
    a.softmax(1)
    workers.in_parts(2, 1, lambda first, last: time.sleep(0.001))


def multiplies() -> None:
    """Work for the BLAS."""
    sg.rand(200, 200) @ sg.rand(200, 200)


def learns() -> None:
    """Graphs, and gradients that are added to one leaf by all threads."""
    loss = F.cross_entropy((LEAF * LEAF).softmax(1), sg.arange(40) % 40)
    loss.backward()


def loads() -> None:
    """What the first call of many an op loads, of which the first is the compiler."""
    a = sg.rand(5, 5)
    a.cummax(0)
    for function in (sg.erfinv, sg.lgamma, sg.i0, sg.sinc, sg.linalg.svd, sg.median):
        function(a)


def changes() -> None:
    """Other numbers of threads."""
    sg.set_num_threads(random.choice([1, 2, 5]))
    sg.rand(500, 500).mul(2)


LEAF = sg.rand(40, 40, requires_grad=True)
WORKS = {work.__name__: work for work in (compiles, shares, multiplies, learns, loads, changes)}


def forever(work: Callable[[], None], stop: threading.Event) -> None:
    """Work until somebody says stop."""
    while not stop.is_set():
        work()


def child() -> int:
    """What a process does that was forked in the middle of all that; 0 where it is right."""
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    sg.set_num_threads(2)
    a = np.arange(90_000.0).reshape(300, 300)
    x = sg.tensor(a, requires_grad=True)
    (x * x).sum().backward()
    right = np.array_equal(x.grad.numpy(), 2 * a) and np.array_equal(
        x.detach().sort(1, descending=True)[0].numpy(), a[:, ::-1]
    )
    for work in (compiles, shares, multiplies, learns):
        work()
    return 0 if right else 1


def main() -> None:
    """Fork and wait, while two threads work; print how many children there were."""
    names, draw = sys.argv[1].split(), random.Random(sys.argv[2])
    parallel_for.LARGE_FOR_PYTHON = 1 << 12
    sg.set_num_threads(2)
    stop = threading.Event()
    started = [threading.Thread(target=forever, args=(WORKS[name], stop)) for name in names]
    for thread in started:
        thread.start()
    codes = []
    for _ in range(int(sys.argv[3])):
        time.sleep(draw.random() * draw.choice([0.01, 0.1, 1.0]))
        if not (number := os.fork()):
            os._exit(child())
        codes.append(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]))
    stop.set()
    for thread in started:
        thread.join()
    shares()
    print(len(codes))
    sys.exit(f"children ended with {codes}" if any(codes) else 0)


if __name__ == "__main__":
    main()
