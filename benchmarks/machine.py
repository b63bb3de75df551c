"""What the machine can do: ``python -m benchmarks.machine THREADS`` prints bytes and operations a second, as JSON.

The bandwidth is that of adding two arrays into a third one that is there already, by how much memory that touches; the
rate of products is that of NumPy's BLAS. Both are the best of several moments, so that what the machine does besides
falls out.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import log
from time import perf_counter
from typing import NamedTuple

import numpy

LENGTHS, SIDE = (1_000_000, 4_000_000, 16_000_000), 1024
MOMENTS = 12


class Machine(NamedTuple):
    """What the machine does in a second with so many threads."""

    bandwidths: dict[int, float]  # bytes, by how many bytes are touched
    products: float  # operations of float32 products

    def bandwidth(self, touched: int) -> float:
        """The bandwidth that was measured with about so many bytes."""
        return self.bandwidths[min(self.bandwidths, key=lambda size: abs(log(size / touched)))]


def best(call: Callable[[], object]) -> float:
    """The shortest time of a call, after one that touches the memory for the first time."""
    times = []
    for _ in range(MOMENTS + 1):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return min(times[1:])


def bandwidth(length: int, threads: int) -> float:
    """Bytes a second of c = a + b, each thread with its part of the arrays."""
    arrays = [numpy.ones(length, numpy.float32) for _ in range(3)]
    parts = list(zip(*(numpy.array_split(array, threads) for array in arrays), strict=True))
    with ThreadPoolExecutor(threads) as pool:
        seconds = best(lambda: list(pool.map(lambda part: numpy.add(part[0], part[1], out=part[2]), parts)))
    return 12 * length / seconds


def products() -> float:
    """Operations a second of NumPy's product of two matrices; its threads are set by the environment."""
    a, b, c = (numpy.ones((SIDE, SIDE), numpy.float32) for _ in range(3))
    return 2 * SIDE**3 / best(lambda: numpy.matmul(a, b, out=c))


def measured(threads: int, env: dict[str, str]) -> Machine:
    """The machine, measured in a process with this environment."""
    command = [sys.executable, "-m", "benchmarks.machine", str(threads)]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    bandwidths, rate = json.loads(done.stdout)
    return Machine({int(size): result for size, result in bandwidths.items()}, rate)


if __name__ == "__main__":
    print(json.dumps([{12 * length: bandwidth(length, int(sys.argv[1])) for length in LENGTHS}, products()]))
