"""Forward-mode transforms: jvp, linearize, jacfwd, and hessian on top of both modes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..autograd.dual import dual_level
from ..batching import vmap
from ..errors import type_name
from ..namespace import op
from ..pytree import flatten, tree_map, unflatten
from ..tensor import TensorBase
from .arguments import basis_of, chosen, joined_jacobian, replaced, with_aux
from .reverse import Argnums, jacrev, vjp


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """(func(*primals), J t): the output and its derivative along the tangents, in one forward pass.

    Args:
        func: a function of tensors, or trees of them, to tensors.
        primals: a tuple of where it is evaluated.
        tangents: a tuple of directions, of the structure and shapes of the primals.
        strict: whether an output that does not depend on the primals is an error, instead of having zeros.
        has_aux: whether func returns a second value that is handed through, as a third result.

    Raises:
        RuntimeError: the structures differ, or `strict` finds an output without a tangent.

    Example:
        >>> import specgrad as sg
        >>> sg.func.jvp(sg.sin, (sg.zeros(2),), (sg.tensor([1.0, 2.0]),))
        (tensor([0., 0.]), tensor([1., 2.]))
    """
    values, directions = _matching(primals, tangents)
    with dual_level() as level:
        duals = [p._with_tangent(t, level) for p, t in zip(values, directions, strict=True)]
        result = func(*unflatten(duals, flatten(primals)[1]))
        output, aux = with_aux("jvp", result, has_aux)
        outputs, spec = flatten(output)
        halves = [_split(o, level, strict) for o in outputs]
        aux = tree_map(lambda a: a._split_dual(level).primal if isinstance(a, TensorBase) else a, aux)
    found = unflatten([p for p, _ in halves], spec), unflatten([t for _, t in halves], spec)
    return (*found, aux) if has_aux else found


def _matching(primals: Any, tangents: Any) -> tuple[list[Any], list[Any]]:
    """The leaves of primals and tangents, checked to belong together."""
    for name, value in (("primals", primals), ("tangents", tangents)):
        if not isinstance(value, tuple):
            raise RuntimeError(
                f"jvp(f, primals, tangents): Expected {name} to be a tuple. E.g. it should be valid to "
                "call f(*primals)."
            )
    values, spec = flatten(primals)
    directions, other = flatten(tangents)
    if str(spec) != str(other):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, "
            f"if primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and "
            f"tangents with structure {other}"
        )
    for p, t in zip(values, directions, strict=True):
        if not isinstance(p, TensorBase) or not isinstance(t, TensorBase):
            raise RuntimeError(
                f"jvp(f, primals, tangents): Expected Tensors, but got {type_name(p)} and {type_name(t)}"
            )
        if p._shape != t._shape:
            raise RuntimeError(
                f"jvp(f, primals, tangents): expected a tangent of shape {list(p._shape)}, but got {list(t._shape)}"
            )
    return values, directions


def _split(output: Any, level: int, strict: bool) -> tuple[Any, Any]:
    if not isinstance(output, TensorBase):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected f to be a function that has only Tensor outputs, got "
            f"{type_name(output)}"
        )
    primal, tangent = output._split_dual(level)
    if tangent is None and strict:
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed "
            "with strict=True."
        )
    return primal, op.zeros_like(primal) if tangent is None else tangent


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """(func(*primals), jvp_fn), where jvp_fn(*tangents) is J t; func is evaluated once, for any number of tangents.

    J t is the gradient of v -> v^T J t, which is linear in v: the transpose of the transpose.

    Args:
        func: a function of tensors, or trees of them, to tensors.
        *primals: where it is linearised.

    Example:
        >>> import specgrad as sg
        >>> output, jvp_fn = sg.func.linearize(sg.sin, sg.zeros(2))
        >>> jvp_fn(sg.tensor([1.0, 2.0]))
        tensor([1., 2.])
    """
    output, vjp_fn = vjp(func, *primals)
    _, transposed = vjp(vjp_fn, tree_map(op.zeros_like, output))

    def jvp_fn(*tangents: Any) -> Any:
        return transposed(tangents)[0]

    return output, jvp_fn


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """A function that computes the Jacobian of `func` by forward mode, all columns at once (`vmap` of `jvp`).

    Args:
        func: a function of tensors, or trees of them, to tensors.
        argnums: which argument to differentiate with respect to, or several.
        has_aux: whether func returns a second value that is handed through.
        randomness: what random ops in func do, as of `vmap`.

    Returns:
        A function of the same arguments: d output / d argument of shape (*output.shape, *argument.shape).

    Example:
        >>> import specgrad as sg
        >>> sg.func.jacfwd(sg.square)(sg.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        inputs, spec = flatten(chosen("jacfwd", args, argnums))

        def column(*units: Any) -> Any:
            def partial(*given: Any) -> Any:
                return func(*replaced(args, argnums, unflatten(given, spec)), **kwargs)

            _, tangent, *aux = jvp(partial, tuple(inputs), units, has_aux=has_aux)
            return (tangent, aux[0]) if has_aux else tangent

        dims = (-1, 0) if has_aux else -1
        found = vmap(column, randomness=randomness, out_dims=dims)(*basis_of(inputs))
        if not has_aux:
            return joined_jacobian(found, inputs, spec)
        return joined_jacobian(found[0], inputs, spec), tree_map(_first, found[1])

    return jacobian


def _first(batch: Any) -> Any:
    return batch[0]


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that computes the Hessian of `func`: forward mode over reverse mode.

    Args:
        func: a function of tensors to tensors.
        argnums: which argument to differentiate with respect to, or several.

    Example:
        >>> import specgrad as sg
        >>> sg.func.hessian(lambda x: (x**3).sum())(sg.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
