"""Intrinsics made of functions that only write their code: what numba wants to know besides, their parameters say."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from ...compiler.jit import for_numba
from .vectors import VectorLoops, Vectors


def _defined(write: Callable[..., Any], define: Callable[..., Any], *first: str, skipped: int) -> Any:
    """An intrinsic with the name of `write`, and with its parameters behind those that are `skipped`."""
    own = [*inspect.signature(write).parameters.values()][skipped:]
    names = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("context", *first)]
    update_wrapper(define, write)
    define.__signature__ = inspect.Signature([*names, *own])  # type: ignore[attr-defined]
    return for_numba(define)


def constant_number(count: Callable[..., int]) -> Any:
    """An intrinsic of types: `count(context, *types)` is the int64 that it gives."""

    def define(context: Any, *kinds: Any) -> Any:
        from numba import types

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return context.get_constant(types.int64, count(context, *kinds))

        return types.int64(*kinds), code

    return _defined(count, define, skipped=1)


def of_integers(write: Callable[..., None]) -> Any:
    """An intrinsic of addresses and whole numbers, by `write(context, builder, *values)`; it returns nothing."""

    def define(context: Any, *kinds: Any) -> Any:
        from numba import types

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            write(context, builder, *args)
            return context.get_dummy_value()

        return types.void(*[types.int64] * len(kinds)), code

    return _defined(write, define, skipped=2)


def of_elements(*numbers: str) -> Callable[[Callable[..., None]], Any]:
    """An intrinsic by `write(vectors, *values)`: `like` and those named `numbers` are elements, others int64."""

    def decorate(write: Callable[..., None]) -> Any:
        names = [*inspect.signature(write).parameters][1:]

        def define(context: Any, like: Any, *_: Any) -> Any:
            from numba import types

            def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                write(Vectors(context, builder, like), *args[1:])
                return context.get_dummy_value()

            return types.void(like, *[like if name in numbers else types.int64 for name in names]), code

        return _defined(write, define, "like", skipped=1)

    return decorate


def emitted(name: str, kind: Any, parameters: str, *numbers: str, inlined: bool = True) -> Any:
    """As `of_elements`, by `kind(vectors, *values).emit()`: a function by itself unless it is `inlined`."""

    def define(context: Any, like: Any, *_: Any) -> Any:
        from numba import types

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if inlined:
                kind(Vectors(context, builder, like), *args[1:]).emit()
            else:
                builder.call(_function_of(kind, context, builder.module, like, len(args) - 1), args[1:])
            return context.get_dummy_value()

        return types.void(like, *[like if each in numbers else types.int64 for each in parameters.split()]), code

    own = [
        inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for each in f"context like {parameters}".split()
    ]
    define.__name__, define.__module__, define.__doc__ = name, kind.__module__, kind.__doc__
    define.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
    return for_numba(define)


def _function_of(kind: Any, context: Any, module: Any, like: Any, count: int) -> Any:
    from llvmlite import ir

    name, integer = f"{kind.__name__}.{like}", ir.IntType(64)
    made = module.globals.get(name)
    if made is None:
        made = ir.Function(module, ir.FunctionType(ir.VoidType(), [integer] * count), name)
        made.linkage = "internal"
        made.attributes.update(("noinline", "nounwind"))
        inside = ir.IRBuilder(made.append_basic_block())
        kind(Vectors(context, inside, like), *made.args).emit()
        inside.ret_void()
    return made


def of_arrays(lines: int | None = 1, literal: bool = False) -> Callable[[Callable[..., None]], Any]:
    """An intrinsic of flat arrays and whole numbers, by `write(v, *values)` for blocks of `lines` rows. `literal`:
    before the arrays stands a known number, that of the rows where `lines` is None."""

    def decorate(write: Callable[..., None]) -> Any:
        def define(context: Any, *all_kinds: Any) -> Any:
            from numba import types

            known = [all_kinds[0].literal_value] if literal else []
            kinds = all_kinds[len(known) :]

            def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                v = VectorLoops(context, builder, kinds[0].dtype, lines or known[0])
                write(v, *known, *map(v.argument, kinds, args[len(known) :]))
                return context.get_dummy_value()

            own = [kind if isinstance(kind, types.Array) else types.int64 for kind in kinds]
            return types.void(*all_kinds[: len(known)], *own), code

        return _defined(write, define, skipped=1)

    return decorate
