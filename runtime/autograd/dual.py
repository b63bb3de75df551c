"""Forward mode as users call it: levels, `make_dual` and `unpack_dual`. Levels nest, within each other and within grad.

See A. Griewank and A. Walther, Evaluating Derivatives, chapter 3."""

import itertools
from typing import Any, NamedTuple

from ..errors import type_name
from ..tensor.observers import TANGENTS, Watcher, watch
from ..tensor.tensor import TensorBase
from ..thread_state import PerThread
from .dtype_regions import placed_like
from .forward_mode import open_levels, set_tangent, tangent_at, with_layout_of

_levels = itertools.count()
_WATCHER = "forward mode"


class _Opened(PerThread):
    def __init__(self) -> None:
        self.levels: list[int] = []


_opened = _Opened()


class UnpackedDualTensor(NamedTuple):
    """The result of `unpack_dual`."""

    primal: Any
    tangent: Any


def enter_dual_level() -> int:
    """Open a forward-mode level inside those that are open, and return its number.

    Example:
        >>> from specgrad.autograd import forward_ad
        >>> level = forward_ad.enter_dual_level()
        >>> forward_ad.exit_dual_level(level=level)
    """
    level = next(_levels)
    _opened.levels.append(level)
    open_levels.add(level)
    watch.enter(_WATCHER, Watcher(concern=TANGENTS))
    return level


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the innermost level; tensors made in it lose their tangents of that level.

    Args:
        level: its number; only the innermost level can be closed.

    Raises:
        RuntimeError: no level is open, or another one is the innermost.
    """
    innermost = _innermost("exit_dual_level")
    if level is not None and level != innermost:
        raise RuntimeError(
            f"exit_dual_level(): expected the innermost level {innermost}, but got {level}: a level cannot be closed "
            "before those that were opened in it"
        )
    _opened.levels.pop()
    open_levels.discard(innermost)
    watch.leave(_WATCHER)


def _innermost(name: str) -> int:
    if not _opened.levels:
        raise RuntimeError(
            f"{name}(): Trying to use forward AD but no level exists, make sure to enter_dual_level() first."
        )
    return _opened.levels[-1]


class dual_level:
    """While open, tensors made by `make_dual` carry their tangents through every op.

    Example:
        >>> import specgrad as sg
        >>> from specgrad.autograd import forward_ad
        >>> with forward_ad.dual_level():
        ...     x = forward_ad.make_dual(sg.tensor(3.0), sg.tensor(1.0))
        ...     print(forward_ad.unpack_dual(x * x).tangent)
        tensor(6.)
    """

    def __init__(self) -> None:
        self.entered: list[int] = []

    def __enter__(self) -> int:
        self.entered.append(enter_dual_level())
        return self.entered[-1]

    def __exit__(self, *_: object) -> None:
        exit_dual_level(level=self.entered.pop())


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A view of `tensor` that carries `tangent`, for use inside `dual_level`.

    Args:
        tensor: the primal value.
        tangent: the direction in which to differentiate, of the same shape.
        level: the level that the tangent belongs to; the innermost when not given.

    Raises:
        RuntimeError: the shapes differ, no level is open, or one of the tensors has a tangent of this level.
        ValueError: one of the tensors is not floating-point or complex.
    """
    inside = _innermost("make_dual") if level is None else level
    for what, value in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(value, TensorBase):
            raise TypeError(f"make_dual(): expected a Tensor as {what}, but got {type_name(value)}")
        if value._dtype.kind not in "fc":
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {value._dtype!r}")
    if tensor._shape != tangent._shape:
        raise RuntimeError(
            f"make_dual(): expected a tangent of shape {list(tensor._shape)}, but got {list(tangent._shape)}"
        )
    for what, value in (("primal", tensor), ("tangent", tangent)):
        if value._split_dual(inside).tangent is not None:
            raise RuntimeError(f"make_dual(): expected a {what} without a tangent of level {inside}, but it has one")
    return tensor._with_tangent(tangent if tangent._dtype is tensor._dtype else tangent.to(tensor._dtype), inside)


def with_tangent(tensor: Any, tangent: Any, level: int) -> Any:
    dual = tensor.view_as(tensor)
    set_tangent(dual, level, placed_like(with_layout_of(tangent, dual), dual))
    return dual


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """(primal, tangent) of a tensor, as a named tuple; the tangent is None where it carries none.

    Args:
        tensor: a tensor made inside `dual_level`.
        level: the level whose tangent is asked for; the innermost when not given.
    """
    if level is None:
        if not _opened.levels:
            return UnpackedDualTensor(tensor, None)
        level = _opened.levels[-1]
    return tensor._split_dual(level)


def split_dual(tensor: Any, level: int) -> UnpackedDualTensor:
    tangent = tangent_at(tensor, level) if level in open_levels else None
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    primal = tensor.view_as(tensor)
    primal._tangent = {other: t for other, t in tensor._tangent.items() if other != level} or None
    return UnpackedDualTensor(primal, tangent)
