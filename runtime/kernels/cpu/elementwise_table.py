"""Finding the compiled element-wise kernels of generated ops."""

import functools
import importlib
from functools import partial
from typing import Any

from ...compiler.cache.digest import Functions, digest, of_function
from ...compiler.passes.loading import load_compiler
from ...compiler.passes.scalar_library import building, cpu_library, meant, module_of, rebuilt
from ...device.threads.parallel_for import is_shared, shared
from . import elementwise_strided
from .elementwise_fast_range import in_blocks, with_fast_numbers
from .elementwise_float16 import is_long, looked_up, with_kernel
from .elementwise_strided import BLOCK, over_strided_rows, strided_loop

BY_TABLE = "_by_table"  # behind the name of a kernel of one 16-bit float
BY_ROWS = ("forward", "forward_number")  # kernels that native code runs on rows: device/threads/strided_loop.py


class ElementKernels:
    """The kernels of one element-wise op, `forward`, `backward_3`, ...: compiled when first asked for."""

    def __init__(self, package: str, family: str, name: str) -> None:
        self.package = package
        self.family = family
        self.name = name
        self.loops: dict[
            tuple[Any, ...], elementwise_strided.Loop
        ] = {}  # of what is run row by row, by the kinds of operand

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        written = self.written(attribute.removesuffix(BY_TABLE).removesuffix("_complex"))
        with building:
            if attribute not in self.__dict__:  # no other thread has made it meanwhile
                setattr(self, attribute, self.compiled(written, attribute))
        return self.__dict__[attribute]

    def written(self, name: str) -> Any:
        """The generated function of a kernel: `forward` of mul.Tensor is mul_tensor_forward in arithmetic.py."""
        module = importlib.import_module(f"{self.package}.kernels.cpu.{self.family}")
        return getattr(module, f"{self.name}_{name}")

    def compiled(self, written: Any, attribute: str) -> Any:
        return _compiled(written, attribute)

    def run_rows(self, attribute: str, operands: tuple[Any, ...], plan: Any) -> None:
        steps, inner, size = plan.steps, plan.inner, plan.size
        key = (attribute, *map(elementwise_strided.kind, operands))
        if key not in self.loops:
            self.loops[key] = elementwise_strided.loop_for(
                getattr(self, attribute), operands, [operands, steps, 0, 0, 0, 0], elementwise_strided.over_rows
            )
        loop, count = self.loops[key], plan.outer * inner
        if is_shared(count * size):
            shared(elementwise_strided.over_rows, (loop.kernel, operands, steps, inner, size), count, count * size)
        else:
            loop.run(loop.kernel, operands, steps, inner, size, 0, count)

    def run_strided(self, attribute: str, operands: tuple[Any, ...], plan: Any, position: int, stride: int) -> None:
        steps, count, size = plan.steps, plan.inner, plan.size
        key = (attribute, position, *map(elementwise_strided.kind, operands))
        if key not in self.loops:
            self.loops[key] = strided_loop(getattr(self, attribute), operands, position, steps)
        args = (*operands[:position], None, *operands[position + 1 :])
        arguments = self.loops[key].kernel, args, steps, size, operands[position], stride
        shared(over_strided_rows, arguments, count, count * size, BLOCK)

    def of_halves(self, name: str) -> Any:
        return getattr(self, f"{name}{BY_TABLE}" if self.is_long(name) else name)

    @functools.cache  # noqa: B019  (these live as long as the process)
    def is_long(self, name: str) -> bool:
        return is_long(self.written(name))

    def get(self, name: str, is_complex: bool) -> Any:
        return getattr(self, f"{name}_complex" if is_complex else name)


def _compiled(written: Any, attribute: str) -> Any:
    load_compiler()
    if attribute.endswith(BY_TABLE):
        return _by_table(written)
    from ...compiler.cache.dispatcher import dispatcher
    from ...compiler.passes.pipelines import InRows, NoAlias

    pipeline = InRows if attribute in BY_ROWS else NoAlias
    name, module = written.__name__, written.__module__
    is_complex = attribute.endswith("_complex")
    written = written if is_complex else with_fast_numbers(in_blocks(written))
    function = rebuilt(written, {})
    function.__name__, function.__module__ = name, module  # of what it is, where that is done in blocks

    def prepare() -> None:
        elementwise_strided.register()
        function.__globals__.update(cpu_library(is_complex, linked=True).used_by(written))

    def code(functions: Functions) -> bytes:
        return digest(functions.digest(written, partial(meant, module_of(is_complex))))

    options = {"nogil": True, "error_model": "numpy", "fastmath": False, "pipeline_class": pipeline}
    return dispatcher(function, code, options, prepare)


def _by_table(written: Any) -> Any:
    from numba import njit

    from ...compiler.cache.dispatcher import dispatcher
    from ...compiler.passes.pipelines import InRows, LinkedNoAlias

    blocks, library = in_blocks(written), module_of(False)
    function = rebuilt(looked_up, {})
    function.__name__, function.__module__ = written.__name__, written.__module__
    options = {"nogil": True, "error_model": "numpy", "fastmath": False}

    # The blocks of every function have one name, and symbols of one name are one in a process that loads several.
    symbol = f"{written.__qualname__}-{of_function(blocks, partial(meant, library)).hex()[:12]}"

    def prepare() -> None:
        computed = rebuilt(blocks, cpu_library(False, linked=True).used_by(blocks))
        computed.__qualname__ = symbol
        function.__globals__.update(with_kernel(njit(**options, pipeline_class=LinkedNoAlias)(computed)))

    def code(functions: Functions) -> bytes:
        return digest(functions.digest(looked_up), symbol)

    return dispatcher(function, code, {**options, "pipeline_class": InRows}, prepare)
