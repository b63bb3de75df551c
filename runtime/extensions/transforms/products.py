"""`vjp`, `jvp`, `vhp` and `hvp`: products of a Jacobian or Hessian with a vector, from the left and from the right."""

from collections.abc import Callable
from typing import Any

from ...namespace import op
from ...tensor.grad_mode import enable_grad
from .structure import (
    GRADIENT,
    HESSIAN,
    JACOBIAN,
    OUTPUT,
    as_inputs,
    as_vector,
    check_outputs,
    check_recorded,
    filled,
    gradients,
    number_of,
    ones_for,
    outputs_of,
    restore_structure,
)

BACK_TRICK = (
    "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double "
    "backward trick to compute forward mode gradients. This is not allowed in strict mode."
)


@enable_grad()
def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The product v^T J of a vector with the Jacobian of `func` at `inputs`.

    Args:
        func: a function of tensors to a Tensor or a tuple of Tensors.
        inputs: its arguments, a Tensor or a tuple of Tensors.
        v: as many tensors as `func` has outputs, of their shapes; 1 when not given, for one output of one element.
        create_graph: compute both results so that they can be differentiated in turn.
        strict: raise an error where an output depends on no input or an input has no effect, instead of giving zeros.

    Returns:
        (outputs, vjp): the outputs of `func`, and the product, with the structure of `inputs`.

    Raises:
        RuntimeError: `v` has not the structure of the outputs, or something that `strict` forbids.
        TypeError: inputs, outputs or `v` are not tensors.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0])
        >>> sg.autograd.functional.vjp(lambda x: x**2, x, sg.tensor([1.0, 10.0]))
        (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    in_tuple, xs = as_inputs(inputs, "vjp", create_graph)
    out_tuple, outputs = outputs_of(func, xs, "vjp")
    check_outputs(strict, outputs)
    if v is None:
        vs = ones_for(outputs, "the user-provided function returns")
    else:
        vs = as_vector(v, "vjp", outputs, out_tuple, create_graph)
    result = filled(strict, create_graph, gradients(outputs, xs, vs, create_graph), xs, OUTPUT)
    return restore_structure(outputs, out_tuple, create_graph), restore_structure(result, in_tuple, create_graph)


@enable_grad()
def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The product J v of the Jacobian of `func` at `inputs` with a vector.

    Computed by backward of backward: u^T J is linear in u, and its derivative in u times v is J v. `forward_ad` and
    `func.jvp` need one pass only.

    Errors and other arguments as of `autograd.functional.vjp`.

    Args:
        v: as many tensors as there are inputs, of their shapes; 1 when not given, for one input of one element.

    Returns:
        (outputs, jvp): the outputs of `func`, and the product, with their structure.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0])
        >>> sg.autograd.functional.jvp(lambda x: x.prod(), x, sg.tensor([1.0, 0.0]))
        (tensor(2.), tensor(2.))
    """
    in_tuple, xs = as_inputs(inputs, "jvp", create_graph)
    vs = _vector(v, "jvp", xs, in_tuple, create_graph)
    out_tuple, outputs = outputs_of(func, xs, "jvp")
    check_outputs(strict, outputs)
    result = _twice_backward(outputs, outputs, xs, vs, create_graph, strict, GRADIENT)
    product = filled(strict, create_graph, result, outputs, BACK_TRICK)
    return restore_structure(outputs, out_tuple, create_graph), restore_structure(product, out_tuple, create_graph)


BACK = "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode."
BACK_TRICK_HESSIAN = (
    "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not allowed "
    "in strict mode as it prevents from using the double backward trick to replace forward mode AD."
)


@enable_grad()
def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The product v^T H of a vector with the Hessian of `func` at `inputs`.

    Args:
        func: a function of tensors to a Tensor of one element.
        inputs: its arguments, a Tensor or a tuple of Tensors.
        v: as many tensors as there are inputs, of their shapes; 1 when not given, for one input of one element.
        create_graph: compute both results so that they can be differentiated in turn.
        strict: raise an error where the gradient does not depend on an input, instead of giving zeros.

    Returns:
        (output, vhp): the output of `func`, and the product, with the structure of `inputs`.

    Raises:
        RuntimeError: the output is not one element, `v` has not the structure of the inputs, or something that
            `strict` forbids.
        TypeError: inputs, output or `v` are not tensors.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0])
        >>> sg.autograd.functional.vhp(lambda x: (x**3).sum(), x, sg.tensor([1.0, 10.0]))
        (tensor(9.), tensor([  6., 120.]))
    """
    in_tuple, xs = as_inputs(inputs, "vhp", create_graph)
    vs = _vector(v, "vhp", xs, in_tuple, create_graph)
    output, grads = _gradient(func, xs, strict, "vhp")
    result = gradients(grads, xs, vs, create_graph)
    product = filled(strict, create_graph, result, xs, BACK, "hessian")
    return restore_structure((output,), False, create_graph), restore_structure(product, in_tuple, create_graph)


@enable_grad()
def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The product H v of the Hessian of `func` at `inputs` with a vector.

    Computed by backward of the backward that gives v^T H. The Hessian of a function that is twice continuously
    differentiable is symmetric, and `vhp` gives the same in less time.
    Results, errors and arguments as of `autograd.functional.vhp`.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0])
        >>> sg.autograd.functional.hvp(lambda x: x.prod() ** 2, x, sg.tensor([1.0, 0.0]))
        (tensor(4.), tensor([8., 8.]))
    """
    in_tuple, xs = as_inputs(inputs, "hvp", create_graph)
    vs = _vector(v, "hvp", xs, in_tuple, create_graph)
    output, grads = _gradient(func, xs, strict, "hvp")
    result = _twice_backward(grads, xs, xs, vs, create_graph, strict, HESSIAN)
    product = filled(strict, create_graph, result, xs, BACK_TRICK_HESSIAN, "hessian")
    return restore_structure((output,), False, create_graph), restore_structure(product, in_tuple, create_graph)


def _vector(v: Any, function: str, xs: Any, in_tuple: bool, create_graph: bool) -> tuple[Any, ...]:
    if v is None:
        return ones_for(xs, "the input to the user-provided function is")
    return as_vector(v, function, xs, in_tuple, create_graph)


def _gradient(func: Callable[..., Any], xs: Any, strict: bool, function: str) -> tuple[Any, tuple[Any, ...]]:
    output = number_of(func, xs, function)
    check_outputs(strict, (output,))
    grads = gradients((output,), xs, (None,), create_graph=True)
    check_recorded(strict, grads, JACOBIAN)
    return output, grads


def _twice_backward(
    outputs: Any, like: Any, xs: Any, vs: Any, create_graph: bool, strict: bool, constant: str
) -> tuple[Any, ...]:
    """J v by backward of backward: u^T J is linear in u, and its gradient in u is J v; `like` has the shapes of u."""
    us = tuple(op.zeros_like(tensor)._requiring_grad() for tensor in like)
    pulled = gradients(outputs, xs, us, create_graph=True)
    check_recorded(strict, pulled, constant)
    return gradients(pulled, us, vs, create_graph)
