"""Tensors of random numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..dispatch import checks
from ..errors import DtypeError, UnsupportedDtypeError
from ..modes.intercept import interceptable
from ..random import Generator, default_generator
from ..tensor.dtypes import bool_, get_default_dtype, iinfo, int64
from .destination import require_strided, written
from .drawing import filled_by, integers, normal, permutation, stream, uniform
from .fast import Creation, sampled_first
from .options import checked_size, chosen_dtype, finish, size_argument

RAND = Creation("rand", "uniform", "gSs")
RANDN = Creation("randn", "normal", "gSs")
SURVIVORS = Creation("survivors", "survivors", "gSsv")
RANDINT = Creation("randint", "integers", "gvns")
RANDPERM = Creation("randperm", "permutation", "gv")


@sampled_first(RAND)
@interceptable("random")
def rand(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Numbers drawn uniformly from [0, 1).

    Args:
        sizes, size: the shape, as several ints or as one list or tuple.
        generator: where the randomness comes from; the default generator when not given.
        out, dtype, layout, device, requires_grad, pin_memory: as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> bool((sg.rand(5) < 1).all())
        True
    """
    if layout is not None:
        require_strided("rand", layout)
    if out is not None:
        return written(partial(rand, *sizes, size=size, generator=generator), out, dtype, requires_grad)
    shape = size_argument("rand", sizes, size)
    t = uniform(
        "rand", stream("rand", generator), shape, chosen_dtype("rand", dtype, get_default_dtype()), device=device
    )
    return finish("rand", t, device, requires_grad, pin_memory)


@sampled_first(RANDN)
@interceptable("random")
def randn(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Numbers drawn from the normal distribution of mean 0 and variance 1; arguments as of `rand`.

    Example:
        >>> import specgrad as sg
        >>> sg.randn(2, 3).shape
        specgrad.Size([2, 3])
    """
    if layout is not None:
        require_strided("randn", layout)
    if out is not None:
        return written(partial(randn, *sizes, size=size, generator=generator), out, dtype, requires_grad)
    shape = size_argument("randn", sizes, size)
    t = normal(
        "randn", stream("randn", generator), shape, chosen_dtype("randn", dtype, get_default_dtype()), device=device
    )
    return finish("randn", t, device, requires_grad, pin_memory)


def randint_bounds(op: str, low: Any, high: Any) -> tuple[int, int]:
    if high is None:
        low, high = 0, low
    return checks.integer(op, "low", low), checks.integer(op, "high", high)


@interceptable("random")
def randint(
    low: Any = 0,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Integers drawn uniformly from [low, high): `randint(high, size)` or `randint(low, high, size)`.

    Args:
        low: the least integer; 0 when only one bound is given.
        high: the integer after the greatest one.
        size: the shape, a list or tuple of ints.
        generator: where the randomness comes from; the default generator when not given.
        dtype: the element type, int64 when not given.
        out, layout, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: there is no integer in [low, high), or some do not fit into the dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.randint(3, (2, 2)).dtype
        specgrad.int64
    """
    if layout is not None:
        require_strided("randint", layout)
    if out is not None:
        return written(partial(randint, low, high, size, generator=generator), out, dtype, requires_grad)
    if size is None and isinstance(high, (list, tuple)):
        high, size = None, high
    if (made := RANDINT.launch(generator, low, high, size, dtype, device, requires_grad, pin_memory)) is not None:
        return made
    if size is None:
        raise TypeError('randint() missing 1 required positional argument: "size"')
    shape = checked_size("randint", checks.integer_list("randint", "size", size))
    kind = chosen_dtype("randint", dtype, int64)
    t = integers("randint", stream("randint", generator), randint_bounds("randint", low, high), shape, kind, device)
    return finish("randint", t, device, requires_grad, pin_memory)


@interceptable("random")
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """The numbers from 0 to n - 1 in random order.

    Args:
        n: how many numbers.
        generator: where the randomness comes from; the default generator when not given.
        dtype: the element type, int64 when not given.
        out, layout, device, requires_grad, pin_memory: as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> sorted(sg.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    if layout is not None:
        require_strided("randperm", layout)
    if out is not None:
        return written(partial(randperm, n, generator=generator), out, dtype, requires_grad)
    if (made := RANDPERM.launch(generator, n, dtype, device, requires_grad, pin_memory)) is not None:
        return made
    count = checks.integer("randperm", "n", n)
    checked_size("randperm", (count,))
    kind = chosen_dtype("randperm", dtype, int64)
    if kind.kind in "bc":
        raise UnsupportedDtypeError(f"randperm(): not implemented for {kind}")
    if kind.kind == "i" and count > iinfo(kind).max + 1:
        raise DtypeError(f"randperm(): n={count} is too large for {kind}")
    t = permutation("randperm", stream("randperm", generator), count, kind, device)
    return finish("randperm", t, device, requires_grad, pin_memory)


@interceptable("random")
def survivors(*sizes: int, p: float, device: Any = None) -> Any:
    """False with probability p < 1, which is rounded to a multiple of 2^-32: what dropout leaves."""
    if (made := SURVIVORS.launch(None, sizes, None, p, bool_, device, False)) is not None:
        return made
    return filled_by("fill_survivors", "dropout", default_generator, sizes, bool_, device, p, bits=32)
