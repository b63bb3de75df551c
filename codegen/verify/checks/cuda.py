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
from specgrad.runtime.kernels.cuda.element import element_kernel, element_signature
from specgrad.runtime.kernels.cuda.kernel import Array
from specgrad.runtime.kernels.cuda.kernel import Kernel as DeviceKernel
from specgrad.runtime.kernels.table import ElementKernels

from ..compare import both
from ..errors import error_message
from ..report import Report

SIZE = 7  # elements: fewer than threads
THREADS = 32
NUMBERS = {"int": 1, "bool": False}
RESULTS: dict[str, Any] = {"bool": bool, "int32": np.int32, "int64": np.int64, "real": np.float64}


@dataclass(frozen=True)
class Kernel:
    """One kernel of an op: the generated function named `name`, in real or in complex numbers."""

    op: Any
    package: str
    name: str
    is_complex: bool

    @property
    def file(self) -> str:
        return self.op.name.replace(".", "_").lower()

    @property
    def computed(self) -> np.dtype:
        return np.dtype(np.complex128 if self.is_complex else np.float64)

    @property
    def inputs(self) -> list[str]:
        module = importlib.import_module(f"{self.package}.kernels.cuda.{self.file}")
        return list(inspect.signature(getattr(module, self.name)).parameters)

    def type_of(self, name: str) -> str:
        """The type of an argument in the schema, "Tensor" of a gradient or a result."""
        types = {"self" if n == "input" else n: t.rstrip("?") for n, t, *_ in self.op.arguments}
        return str(types.get(name, "Tensor"))

    def is_array(self, name: str) -> bool:
        return self.type_of(name) in ("Tensor", "Operand")

    def is_mask(self, name: str) -> bool:
        return self.is_array(name) and self.op.formulas.get(name) == "non_differentiable"

    def arguments(self) -> dict[str, Any]:
        """Random arguments in the op's domain, the same at every call."""
        rng = np.random.default_rng(zlib.crc32(f"{self.op.name} {self.name}".encode()))
        return {name: self.argument(name, rng) for name in self.inputs}

    def argument(self, name: str, rng: np.random.Generator) -> Any:
        if not self.is_array(name):
            return NUMBERS.get(self.type_of(name), complex(0.75) if self.is_complex else 0.75)
        if self.is_mask(name):
            return rng.random(SIZE) < 0.5
        low, high = self.op.domain.get(name, (-2.0, 2.0))
        values = rng.uniform(low, high, SIZE)
        return values + 1j * rng.uniform(low, high, SIZE) if self.is_complex else values

    def results(self) -> tuple[np.ndarray, ...]:
        if self.name == "forward":
            return (np.zeros(SIZE, RESULTS.get(self.op.result_dtype[0], self.computed)),)
        count = int(self.name.rpartition("_")[2]).bit_count()
        return tuple(np.zeros(SIZE, self.computed) for _ in range(count))

    def on_cpu(self) -> tuple[np.ndarray, ...]:
        results = self.results()
        ElementKernels(self.package, self.file).get(self.name, self.is_complex)(*self.arguments().values(), *results)
        return results

    @property
    def on_device(self) -> DeviceKernel:
        own = tuple(not self.is_array(name) or self.is_mask(name) for name in self.inputs)
        return element_kernel(self.package, self.file, self.name, self.computed, own)

    def simulated(self, order: str) -> tuple[np.ndarray, ...]:
        """What simulated threads write; they may read no element of a result that they did not write."""
        operands, results = tuple(self.arguments().values()), self.results()
        parts = tuple(Array(v.dtype) if isinstance(v, np.ndarray) else np.dtype(type(v)) for v in operands)
        signature = element_signature(parts, tuple(Array(result.dtype) for result in results), 0)
        unwritten = tuple(GlobalArray(result, np.zeros(result.nbytes, bool)) for result in results)
        function = self.on_device.simulated(signature)
        SimulatedCuda(order).launch(function, 1, THREADS, [operands, unwritten, signature[2], (), SIZE])
        return results


def kernels(op: Any, package: str) -> Iterator[Kernel]:
    """The kernels of an op; none for ops that are not element-wise or compute in whole numbers only."""
    if op.kind == "elementwise" and "float" in op.dtypes:
        for is_complex in (False, True) if op.complex else (False,):
            for name in ("forward", *(f"backward_{mask}" for mask in op.masks)):
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
            text = error_message(error)
        if text:
            add(kernel, text, report)


def differences(expected: tuple[np.ndarray, ...], result: tuple[np.ndarray, ...]) -> Iterator[str]:
    for number, (requested, got) in enumerate(zip(expected, result, strict=True)):
        same = np.isclose(got, requested, rtol=1e-12, atol=1e-15, equal_nan=True)
        if not same.all():
            worst = int(np.argmin(same))
            shown = both(got[worst], requested[worst])
            yield f"element {worst} of result {number} is {shown[0]} on CUDA, {shown[1]} on the CPU"


def add(kernel: Kernel, text: str, report: Report) -> None:
    about = f"simulated CUDA kernel {kernel.name}{' in complex numbers' if kernel.is_complex else ''}"
    report.find(kernel.op, "", text, about, level=2)
