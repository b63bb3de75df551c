"""`hessian`: all second partial derivatives of a function that gives one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import RefusedValueError
from .jacobian import jacobian
from .strictness import JACOBIAN, check_outputs, check_recorded
from .structure import as_tensors, number_of


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

    def slopes(*xs: Any) -> Any:
        points = tuple(x if x.requires_grad else x.requires_grad_() for x in xs)
        found = jacobian(number, points if in_tuple else points[0], create_graph=True)
        check_recorded(strict, found if in_tuple else (found,), JACOBIAN)
        return found

    return jacobian(slopes, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
