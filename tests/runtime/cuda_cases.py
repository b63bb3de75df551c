"""Every generated element-wise kernel with arguments to run it on: shared by the PTX and the simulator tests."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from specgrad.generated import registry

PACKAGE = "specgrad.generated"
SIZE = 7  # small and odd: not a multiple of any block


@dataclass(frozen=True)
class Case:
    """One kernel: its op's file, its name, parameters in order and which of those are numbers or masks."""

    op: str
    name: str
    parameters: tuple[str, ...]
    numbers: dict[str, str]  # name -> schema type
    masks: tuple[str, ...]
    record: registry.Op

    def __str__(self) -> str:
        return f"{self.op}.{self.name}"

    @property
    def is_test(self) -> bool:
        """Whether the op answers yes or no: comparisons, isnan, logical ops."""
        return not any(self.record.outputs)

    def outputs(self) -> tuple[str, ...]:
        return tuple(p for p in self.parameters if p.startswith("grad_") or (self.name == "forward" and p == "result"))


def cases() -> Iterator[Case]:
    """All kernels of all element-wise ops that compute in floating point."""
    for op in registry.OPS:
        if op.kind != "elementwise" or "float" not in op.dtypes:
            continue
        file = identifier(op.name)
        module = importlib.import_module(f"{PACKAGE}.kernels.cuda.{file}")
        types = {"self" if name == "input" else name: kind for name, kind, _, _ in op.arguments}
        for name, function in vars(module).items():
            if name == "forward" or name.startswith("backward_"):
                parameters = tuple(inspect.signature(function).parameters)
                numbers = {
                    p: types[p] for p in parameters if types.get(p, "Tensor").rstrip("?") not in ("Tensor", "Operand")
                }
                masks = tuple(p for p in parameters if p in ("condition", "mask"))
                yield Case(file, name, parameters, numbers, masks, op)


def identifier(name: str) -> str:
    """The file of an op's kernels."""
    return name.replace(".", "_").lower()


def arguments(case: Case, dtype: type) -> dict[str, object]:
    """Random arguments of a kernel, inside the op's domain."""
    rng = np.random.default_rng(len(str(case)))
    values: dict[str, object] = {}
    for name in case.parameters:
        low, high = case.record.domain.get(name, (-2.0, 2.0))
        if name in case.numbers:
            values[name] = {"int": 1, "bool": False}.get(case.numbers[name], 0.75)
        elif name in case.masks:
            values[name] = rng.random(SIZE) < 0.5
        elif name in case.outputs():
            values[name] = np.zeros(SIZE, bool if case.is_test else dtype)
        else:
            values[name] = rng.uniform(low, high, SIZE).astype(dtype)
    return values
