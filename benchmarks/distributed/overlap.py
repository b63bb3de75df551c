"""What overlap gains in tensor-parallel layers: ``python -m benchmarks.distributed.overlap [--rounds N] [--steps N]``.

A ColumnParallelLinear sums its input's gradient over the ranks while it multiplies the gradient of its weight. Here the
same step is timed with a sum that is waited for at once, and the weight's gradient multiplied after it, in one piece.
Both take turns in the same processes, each with one thread; every second round begins with the other. Times are those
of the rank that was last. "all_reduces" are these sums alone: as much as overlap could hide.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from specgrad.runtime.extensions.distributed.launcher import mpiexec
from specgrad.runtime.ops.collective import cpu

from .process_groups import ONE_THREAD
from .rank import WARM, timed

SHAPES = ((512, 128), (2048, 128), (2048, 512))  # rows and width of the input; the wider, the more is computed a byte
BLOCKS = 2
WAYS = ("waiting", "overlap", "all_reduces")
Times = dict[str, list[float]]  # seconds of steps, by way


def training(torch: Any, rows: int, width: int) -> Callable[[], object]:
    """A step of pairs of layers, whose input has a gradient too, as inside a deeper network."""
    parallel = torch.nn.parallel
    layers = []
    for _ in range(BLOCKS):
        layers += [parallel.ColumnParallelLinear(width, 2 * width, gather_output=False), torch.nn.ReLU()]
        layers += [parallel.RowParallelLinear(2 * width, width, input_is_parallel=True)]
    model, inputs = torch.nn.Sequential(*layers), torch.ones(rows, width, requires_grad=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step() -> None:
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()

    return step


@contextmanager
def waiting(group: Any) -> Iterator[None]:
    """Sums of a group are complete when their call returns, and products beside them are made in one piece."""
    begin, pieces = group.all_reduce, cpu.PIECES

    def complete(own: Any, reduce: str) -> Callable[[], Any]:
        result = begin(own, reduce)()
        return lambda: result

    group.all_reduce, cpu.PIECES = complete, 1
    try:
        yield
    finally:
        del group.all_reduce
        cpu.PIECES = pieces


def steps(torch: Any, rows: int, width: int) -> dict[str, Callable[[], object]]:
    """The step in both ways, and its sums of gradients alone."""
    group = torch.distributed.group.WORLD
    step, gradient = training(torch, rows, width), torch.ones(rows, width).numpy()

    def at_once() -> None:
        with waiting(group):
            step()

    def sums() -> None:
        for _ in range(BLOCKS):
            group.all_reduce(gradient, "sum")()

    return dict(zip(WAYS, (at_once, step, sums), strict=True))


def measured(torch: Any, every: dict[str, Callable[[], object]], rounds: int, count: int) -> Times:
    """Seconds of each step, of the rank that was last; the first of each turn is not counted."""
    times: Times = {way: [] for way in every}
    for number in range(-1, rounds):
        for way in [*every][:: -1 if number % 2 else 1]:
            torch.distributed.barrier()
            entry = timed(every[way], WARM if number < 0 else count + 1)[1:]
            times[way] += entry if number >= 0 else []
    for way, own in times.items():
        slowest = torch.tensor(own, dtype=torch.float64)
        torch.distributed.all_reduce(slowest, torch.distributed.ReduceOp.MAX)
        times[way] = slowest.tolist()
    return times


def lines(name: str, times: Times) -> list[str]:
    """The lines of a shape: milliseconds a step, and how many times as long it takes without overlap."""
    printed = []
    for kind, chosen in (("best", min), ("median", median)):
        results = {way: chosen(times[way]) for way in WAYS}
        numbers = "".join(f"{1e3 * results[way]:>16.2f}" for way in WAYS)
        printed.append(f"{name:14}{kind:8}{numbers}{results['waiting'] / results['overlap']:>10.3f}")
    return printed


def be_a_rank(rounds: int, count: int, shapes: list[tuple[int, int]]) -> None:
    """Time the steps of all shapes with the other ranks; the first one prints."""
    import specgrad as torch
    import specgrad.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("mpi")
    for rows, width in shapes:
        result = lines(f"{rows} x {width}", measured(torch, steps(torch, rows, width), rounds, count))
        if dist.get_rank() == 0:
            print(*result, sep="\n", flush=True)
    dist.destroy_process_group()


def _shape(text: str) -> tuple[int, int]:
    rows, width = text.split("x")
    return int(rows), int(width)


def main() -> int:
    """Run the command: start ranks, or be one."""
    name = "benchmarks.distributed.overlap"
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=__doc__.splitlines()[0])
    parser.add_argument("shape", nargs="*", type=_shape, default=[*SHAPES], help="ROWSxWIDTH of the input")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=8, help="of each round")
    parser.add_argument("--as-rank", action="store_true", help=argparse.SUPPRESS)
    value = parser.parse_args()
    if value.as_rank:
        be_a_rank(value.rounds, value.steps, value.shape)
        return 0
    print(f"{'a step':22}" + "".join(f"{f'{way}, ms':>16}" for way in WAYS) + f"{'ratio':>10}", flush=True)
    command = [mpiexec(), "-n", str(value.ranks), sys.executable, "-m", name, "--as-rank"]
    return subprocess.call([*command, *sys.argv[1:]], env={**os.environ, **ONE_THREAD})


if __name__ == "__main__":
    sys.exit(main())
