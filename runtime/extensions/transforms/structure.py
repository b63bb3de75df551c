"""Inputs and results of these functions, a tensor or a tuple of them, and the checks of strict mode."""

from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.backward import grad
from ...errors import ArgumentError, GraphError, ShapeError
from ...namespace import op
from ...tensor.tensor import TensorBase

Tensors = tuple[Any, ...]


def as_tensors(value: Any, function: str, what: str) -> tuple[bool, Tensors]:
    arg = isinstance(value, tuple)
    tensors = value if arg else (value,)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, TensorBase):
            which = f"the value at index {i}" if arg else f"the given {what}"
            raise ArgumentError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but {which} has type "
                f"{type(tensor)}."
            )
    return arg, tensors


def as_inputs(value: Any, function: str, create_graph: bool) -> tuple[bool, Tensors]:
    """The inputs as other tensors, to differentiate in: in the caller's graph where that is to be continued."""
    arg, tensors = as_tensors(value, function, "inputs")
    return arg, tuple(
        t.view_as(t) if create_graph and t.requires_grad else t.detach()._requiring_grad() for t in tensors
    )


def outputs_of(func: Callable[..., Any], inputs: Tensors, function: str) -> tuple[bool, Tensors]:
    return as_tensors(func(*inputs), function, "outputs of the user-provided function")


def number_of(func: Callable[..., Any], inputs: Tensors, function: str) -> Any:
    value, outputs = outputs_of(func, inputs, function)
    if value:
        raise GraphError(f"The function given to {function} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise ShapeError(f"The Tensor returned by the function given to {function} should contain a single element")
    return outputs[0]


def as_vector(v: Any, function: str, like: Tensors, in_tuple: bool, create_graph: bool) -> Tensors:
    _, vectors = as_tensors(v, function, "v")
    if len(vectors) != len(like):
        if in_tuple:
            raise GraphError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}.")
        raise GraphError("The given v should contain a single Tensor.")
    for i, (vector, tensor) in enumerate(zip(vectors, like, strict=True)):
        if vector.shape != tensor.shape:
            which = f"Entry {i} in v" if in_tuple else "v"
            raise ShapeError(f"{which} has invalid size: should be {tensor.shape} but got {vector.shape}.")
    return vectors if create_graph else tuple(vector.detach() for vector in vectors)


def ones_for(tensors: Tensors, source: str) -> Tensors:
    if len(tensors) != 1 or tensors[0].numel() != 1:
        raise GraphError(f"The vector v can only be None if {source} a single Tensor with a single element.")
    return (None,)


def restore_structure(tensors: Sequence[Any], in_tuple: bool, create_graph: bool) -> Any:
    results = tuple(tensors) if create_graph else tuple(t.detach() for t in tensors)
    return results if in_tuple else results[0]


def gradients(
    outputs: Sequence[Any], inputs: Tensors, vs: Sequence[Any], create_graph: bool, **options: Any
) -> tuple[Any, ...]:
    """`grad` that passes over outputs which need no gradient (or are None); None for inputs that nothing depends on."""
    used = [(o, v) for o, v in zip(outputs, vs, strict=True) if o is not None and o.requires_grad]
    if not used:
        return (None,) * len(inputs)
    roots, starts = zip(*used, strict=True)
    return grad(roots, inputs, starts, create_graph=create_graph, allow_unused=True, **options)


NO_GRAD = (
    "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode."
)
OUTPUT = "The output of the user-provided function is independent of input {}. This is not allowed in strict mode."
GRADIENT = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is not "
    "allowed in strict mode."
)
JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for "
    "example)."
)
HESSIAN = (
    "While computing the hessian, found that the hessian of the user-provided function with respect to input {} is "
    "independent of the input. This is not allowed in strict mode as it prevents from using the double backward trick "
    "to replace forward mode AD."
)
LINEAR = "The {} of the user-provided function is independent of input {}. This is not allowed in strict mode when "
LINEAR += "create_graph=True."


def check_outputs(strict: bool, outputs: Sequence[Any]) -> None:
    for i, output in enumerate(outputs):
        if strict and not output.requires_grad:
            raise GraphError(NO_GRAD.format(i))


def check_recorded(strict: bool, grads: Sequence[Any], constant: str) -> None:
    for i, g in enumerate(grads):
        if strict and g is None:
            raise GraphError(OUTPUT.format(i))
        if strict and not g.requires_grad:
            raise GraphError(constant.format(i))


def filled(
    strict: bool, create_graph: bool, result: Sequence[Any], like: Sequence[Any], missing: str, what: str = "jacobian"
) -> tuple[Any, ...]:
    for i, value in enumerate(result):
        if strict and value is None:
            raise GraphError(missing.format(i))
        if strict and create_graph and not value.requires_grad:
            raise GraphError(LINEAR.format(what, i))
    return zeros_for_none(result, like)


def zeros_for_none(result: Sequence[Any], like: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(op.zeros_like(t) if value is None else value for value, t in zip(result, like, strict=True))


# ---- under the names that libraries with Jacobians of their own import from PyTorch's file ---------------------------


def _as_tuple(inp: Any, arg_name: str | None = None, fn_name: str | None = None) -> tuple[bool, Tensors]:
    if arg_name is None and fn_name is None:
        return (True, inp) if isinstance(inp, tuple) else (False, (inp,))
    return as_tensors(inp, str(fn_name), str(arg_name))


def _tuple_postprocess(inp: Any, to_unpack: Any) -> Any:
    """The one item of a tuple where none was given; of tuples of tuples, for each level."""
    if not isinstance(to_unpack, tuple):
        return inp if to_unpack else inp[0]
    outer, inner = to_unpack
    result = inp if inner else tuple(item[0] for item in inp)
    return result if outer else result[0]


def _grad_postprocess(inputs: Any, create_graph: bool) -> Any:
    """Gradients, in tuples, outside of the graph unless it is wanted."""
    if create_graph:
        return inputs
    return tuple(_grad_postprocess(item, False) if isinstance(item, tuple) else item.detach() for item in inputs)
