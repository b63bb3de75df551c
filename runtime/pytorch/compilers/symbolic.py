"""Functions by which programs calculate with sizes that a compiler would not know: here sizes are numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any


class SymInt:
    """The class of sizes that are not known yet: there are none, sizes are ints."""


class SymFloat:
    """The class of numbers that are computed from sizes that are not known yet: there are none."""


class SymBool:
    """The class of answers about sizes that are not known yet: there are none."""


def sym_int(a: Any) -> int:
    """A number as an int, cut off as `int` does.

    Args:
        a: the number.
    """
    return int(a)


def sym_float(a: Any) -> float:
    """A number as a float.

    Args:
        a: the number.
    """
    return float(a)


def sym_not(a: Any) -> bool:
    """The opposite of an answer.

    Args:
        a: the answer.
    """
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """The greater of two numbers, a float where one of them is.

    Args:
        a, b: the numbers.
    """
    return _as_either(max(a, b), a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The lesser of two numbers, a float where one of them is.

    Args:
        a, b: the numbers.
    """
    return _as_either(min(a, b), a, b)


def _as_either(result: Any, a: Any, b: Any) -> Any:
    return float(result) if isinstance(a, float) or isinstance(b, float) else result


def sym_sum(args: Iterable[Any]) -> Any:
    """The sum of numbers.

    Args:
        args: the numbers.
    """
    return sum(args)


def sym_sqrt(a: Any) -> float:
    """The square root of a number.

    Args:
        a: the number.
    """
    return math.sqrt(a)


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """One of two values.

    Args:
        b: whether it is the first.
        t, f: the values.
    """
    return t if b else f


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Iterable[Any] = ()) -> Any:
    """The result of one of two functions.

    Args:
        pred: whether it is the first: a bool, or a tensor of one element.
        true_fn, false_fn: the functions.
        operands: their arguments.

    Raises:
        RuntimeError: the functions cannot be called.

    Example:
        >>> cond(True, lambda x: x + 1, lambda x: x - 1, (1,))
        2
    """
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("cond(): Expect both branches to be callable.")
    return (true_fn if bool(pred) else false_fn)(*operands)


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """What a function leads to, applied again and again while a condition holds.

    Args:
        cond_fn: says of the values whether it holds.
        body_fn: gives the next values.
        carried_inputs: the values to begin with, as a tuple or list.

    Raises:
        RuntimeError: the functions cannot be called, or the values are in no tuple or list.

    Example:
        >>> while_loop(lambda n: n < 10, lambda n: (2 * n,), (1,))
        (16,)
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("while_loop(): Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"while_loop(): Expect carried_inputs to be a tuple, got {type(carried_inputs)}.")
    values = tuple(carried_inputs)
    while bool(cond_fn(*values)):
        result = body_fn(*values)
        values = tuple(result) if isinstance(result, (list, tuple)) else (result,)
    return values
