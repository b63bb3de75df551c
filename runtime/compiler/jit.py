"""`jit`: a numba kernel that is built when first called; intrinsics; and `min` and `max` of numbers, as numba's compile
a function for each number and type of arguments."""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Callable
from typing import Any

from .cache.digest import Functions, digest
from .cache.precompile import begin_early
from .passes.loading import is_loaded, load_compiler
from .passes.scalar_library import building, cpu_library, is_scalar, names_in, rebuilt

INTRINSICS: list[Callable[..., Any]] = []  # which `jit` makes numba intrinsics of, where a kernel names one


def for_numba(define: Callable[..., Any]) -> Any:
    """An intrinsic: kernels call it without the first argument, which is numba's."""
    INTRINSICS.append(define)
    return define


@for_numba
def minimum_of(context: Any, x: Any, y: Any, *more: Any) -> Any:
    """min(x, y, ...): of nan and another number the one that comes first, as Python has it."""
    return _extreme(context, operator.lt, x, y, more)


@for_numba
def maximum_of(context: Any, x: Any, y: Any, *more: Any) -> Any:
    return _extreme(context, operator.gt, x, y, more)


def _extreme(context: Any, better: Any, x: Any, y: Any, more: Any) -> Any:
    from numba import types
    from numba.core import cgutils

    rest = more[0].types if more and isinstance(more[0], types.BaseTuple) else more  # the second time it is one tuple
    kinds = [types.unliteral(kind) for kind in (x, y, *rest)]
    common = context.unify_types(*kinds)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = [*args[:2], *cgutils.unpack_tuple(builder, args[2], len(rest))]
        first, *others = (context.cast(builder, *value, common) for value in zip(values, kinds, strict=True))
        compare = context.get_function(better, types.boolean(common, common))
        for other in others:
            first = builder.select(compare(builder, (other, first)), other, first)
        return first

    return common(x, y, types.StarArgTuple.from_types(rest)), code


# SPECGRAD_BOUNDS=1 lets kernels raise IndexError where they would read or write outside of an array: `verify` sets it.
CHECKED = os.environ.get("SPECGRAD_BOUNDS") == "1"
# What a kernel may be compiled for besides float32 and float64: see kernels/cpu/float16_plans.py.
READ, WRITTEN, MEMORY = "read", "written", "memory"
BUILTINS = {"min": minimum_of, "max": maximum_of}  # what kernels get in the place of Python's


class LazyKernel:
    """Stands for a compiled function; the numba dispatcher is made on the first call and cached on disk."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.halves = options.pop("halves", "")
        self.pipeline = "InRows" if options.pop("in_rows", False) else "Kernel"
        self.options = options
        self.compiled: Any = None
        self.linked: Any = None

    def __call__(self, *args: Any) -> Any:
        if self.compiled is None:
            self.compile()
        return self.compiled(*args)

    def compile(self) -> Any:
        """The numba dispatcher itself, for callers that want to skip this wrapper."""
        if not is_loaded():
            begin_early()
        load_compiler()
        with building:  # looked at again inside: another thread may have compiled it meanwhile
            if self.compiled is None:
                self.compiled = self.dispatcher()
                # From now on the module's own name is the dispatcher: calls skip this wrapper.
                namespace = self.function.__globals__
                if namespace.get(self.function.__name__) is self:
                    namespace[self.function.__name__] = self.compiled
        return self.compiled

    def dispatcher(self) -> Any:
        from .cache.dispatcher import dispatcher

        function = rebuilt(self.function, {})

        def prepare() -> None:
            function.__globals__.update(callees(self.function))

        def code(functions: Functions) -> bytes:
            return digest(functions.digest(self.function), *map(functions.digest, BUILTINS.values()))

        made = dispatcher(function, code, self._compiled_by(self.pipeline, "Unoptimised"), prepare)
        made.kernel = self  # for those that find it under the kernel's name
        return made

    def only_linked(self) -> Any:
        from numba import njit

        if self.linked is None:
            function = rebuilt(self.function, callees(self.function))
            made = njit(**self._compiled_by("LinkedKernel", "Linked"))(function)
            made.kernel = self
            self.linked = _once(made)
        return self.linked

    def _compiled_by(self, pipeline: str, checked: str) -> dict[str, Any]:
        from .passes import pipelines
        from .passes import pipelines as kernel_pipelines

        # nogil: the pool's threads run kernels side by side, and a kernel touches no Python object.
        # Without a word about fastmath numba takes that of whoever calls the function first.
        options = {"nogil": True, "error_model": "numpy", "fastmath": False, **self.options}
        if CHECKED:
            return options | {"boundscheck": True, "pipeline_class": getattr(pipelines, checked)}
        return options | {"pipeline_class": getattr(kernel_pipelines, pipeline)}


def callees(function: Callable[..., Any]) -> dict[str, Any]:
    results = {name: function.__globals__.get(name) for name in names_in(function.__code__)}
    compiled = {name: getattr(callee, "kernel", callee) for name, callee in results.items()}  # some are already
    kernels = {name: callee.only_linked() for name, callee in compiled.items() if isinstance(callee, LazyKernel)}
    results |= {name: define for name, define in BUILTINS.items() if name in results and results[name] is None}
    kernels |= {name: _intrinsic(callee) for name, callee in results.items() if callee in INTRINSICS}
    scalars = {name: callee for name, callee in sorted(results.items()) if is_scalar(callee)}
    return kernels | {name: cpu_library(False, linked=True).compiler.get(callee) for name, callee in scalars.items()}


def _once(made: Any) -> Any:
    """A dispatcher that does not compile a function again for an argument that is a constant: LLVM sees that it is."""
    from numba import types

    template_for = made.get_call_template

    def template_without_constants(args: Any, kws: Any) -> Any:
        return template_for([types.unliteral(kind) for kind in args], kws)

    made.get_call_template = template_without_constants
    return made


@functools.cache
def _intrinsic(function: Callable[..., Any]) -> Any:
    from numba.extending import intrinsic

    return intrinsic(prefer_literal=True)(function)


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile on first use with numba: `@jit` or `@jit(fastmath=True)`. `in_rows`: of flat arrays, with an entry for
    rows. Kernels and functions of `scalar` that it calls are compiled with it."""
    if function is None:
        return functools.partial(jit, **options)
    return LazyKernel(function, options)
