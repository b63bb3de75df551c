"""What is run so that its kernels are compiled: samples of all ops, draws, steps of optimizers and the workloads.

`python -m codegen.wheel.recipes NAME...` runs some of it, and prints the names of the entries that it kept or found.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import specgrad as sg
from specgrad.generated.registry import OPS
from specgrad.runtime.kernels.cache import folder
from specgrad.warmup import draw, warm

from ..machine_code.stepping import between, optimizers, options_of, parameter, run_step

DTYPES = (sg.float32, sg.float64, sg.int64, sg.bool)
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
WORKLOADS = "benchmarks.workloads"


def recipes() -> dict[str, Callable[[], object]]:
    """All of them by name, the longest first: those of ops have the ops' names."""
    workloads = import_module(WORKLOADS).WORKLOADS
    # A workload often is called as the op that it times.
    found: dict[str, Callable[[], object]] = {
        f"bench.{n}": partial(run_workload, make) for n, make in workloads.items()
    }
    found |= {f"optim.{make.__name__}": partial(step, make) for make in optimizers()}
    found |= {"gradients": clip, "draws": draw_all}
    return found | {op.name: partial(warm, op, DTYPES) for op in OPS}


def run_workload(make: Any) -> None:
    """Twice, as some kernels are for the second time only."""
    run = make(sg)
    for _ in range(2):
        run()


def step(make: Any) -> None:
    """Steps of an optimizer with all sets of its options."""
    for kind in FLOATS:
        for options in options_of(make):
            run_step(make, parameter(kind, "cpu"), options, "cpu")


def clip() -> None:
    """What programs do to gradients between steps."""
    for kind in FLOATS:
        between(parameter(kind, "cpu"))


def draw_all() -> None:
    """Random numbers in all dtypes."""
    for dtype in DTYPES:
        draw(dtype)


def main(names: Sequence[str]) -> None:
    """Run those of these names."""
    known, used = recipes(), dict[str, None]()
    read, write = folder.read, folder.write

    def noted_read(path: Path) -> bytes | None:
        found = read(path)
        if found is not None:
            used[path.name] = None
        return found

    def noted_write(path: Path, data: bytes) -> None:
        used[path.name] = None
        write(path, data)

    with patch.object(folder, "read", noted_read), patch.object(folder, "write", noted_write):
        for name in names:
            known[name]()
    print("\n".join(used))


if __name__ == "__main__":
    main(sys.argv[1:])
