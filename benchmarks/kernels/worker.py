"""One library in one process, with the requests of ``benchmarks.worker``: ``... LIBRARY[@CHECKOUT] THREADS``.

LIBRARY is imported from CHECKOUT, if there is one. A case is named "OP SHAPE PASS". One thread stays on one core, and
its processor time counts: other programs that share the core change it little.
"""

import functools
import os
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from types import ModuleType
from typing import Any

import numpy

from benchmarks.worker import main

from .cases import INPUTS, case


class Inputs:
    """The inputs of an op at a shape, with the same numbers in each library."""

    def __init__(self, torch: ModuleType, op: str, shape: str) -> None:
        self.expression, names, sizes = case(op, shape)
        self.torch, self.shape, self.leaves = torch, shape, list[Any]()
        self.dtype = "float16" if shape == "float16" else "float32"
        self.rng = numpy.random.default_rng(0)
        self.innermost = (0 if len(sizes) == 2 else 1) if shape == "column" and "d" not in names else -1
        d = 0 if shape == "column" else -1
        dtype = getattr(torch, self.dtype)
        self.env = {"torch": torch, "F": torch.nn.functional, "shape": sizes, "d": d, "n": sizes[d], "dtype": dtype}
        self.env |= {"tensor": self.tensor, "vector": self.vector, "integers": self.integers}
        self.env |= {name: eval(INPUTS[name], self.env) for name in sorted(names & INPUTS.keys())}

    def vector(self, *sizes: int, mean: float = 0, std: float = 1) -> Any:
        """A contiguous leaf."""
        return self._leaf(self._normal(sizes, mean, std))

    def tensor(self, *sizes: int, mean: float = 0, std: float = 1) -> Any:
        """A leaf with the layout of the shape."""
        if self.shape == "broadcast":
            return self._leaf(self._normal((1, *sizes[1:]), mean, std).expand(sizes))
        if self.shape == "strided":
            return self._leaf(self._normal((*sizes[:-1], 2 * sizes[-1]), mean, std)[..., ::2])
        moved = list(sizes)
        moved.append(moved.pop(self.innermost))
        return self._leaf(self._normal(tuple(moved), mean, std).movedim(-1, self.innermost))

    def integers(self, end: int, *sizes: int) -> Any:
        """Integers from 0 to end - 1."""
        return self.torch.tensor(self.rng.integers(0, end, sizes))

    def _normal(self, sizes: tuple[int, ...], mean: float, std: float) -> Any:
        values = self.rng.standard_normal(sizes, dtype=numpy.float32) * std + mean
        return self.torch.tensor(values.astype(self.dtype))

    def _leaf(self, tensor: Any) -> Any:
        self.leaves.append(tensor.detach())
        return self.leaves[-1]


inputs_of = functools.lru_cache(1)(Inputs)  # forward and backward share them


def step_of(torch: Any, name: str) -> Callable[[], object] | None:
    """The function to time: it returns outputs or gradients; None where there is no gradient."""
    op, shape, direction = name.split()
    inputs = inputs_of(torch, op, shape)
    for leaf in inputs.leaves:
        leaf.requires_grad_(direction == "backward")
    forward = eval(f"lambda: {inputs.expression}", inputs.env)
    if direction == "forward":
        return forward
    value = forward()
    output = value[0] if isinstance(value, tuple) else value
    if not output.requires_grad:
        return None
    numbers = numpy.random.default_rng(1).standard_normal(tuple(output.shape))
    grad_output, grad = torch.tensor(numbers).to(output.dtype), torch.autograd.grad
    if isinstance(value, tuple):
        return lambda: grad(forward()[0], inputs.leaves, grad_output)
    return lambda: grad(forward(), inputs.leaves, grad_output)


def prepared(library: str, torch: Any, name: str) -> Callable[[], object] | None:
    """A case ready to be timed; None where the library cannot run it."""
    try:
        step = step_of(torch, name)
        if step is not None:
            step()
    except Exception as error:  # what differs between libraries is many things; the other cases go on
        print(f"{library} cannot run {name}: {error!r}"[:160], file=sys.stderr)
        return None
    return step


def serve(argument: str, threads: int) -> None:
    """Serve requests until stdin closes."""
    library, _, checkout = argument.partition("@")
    if checkout:
        sys.path.insert(0, checkout)
    if threads == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    main(library, threads, prepared, process_time if threads == 1 else perf_counter)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
