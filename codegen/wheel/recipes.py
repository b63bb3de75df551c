"""What is run so that its kernels are compiled: samples of all ops, draws, steps of optimizers, workloads, programs.

`python -m codegen.wheel.recipes NAME...` runs some of it, and prints the names of the entries that it kept or found.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import specgrad as sg
from specgrad.codegen.verify.samples import Drawing, SampledArgument, sample_calls
from specgrad.generated.registry import OPS
from specgrad.runtime.dispatch.registry import Op
from specgrad.runtime.kernels.cache import folder
from specgrad.runtime.tensor import dtypes
from specgrad.warmup import attempt, differentiated, draw, tensors, warm

from ..machine_code.first_programs import PROGRAMS
from ..machine_code.stepping import between, optimizers, options_of, parameter, run_step

DTYPES = (sg.float32, sg.float64, sg.int64, sg.bool)
MORE = (sg.bfloat16, sg.float16, sg.complex64)  # of which many ops have kernels of their own
SHAPE = (3, 4)
SHAPES: tuple[tuple[int, ...], ...] = (SHAPE, (4,), (3, 1), (4, 3))  # the last one is that of a transposed operand
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
WORKLOADS = "benchmarks.workloads"


def recipes() -> dict[str, Callable[[], object]]:
    """All of them by name, the longest first: those of ops have the ops' names."""
    workloads = import_module(WORKLOADS).WORKLOADS
    # A workload often is called as the op that it times.
    results: dict[str, Callable[[], object]] = {
        f"bench.{n}": partial(run_workload, make) for n, make in workloads.items()
    }
    results |= {f"optim.{make.__name__}": partial(step, make) for make in optimizers()}
    results |= {f"program.{program.__name__}": partial(run_program, program) for program in PROGRAMS}
    results |= {"gradients": clip, "sampling": draw_all}
    return results | {op.name: partial(cover, op) for op in OPS}


def run_workload(make: Any) -> None:
    """Twice, as some kernels are for the second time only."""
    run = make(sg)
    for _ in range(2):
        run()


def run_program(program: Callable[[], None]) -> None:
    """In each dtype that numbers may have where a program names none."""
    before = sg.get_default_dtype()
    for kind in FLOATS:
        sg.set_default_dtype(getattr(sg, kind.name))
        program()
    sg.set_default_dtype(before)


def cover(op: Op) -> None:
    """An op's samples; those of an element-wise one also with operands that are broadcast or transposed."""
    warm(op, DTYPES + MORE)
    for text in sample_calls(op)[:1] if op.kind == "elementwise" else ():
        example_args = Drawing(op, text, False, dtypes).arguments(text)
        operands = [name for name, value in example_args.items() if isinstance(value, SampledArgument)]
        for name, shape, dtype in product(operands, SHAPES, (sg.float32, sg.float64)):
            make_example(op, example_args, name, shape, dtype)


def make_example(op: Op, example_args: dict[str, Any], name: str, shape: tuple[int, ...], dtype: Any) -> None:
    """Calls with one operand of another shape than the others, with gradients for each choice of inputs."""
    sizes = {
        other: shape if other == name else SHAPE
        for other, value in example_args.items()
        if isinstance(value, SampledArgument)
    }
    arg = example_args | {
        other: replace(example_args[other], array=np.resize(example_args[other].array, sizes[other])) for other in sizes
    }
    for mask in op.masks or [0]:
        made = tensors(arg, dtype, [one for bit, one in enumerate(op.inputs) if mask >> bit & 1])
        if shape == SHAPES[-1]:
            operand = "input" if name == "self" else name
            made[operand] = made[operand].detach().t().requires_grad_(made[operand].requires_grad)
        attempt(partial(differentiated, op, made))


def step(make: Any) -> None:
    for kind in FLOATS:
        for options in options_of(make):
            run_step(make, parameter(kind, "cpu"), options, "cpu")


def clip() -> None:
    for kind in FLOATS:
        between(parameter(kind, "cpu"))


def draw_all() -> None:
    for dtype in DTYPES:
        draw(dtype)


def main(names: Sequence[str]) -> None:
    known, used = recipes(), dict[str, None]()
    read, write = folder.read, folder.write

    def noted_read(path: Path) -> bytes | None:
        result = read(path)
        if result is not None:
            used[path.name] = None
        return result

    def noted_write(path: Path, data: bytes) -> None:
        used[path.name] = None
        write(path, data)

    with patch.object(folder, "read", noted_read), patch.object(folder, "write", noted_write):
        for name in names:
            known[name]()
    print("\n".join(used))


if __name__ == "__main__":
    main(sys.argv[1:])
