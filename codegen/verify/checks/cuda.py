"""Check 6: the generated CUDA kernels against the compiled CPU kernels, with simulated threads in three orders."""

from __future__ import annotations

import importlib
import inspect
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from specgrad.runtime.cuda.simulated import ORDERS, GlobalArray, SimulatedCuda
from specgrad.runtime.kernels.compile.scalar_library import plain_library, rebuilt
from specgrad.runtime.kernels.table import ElementKernels

from ..compare import both
from ..errors import said
from ..report import Report

SIZE = 7  # elements: two blocks, the second one not full
THREADS = 4
BLOCKS = -(-SIZE // THREADS)
NUMBERS = {"int": 1, "bool": False}
RESULTS: dict[str, Any] = {"bool": bool, "int32": np.int32, "int64": np.int64, "real": np.float64}


@dataclass(frozen=True)
class Kernel:
    """One kernel of an op: the loop or the device function named `name`, in real or in complex numbers."""

    op: Any
    package: str
    name: str
    is_complex: bool

    @property
    def file(self) -> str:
        return self.op.name.replace(".", "_").lower()

    @property
    def function(self) -> Any:
        """The kernel as it is written."""
        return getattr(importlib.import_module(f"{self.package}.kernels.cuda.{self.file}"), self.name)

    @property
    def parameters(self) -> list[str]:
        return list(inspect.signature(self.function).parameters)

    def is_output(self, parameter: str) -> bool:
        return parameter.startswith("grad_") or (self.name.startswith("forward") and parameter == "result")

    def arguments(self) -> dict[str, Any]:
        """Random arguments in the op's domain, the same at every call."""
        rng = np.random.default_rng(zlib.crc32(f"{self.op.name} {self.name}".encode()))
        return {name: self.argument(name, rng) for name in self.parameters}

    def argument(self, name: str, rng: np.random.Generator) -> Any:
        dtype = np.complex128 if self.is_complex else np.float64
        types = {"self" if n == "input" else n: t.rstrip("?") for n, t, *_ in self.op.arguments}
        if self.name == "forward_number" and types.get(name) in ("Tensor", "Operand") and name != "self":
            return complex(0.75) if self.is_complex else 0.75
        if types.get(name, "Tensor") not in ("Tensor", "Operand"):
            return NUMBERS.get(types[name], complex(0.75) if self.is_complex else 0.75)
        if self.op.formulas.get(name) == "non_differentiable":
            return rng.random(SIZE) < 0.5
        if self.is_output(name):
            forward = self.name.startswith("forward")
            return np.zeros(SIZE, RESULTS.get(self.op.result_dtype[0], dtype) if forward else dtype)
        low, high = self.op.domain.get(name, (-2.0, 2.0))
        values = rng.uniform(low, high, SIZE)
        return values + 1j * rng.uniform(low, high, SIZE) if self.is_complex else values

    @property
    def outputs(self) -> list[str]:
        return [name for name in self.parameters if self.is_output(name)]

    def on_cpu(self) -> dict[str, Any]:
        """The outputs of the compiled kernel."""
        given = self.arguments()
        ElementKernels(self.package, self.file).get(self.name, self.is_complex)(*given.values())
        return {name: given[name] for name in self.outputs}

    def simulated(self, order: str) -> dict[str, Any]:
        """The outputs of simulated threads; they may read no element of an output that they did not write."""
        given = self.arguments()
        kernel = rebuilt(self.function, plain_library(self.is_complex).used_by(self.function))
        unwritten = {n: GlobalArray(given[n], np.zeros(given[n].nbytes, bool)) for n in self.outputs}
        SimulatedCuda(order).launch(kernel, BLOCKS, THREADS, [*(given | unwritten).values()])
        return {name: given[name] for name in self.outputs}


def kernels(op: Any, package: str) -> Iterator[Kernel]:
    """The kernels of an op; none for ops that are not element-wise or compute in whole numbers only."""
    if op.kind == "elementwise" and "float" in op.dtypes:
        for is_complex in (False, True) if op.complex else (False,):
            number = ("forward_number",) if op.takes_number else ()
            for name in ("forward", *number, *(f"backward_{mask}" for mask in op.masks)):
                yield Kernel(op, package, name, is_complex)


def simulate(op: Any, package: str, report: Report) -> None:
    """Compare every kernel of an op, in each order of threads; what the first wrong one shows is enough."""
    for kernel in kernels(op, package):
        report.checks += 1
        try:
            with np.errstate(all="ignore"):
                expected = kernel.on_cpu()
                wrong = (text for order in ORDERS for text in differences(expected, kernel.simulated(order)))
                text = next(wrong, "")
        except Exception as error:
            text = said(error)
        if text:
            add(kernel, text, report)


def differences(expected: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """Sentences on the outputs that differ."""
    for name in expected:
        same = np.isclose(found[name], expected[name], rtol=1e-12, atol=1e-15, equal_nan=True)
        if not same.all():
            worst = int(np.argmin(same))
            shown = both(found[name][worst], expected[name][worst])
            yield f"element {worst} of {name} is {shown[0]} on CUDA, {shown[1]} on the CPU"


def add(kernel: Kernel, text: str, report: Report) -> None:
    about = f"simulated CUDA kernel {kernel.name}{' in complex numbers' if kernel.is_complex else ''}"
    report.find(kernel.op, "", text, about, level=2)
