"""`jacobian` and `hessian`: all first, and all second, partial derivatives of a function."""

from collections.abc import Callable
from typing import Any

from ...autograd.dual import dual_level, make_dual, unpack_dual
from ...errors import GraphError, RefusedValueError
from ...namespace import op
from ...pytree import flatten
from ...tensor.grad_mode import enable_grad
from ..vmap import vmap
from .arguments import basis_of, parted_jacobian, stacked_jacobian
from .structure import (
    JACOBIAN,
    Tensors,
    as_inputs,
    as_tensors,
    check_outputs,
    check_recorded,
    filled,
    gradients,
    number_of,
    outputs_of,
    restore_structure,
    zeros_for_none,
)

INCOMPATIBLE_FLAGS = (
    "autograd.functional.jacobian: `{}` and `{}` are not supported together. Please either set `{}` or `{}`."
)


@enable_grad()
def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of `func` at `inputs`: J[i..., j...] = d output[i...] / d input[j...].

    Args:
        func: a function of tensors to a Tensor or a tuple of Tensors.
        inputs: its arguments, a Tensor or a tuple of Tensors.
        create_graph: compute the Jacobian so that it can be differentiated in turn.
        strict: raise an error where an output does not depend on an input, instead of giving zeros.
        vectorize: compute all rows (or columns) at once, by `vmap`, instead of one after the other.
        strategy: "reverse-mode" computes rows by backward; "forward-mode" columns by forward mode, with `vectorize`.

    Returns:
        A Tensor of shape (*output.shape, *input.shape); for a tuple of inputs a tuple of those, for a tuple of outputs
        a tuple of what one output gives.

    Raises:
        RuntimeError: something that `strict` forbids, or options that exclude each other.
        TypeError: inputs or outputs are not tensors.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0])
        >>> sg.autograd.functional.jacobian(lambda x: x**2, x)
        tensor([[2., 0.],
                [0., 4.]])
        >>> sg.autograd.functional.jacobian(lambda x, y: (x * y).sum(), (x, sg.tensor([3.0, 4.0])))
        (tensor([3., 4.]), tensor([1., 2.]))
    """
    _check_options(vectorize, strategy)
    if strategy == "forward-mode":
        return _forward(func, inputs, create_graph, strict)
    if strict and vectorize:
        raise GraphError(INCOMPATIBLE_FLAGS.format("strict=True", "vectorize=True", "strict=False", "vectorize=False"))
    in_tuple, xs = as_inputs(inputs, "jacobian", create_graph)
    out_tuple, outputs = outputs_of(func, xs, "jacobian")
    check_outputs(strict, outputs)
    if vectorize:
        blocks = reverse_jacobian(outputs, xs, create_graph)
    else:
        blocks = [_blocks(i, output, xs, create_graph, strict) for i, output in enumerate(outputs)]
    rows = tuple(restore_structure(row, in_tuple, create_graph) for row in blocks)
    return rows if out_tuple else rows[0]


def _check_options(vectorize: bool, strategy: str) -> None:
    if strategy not in ("forward-mode", "reverse-mode"):
        raise RefusedValueError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for "
            "`vectorize=True`."
        )


def _forward(func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool) -> Any:
    forward, reverse = 'strategy="forward-mode"', 'strategy="reverse-mode"'
    if create_graph:
        raise NotImplementedError(
            INCOMPATIBLE_FLAGS.format("create_graph=True", forward, "create_graph=False", reverse)
        )
    if strict:
        raise GraphError(INCOMPATIBLE_FLAGS.format("strict=True", forward, "strict=False", reverse))
    in_tuple, xs = as_tensors(inputs, "jacobian", "inputs")
    out_tuple, blocks = forward_jacobian(func, xs)
    rows = tuple(restore_structure(row, in_tuple, create_graph=False) for row in blocks)
    return rows if out_tuple else rows[0]


def _blocks(i: int, output: Any, xs: Tensors, create_graph: bool, strict: bool) -> list[Any]:
    if output.is_complex():
        raise GraphError(
            f"jacobian(): grad can be implicitly created only for real scalar outputs but got {output.dtype!r} for "
            f"output {i}; vectorize=True gives the gradients of the real parts"
        )
    missing = f"Output {i} of the user-provided function is independent of input {{}}. "
    missing += "This is not allowed in strict mode."
    rows = []
    for unit in basis_of((output,))[0]:
        result = gradients((output,), xs, (unit,), create_graph, retain_graph=True)
        rows.append(filled(strict, create_graph, result, xs, missing))
    shapes = [(*output.shape, *x.shape) for x in xs]
    if not rows:
        return [x.new_zeros(shape) for x, shape in zip(xs, shapes, strict=True)]
    return [op.stack(column).reshape(shape) for column, shape in zip(zip(*rows, strict=True), shapes, strict=True)]


def reverse_jacobian(outputs: Tensors, xs: Tensors, create_graph: bool) -> Any:
    """For each output the Jacobians in all inputs, by one backward pass of a batch of gradients."""

    def row(*units: Any) -> tuple[Any, ...]:
        return zeros_for_none(gradients(outputs, xs, units, create_graph), xs)

    return parted_jacobian(vmap(row)(*basis_of(outputs)), outputs, flatten(outputs)[1])


def forward_jacobian(func: Callable[..., Any], xs: Tensors) -> tuple[bool, Any]:
    """Whether `func` gives a tuple, and for each output the Jacobians in all inputs, by one pass of forward mode."""
    out_tuple = False

    def column(*units: Any) -> tuple[Any, ...]:
        nonlocal out_tuple
        with dual_level():
            duals = tuple(make_dual(x, unit) for x, unit in zip(xs, units, strict=True))
            out_tuple, outputs = outputs_of(func, duals, "jacobian")
            pairs = [unpack_dual(output) for output in outputs]
            return tuple(op.zeros_like(primal) if t is None else t for primal, t in pairs)

    columns = vmap(column, out_dims=-1)(*basis_of(xs))  # which finds out what `func` gives
    return out_tuple, stacked_jacobian(columns, xs, flatten(xs)[1])


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of `func` at `inputs`: H[i..., j...] = d^2 output / (d input[i...] d input[j...]).

    Args:
        func: a function of tensors to a Tensor of one element.
        inputs: its arguments, a Tensor or a tuple of Tensors.
        create_graph: compute the Hessian so that it can be differentiated in turn.
        strict: raise an error where the gradient does not depend on an input, instead of giving zeros.
        vectorize: compute all rows at once, by `vmap`, instead of one after the other.
        outer_jacobian_strategy: how the gradient is differentiated: "reverse-mode", or with `vectorize` "forward-mode".

    Returns:
        A Tensor of shape (*input.shape, *input.shape); for a tuple of inputs a tuple of tuples of those.

    Raises:
        RuntimeError: the output is not one element, or something that `strict` forbids.
        TypeError: inputs or output are not tensors.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0])
        >>> sg.autograd.functional.hessian(lambda x: (x**3).sum(), x)
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise RefusedValueError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    in_tuple, _ = as_tensors(inputs, "hessian", "inputs")

    def number(*xs: Any) -> Any:
        output = number_of(func, xs, "hessian")
        check_outputs(strict, (output,))
        return output.reshape(())

    def gradient(*xs: Any) -> Any:
        points = tuple(x if x.requires_grad else x._requiring_grad() for x in xs)
        result = jacobian(number, points if in_tuple else points[0], create_graph=True)
        check_recorded(strict, result if in_tuple else (result,), JACOBIAN)
        return result

    return jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def _construct_standard_basis_for(tensors: tuple[Any, ...], tensor_numels: tuple[int, ...]) -> tuple[Any, ...]:
    """The unit vectors of the space of several tensors, in rows, a matrix of rows for each tensor."""
    return tuple(rows.reshape(-1, count) for rows, count in zip(basis_of(tensors), tensor_numels, strict=True))
