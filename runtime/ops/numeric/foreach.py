"""`_foreach_add_` and its like: one op on each tensor of a list.

PyTorch has them to launch one kernel for a whole list. Here they are what their names say, a loop, so that there is one
for every op: `_foreach_` and the name of the op.
"""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from ...namespace import OWN
from ...namespace import op as own_ops
from ...tensor.tensor import TensorBase
from ...unknown_names import no_attribute

PREFIX = "_foreach_"
_OPTIONS = "alpha", "value", "dtype"  # what ops are given by name; the names of lists differ from those of tensors


def powsum(x: Any, ord: Any) -> Any:
    return x.abs().pow(ord).sum()


def norm(x: Any, ord: Any = 2, *, dtype: Any = None) -> Any:
    return own_ops.linalg_vector_norm(x, ord, dtype=dtype)


_OTHERWISE: dict[str, Callable[..., Any]] = {"norm": norm, "powsum": powsum}  # which mean something else of one tensor


@cache
def named(name: str) -> Callable[..., Any]:
    """The function of a name that begins with `_foreach_`, as `_foreach_mul([x, y], [2.0, 4.0])`."""
    short = name.removeprefix(PREFIX)
    in_place = short.endswith("_")
    each = _OTHERWISE.get(short) or getattr(own_ops, short, None)
    is_copied = each is None and in_place  # of ops that have no form in place
    if is_copied:
        each = getattr(own_ops, short[:-1], None)
    if each is None:
        raise no_attribute(OWN, name)
    by_name_only = _keyword_only(each)

    def function(*args: Any, **kwargs: Any) -> Any:
        options = {key: value for key, value in kwargs.items() if key in _OPTIONS}
        values = [*args, *(value for key, value in kwargs.items() if key not in _OPTIONS)]
        options |= zip(by_name_only[1], values[by_name_only[0] :], strict=False)
        values = values[: by_name_only[0]]
        calls = _one_by_one(name, values, options)
        results = [each(*positions, **named) for positions, named in calls]
        if is_copied:
            for tensor, result in zip(values[0], results, strict=True):
                tensor.copy_(result)
        return values[0] if in_place else tuple(results)

    function.__name__ = function.__qualname__ = name
    return function


def _keyword_only(function: Callable[..., Any]) -> tuple[int, list[str]]:
    """How many arguments an op takes by place, and the names of the others, which come by place behind lists. Places
    that older forms of a call have more, from `more1` on, are none of the op's."""
    parameters = list(inspect.signature(function).parameters.values())
    by_name = (i for i, p in enumerate(parameters) if p.kind is p.KEYWORD_ONLY or p.name == "more1")
    positions = next(by_name, len(parameters))
    return positions, [p.name for p in parameters[positions:] if not p.name.startswith("more")]


def _one_by_one(name: str, args: list[Any], options: dict[str, Any]) -> list[tuple[list[Any], dict[str, Any]]]:
    lists = [value for value in args if isinstance(value, list | tuple)]
    tensors = [value for value in lists if value and isinstance(value[0], TensorBase)]
    if not lists:
        raise TypeError(f"{name}(): expected a list of tensors, but got ({', '.join(type(x).__name__ for x in args)})")
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    count = len(tensors[0])
    args = [_expanded(value) for value in args]
    options = {key: _expanded(value) for key, value in options.items()}
    _check_lengths(tensors, [*args, *options.values()], count)

    def at(value: Any, i: int) -> Any:
        return value[i] if isinstance(value, list | tuple) else value

    return [([at(v, i) for v in args], {key: at(v, i) for key, v in options.items()}) for i in range(count)]


def _expanded(value: Any) -> Any:
    return list(own_ops.unbind(value)) if isinstance(value, TensorBase) and value.dim() else value


def _check_lengths(tensors: list[Any], args: list[Any], count: int) -> None:
    for value in tensors:
        if len(value) != count:
            raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(value)}")
    for value in args:
        if isinstance(value, list | tuple) and len(value) != count:
            raise RuntimeError("Tensor list must have same number of elements as scalar list.")
