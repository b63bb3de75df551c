"""Forward-mode transforms: jvp, linearize, jacfwd, and hessian on top of both modes."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.dual import dual_level, make_dual, unpack_dual
from ...methods.argument_guard import explained
from ...namespace import op
from ...pytree import flatten, shown, tree_map, unflatten
from ...tensor.captured import transform_call
from ...tensor.tensor import TensorBase
from ..vmap import vmap
from .arguments import basis_of, check_outputs, check_real, check_tensor, chosen, replaced, stacked_jacobian, with_aux
from .reverse import Argnums, jacrev, vjp

_JVP = "jvp(f, primals, tangents)"  # the call, as messages show it


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
    values, directions, spec = _matching(primals, tangents)
    with transform_call([*values, *directions]), dual_level() as level:
        duals = [make_dual(p, t, level=level) for p, t in zip(values, directions, strict=True)]
        output, aux = with_aux(_JVP, func(*unflatten(duals, spec)), has_aux)
        outputs, out_spec = flatten(output)
        check_outputs(_JVP, outputs)
        halves = [_split(o, level, strict) for o in outputs]
        aux = tree_map(lambda a: unpack_dual(a, level=level).primal, aux) if has_aux else None
    result = tuple([unflatten(part, out_spec) for part in zip(*halves, strict=True)])
    return (*result, aux) if has_aux else result


def _matching(primals: Any, tangents: Any) -> tuple[list[Any], list[Any], Any]:
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    (values, spec), (directions, other) = flatten(primals), flatten(tangents)
    if spec != other:
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            "tuple of 3 tensors, tangents also must be. Got primals with structure "
            f"{shown(spec)} and tangents with structure {shown(other)}"
        )
    if not values:
        raise RuntimeError(f"{_JVP}: Expected primals to contain at least one Tensor.")
    for value in (*values, *directions):
        if not isinstance(value, TensorBase):
            raise RuntimeError(f"{_JVP}: Expected primals to only contain Tensors, got {type(value)}")
    return values, directions, spec


def _split(output: Any, level: int, strict: bool) -> tuple[Any, Any]:
    primal, tangent = unpack_dual(output, level=level)
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
    leaves, spec = flatten(primals)
    metas = [(leaf._shape, leaf._dtype) for leaf in leaves]

    @explained
    def jvp_fn(*tangents: Any) -> Any:
        _check_tangents(tangents, metas, spec)
        return transposed(tangents)[0]

    return output, jvp_fn


def _check_tangents(tangents: Any, metas: Sequence[Any], spec: Any) -> None:
    """Whether tangents are like the primals that a function was linearised at."""
    arg, input_spec = flatten(tangents)
    if input_spec != spec:
        raise RuntimeError(
            f"Expected the tangents {shown(input_spec)} to have the same argspec as the primals {shown(spec)}"
        )
    for index, (value, (shape, dtype)) in enumerate(zip(arg, metas, strict=True)):
        for what, result, requested in (("shape", value._shape, shape), ("dtype", value._dtype, dtype)):
            if result != requested:
                raise RuntimeError(
                    f"tangent:{index} with {what} {result} in flattened pytree doesn't match the {what} "
                    f"{requested} of the "
                    "corresponding primal."
                )


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
        for value in inputs:
            check_tensor("jacfwd", value)
        check_real("jacfwd", "input", inputs)

        def column(*units: Any) -> Any:
            def partial(*arg: Any) -> Any:
                return func(*replaced(args, argnums, unflatten(arg, spec)), **kwargs)

            output, tangent, *aux = jvp(partial, tuple(inputs), units, has_aux=has_aux)
            check_real("jacfwd", "output", flatten(output)[0])
            return (tangent, aux[0]) if has_aux else tangent

        dims = (-1, 0) if has_aux else -1
        result = vmap(column, randomness=randomness, out_dims=dims)(*basis_of(inputs))
        if not has_aux:
            return stacked_jacobian(result, inputs, spec)
        return stacked_jacobian(result[0], inputs, spec), tree_map(_first, result[1])

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
