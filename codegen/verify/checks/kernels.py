"""Checks 6, 16: generated CUDA kernels, simulated in three orders, against CPU kernels; programs against NumPy."""

import importlib.util
import inspect
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from specgrad.runtime.device.cuda import driver
from specgrad.runtime.extensions.simulator import ORDERS, GlobalArray, SimulatedCuda, launches
from specgrad.runtime.kernels import row_language, scalar
from specgrad.runtime.kernels.cpu.elementwise_table import ElementKernels
from specgrad.runtime.kernels.cpu.row_shapes import RowInput, one_row, row_shape
from specgrad.runtime.kernels.cuda.elementwise import element_kernel, element_signature
from specgrad.runtime.kernels.cuda.kernel import Array
from specgrad.runtime.spec_lines import generated_package
from specgrad.runtime.tensor.tensor import adopt

from ...language.row_programs import Parameter, Program
from ...programs.indexed_reference import outputs_of as indexed_outputs
from ...programs.numpy_reference import outputs_of
from ...programs.passes import Lowered
from ..calls.entries import spec_entry
from ..calls.findings import Report, both, error_message, largest
from ..calls.point import Point
from ..calls.samples import in_domain
from .reference import difference, values

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
    def family(self) -> str:
        """The module of the op, and so of its kernels."""
        return str(self.op.function.__module__.rpartition(".")[2])

    @property
    def identifier(self) -> str:
        return str(self.op.name.replace(".", "_").lower())

    @property
    def function(self) -> str:
        return f"{self.identifier}_{self.name}"

    @property
    def computed(self) -> np.dtype:
        return np.dtype(np.complex128 if self.is_complex else np.float64)

    @property
    def inputs(self) -> list[str]:
        module = importlib.import_module(f"{self.package}.kernels.cuda.{self.family}")
        return list(inspect.signature(getattr(module, self.function)).parameters)

    def type_of(self, name: str) -> str:
        types = {"self" if n == "input" else n: t.rstrip("?") for n, t, *_ in self.op.arguments}
        return str(types.get(name, "Tensor"))

    def is_array(self, name: str) -> bool:
        return self.type_of(name) in ("Tensor", "Operand")

    def is_mask(self, name: str) -> bool:
        return self.is_array(name) and self.op.formulas.get(name) == "non_differentiable"

    def arguments(self) -> dict[str, Any]:
        rng = np.random.default_rng(zlib.crc32(f"{self.op.name} {self.name}".encode()))
        return {name: self.argument(name, rng) for name in self.inputs}

    def argument(self, name: str, rng: np.random.Generator) -> Any:
        if not self.is_array(name):
            (number,) = in_domain(self.op, name, [NUMBERS.get(self.type_of(name), 0.75)])
            return complex(number) if self.is_complex and isinstance(number, float) else number
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
        kernels = ElementKernels(self.package, self.family, self.identifier)
        kernels.get(self.name, self.is_complex)(*self.arguments().values(), *results)
        return results

    def simulated(self, order: str) -> tuple[np.ndarray, ...]:
        """What simulated threads write; they may read no element of a result that they did not write."""
        operands, results = tuple(self.arguments().values()), self.results()
        parts = tuple(Array(v.dtype) if isinstance(v, np.ndarray) else np.dtype(type(v)) for v in operands)
        signature = element_signature(parts, tuple(Array(result.dtype) for result in results), 0)
        unwritten = tuple(GlobalArray(result, np.zeros(result.nbytes, bool)) for result in results)
        own = tuple(not self.is_array(name) or self.is_mask(name) for name in self.inputs)
        kernel = element_kernel(self.package, self.family, self.function, self.computed, own)
        function = kernel.simulated(signature)
        SimulatedCuda(order).launch(function, 1, THREADS, [operands, unwritten, signature[2], (), SIZE])
        return results


def kernels(op: Any, package: str) -> Iterator[Kernel]:
    if op.kind == "elementwise" and "float" in op.dtypes:
        for is_complex in (False, True) if op.complex else (False,):
            for name in ("forward", *(f"backward_{mask}" for mask in op.masks)):
                yield Kernel(op, package, name, is_complex)


def simulate(op: Any, package: str, report: Report) -> None:
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
            about = f"simulated CUDA kernel {kernel.name}{' in complex numbers' if kernel.is_complex else ''}"
            report.find(op, "", text, about, level=2)


def differences(expected: tuple[np.ndarray, ...], result: tuple[np.ndarray, ...]) -> Iterator[str]:
    scale = max(1.0, *map(largest, expected))  # the gradient of the output is of the size of 1
    for number, (requested, got) in enumerate(zip(expected, result, strict=True)):
        same = np.isclose(got, requested, rtol=1e-12, atol=1e-14 * scale, equal_nan=True)
        if not same.all():
            worst = int(np.argmin(same))
            shown = both(got[worst], requested[worst])
            yield f"element {worst} of result {number} is {shown[0]} on CUDA, {shown[1]} on the CPU"


def check_program(point: Point, report: Report) -> None:
    entry = spec_entry(point.op)
    if entry is None or entry.program is None or (point.is_complex and entry.other_dtypes is not None):
        return
    report.checks += 1
    arguments, key = values(point, point.arrays), "rows" if entry.rows is not None else "indexed"
    if entry.indexed is not None:
        results = indexed_outputs(entry.indexed, arguments, row_namespace())
        requested = [results[output.name] for output in entry.schema.returns]
    elif entry.rows is not None:
        requested = meant(entry.rows, arguments)
    _compare(point, key, "the loop for the CPU", point.results(point.arrays), requested, report)
    package = generated_package(point.op.function.__module__)
    if importlib.util.find_spec(f"{package}.kernels.programs.cuda_{entry.identifier}") is not None:
        _simulated(point, key, requested, report)


def _simulated(point: Point, key: str, requested: list[np.ndarray], report: Report) -> None:
    driver.simulate()
    for order in ORDERS:
        before, launches.THREADS.order = launches.THREADS.order, order
        try:
            tensors = [adopt(array).to("cuda") for array in point.arrays]
            on_device = point.call(tensors, constants=[constant.to("cuda") for constant in point.constants])
            matches = [output.detach().cpu().array for output in on_device]
        except Exception as error:
            report.find(point.op, key, f"at {point}, threads in {order} order: {error_message(error)}")
            return
        finally:
            launches.THREADS.order = before
        _compare(point, key, f"the kernel for CUDA, threads in {order} order", matches, requested, report)


def meant(program: Program, arguments: dict[str, Any]) -> list[np.ndarray]:
    values_of = [None if arguments[p.array] is None else np.asarray(arguments[p.array]) for p in program.arrays]
    args = [RowInput(p.array, value, p.kind) for p, value in zip(program.arrays, values_of, strict=True)]
    dim, keepdim = arguments.get("dim", -1), bool(arguments.get("keepdim", False))
    seen = row_shape(program.name, args, dim, keepdim)
    before, along, after = seen.folded

    def shaped(array: np.ndarray | None, p: Parameter) -> np.ndarray:
        kind = p.kind
        if array is None:
            return np.full(along if kind == "shared" else (before * after, 1), p.default)
        if kind == "row":
            return seen.fold(array).transpose(0, 2, 1).reshape(before * after, along)
        return array.reshape(-1) if kind == "shared" else array.reshape(-1, 1)

    arrays = {p.name: shaped(each.array, p) for p, each in zip(program.arrays, args, strict=True)}
    numbers = {p.name: arguments[p.name] for p in program.of_kind("number")}
    result = outputs_of(program, arrays | numbers, along, row_namespace())

    def back(value: np.ndarray, is_row: bool, is_total: bool) -> np.ndarray:
        if is_total:
            return value.reshape(one_row(seen.shape, dim))
        if not is_row:
            return value.reshape(seen.result)
        return seen.unfold(np.ascontiguousarray(value.reshape(before, after, along).transpose(0, 2, 1)))

    of_rows = Lowered(program).rows
    return [back(np.asarray(value), name in of_rows, name in program.totals) for name, value in result.items()]


def row_namespace() -> dict[str, Any]:
    scalars = {name: f for name, f in vars(scalar).items() if callable(f) and not name.startswith("_")}
    known = {name: getattr(np, name, None) or np.vectorize(f, otypes=[float]) for name, f in scalars.items()}
    own = {name: f for name, f in vars(row_language).items() if callable(f)}
    return known | own


def _compare(
    point: Point, key: str, what: str, result: list[np.ndarray], requested: list[np.ndarray], report: Report
) -> None:
    for got, right in zip(result, requested, strict=True):
        if text := difference(got, right):
            report.find(point.op, key, f"at {point}, {what}: {text} of the program")
            return
