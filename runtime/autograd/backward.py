"""`backward` and `grad`: checks of what they are given, then one run of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError, GraphError, type_name
from ..namespace import op
from ..tensor import TensorBase, fresh
from .engine import Capture, run
from .saved import edge_of

Tensors = Any


def backward(
    tensors: Tensors,
    grad_tensors: Tensors = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves they were computed from.

    Computes sum_i <grad_tensors_i, d tensors_i / d leaf> for every leaf.

    Args:
        tensors: a Tensor or several.
        grad_tensors: their gradients; may be None for tensors of one element, where it is 1.
        retain_graph: keep what the graph saved, to run it again; default: the value of `create_graph`.
        create_graph: record the computation of the gradients, to differentiate it in turn.
        inputs: only these leaves (or other tensors of the graph) get gradients.

    Raises:
        RuntimeError: a tensor does not require grad, a gradient is missing or of the wrong shape, the graph is freed.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
        >>> sg.autograd.backward((x * x).sum())
        >>> x.grad
        tensor([2., 4.])
    """
    if grad_tensors is None and inputs is None and isinstance(tensors, TensorBase):
        edge = root_edge("backward", tensors, 0)
        run(
            [edge],
            [_initial("backward", tensors, None)],
            create_graph if retain_graph is None else retain_graph,
            create_graph,
        )
        return
    outputs = as_tuple("backward", "tensors", tensors)
    grads = initial_gradients("backward", outputs, grad_tensors)
    edges = [root_edge("backward", t, i) for i, t in enumerate(outputs)]
    capture: Capture | None = None
    wanted: tuple[Any, ...] = ()
    if inputs is not None:
        wanted = as_tuple("backward", "inputs", inputs)
        if not wanted:
            raise GraphError("backward(): argument 'inputs' must not be empty")
        capture = Capture([input_edge("backward", t) for t in wanted], edges, accumulate=True)
    run(edges, grads, create_graph if retain_graph is None else retain_graph, create_graph, capture)
    for tensor in wanted:
        if tensor._fn is not None and capture is not None:
            found = capture.found(tensor._fn)
            if found is not None:
                tensor._grad = found if tensor._grad is None else tensor._grad + found


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Tensors = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of `outputs` with respect to `inputs`, without touching any `.grad`.

    Returns sum_i <grad_outputs_i, d outputs_i / d input> for each input, in a tuple.

    Args:
        outputs: a Tensor or several.
        inputs: the tensors to differentiate with respect to.
        grad_outputs: gradients of the outputs; may be None for outputs of one element, where it is 1.
        retain_graph: keep what the graph saved; default: the value of `create_graph`.
        create_graph: record the computation of the gradients.
        only_inputs: other leaves than `inputs` get no gradients; True is the only value.
        allow_unused: give None for inputs that the outputs do not depend on, instead of an error.
        is_grads_batched: not supported yet.
        materialize_grads: give zeros instead of None.

    Raises:
        RuntimeError: an input was not used, or one of the errors of `backward`.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor(3.0, requires_grad=True)
        >>> sg.autograd.grad(x ** 2, x)
        (tensor(6.),)
    """
    if not only_inputs:
        raise ValueError("grad(): expected only_inputs=True; call backward() to add to the .grad of all leaves")
    if is_grads_batched:
        raise NotImplementedError("grad(): is_grads_batched=True is not supported; call grad() once per gradient")
    if materialize_grads and allow_unused is False:
        raise ValueError("grad(): expected allow_unused to be True or not given when materialize_grads=True")
    roots = as_tuple("grad", "outputs", outputs)
    wanted = as_tuple("grad", "inputs", inputs)
    if not wanted:
        raise ValueError("grad(): requires non-empty inputs.")
    grads = initial_gradients("grad", roots, grad_outputs)
    edges = [root_edge("grad", t, i) for i, t in enumerate(roots)]
    targets = [input_edge("grad", t) for t in wanted]
    capture = Capture(targets, edges, accumulate=False)
    run(edges, grads, create_graph if retain_graph is None else retain_graph, create_graph, capture)
    return tuple(
        _found(capture, target, tensor, bool(allow_unused) or materialize_grads, materialize_grads)
        for target, tensor in zip(targets, wanted, strict=True)
    )


def _found(capture: Capture, edge: Any, tensor: Any, allow_unused: bool, materialize: bool) -> Any:
    found = capture.found(edge)
    if found is None and not allow_unused:
        raise GraphError(
            "grad(): One of the differentiated Tensors appears to not have been used in the graph. "
            "Set allow_unused=True if this is the desired behavior."
        )
    if found is None and materialize:
        return zeros_like(tensor)
    return found


def zeros_like(tensor: Any) -> Any:
    """Zeros of the tensor's shape and dtype, outside any graph."""
    return fresh(np.zeros(tensor.numel(), tensor._dtype.np), tensor._shape, tensor._dtype)


def as_tuple(name: str, argument: str, value: Any) -> tuple[Any, ...]:
    """One tensor or a sequence of tensors, as a tuple."""
    items = (value,) if isinstance(value, TensorBase) else value
    if not isinstance(items, (list, tuple)):
        if not hasattr(items, "__iter__"):
            raise ArgumentError(
                f"{name}(): argument '{argument}' must be Tensor or tuple of Tensors, not {type_name(value)}"
            )
        items = tuple(items)
    for i, item in enumerate(items):
        if not isinstance(item, TensorBase):
            raise ArgumentError(f"{name}(): expected Tensor as element {i} of '{argument}', but got {type_name(item)}")
    return tuple(items)


def initial_gradients(name: str, outputs: Sequence[Any], given: Any) -> list[Any]:
    """The gradients to start from: those given, or 1 for outputs of one element."""
    if given is None or isinstance(given, TensorBase):
        given = (given,) * len(outputs) if given is None else (given,)
    if len(given) != len(outputs):
        raise GraphError(f"{name}(): got {len(outputs)} tensors and {len(given)} gradients")
    return [_initial(name, t, g) for t, g in zip(outputs, given, strict=True)]


def _initial(name: str, output: Any, given: Any) -> Any:
    if given is None:
        if output._shape and output.numel() != 1:
            raise GraphError(
                f"{name}(): grad can be implicitly created only for scalar outputs, but got an output of shape "
                f"{list(output._shape)}"
            )
        if output._dtype.kind == "c":
            raise GraphError(
                f"{name}(): grad can be implicitly created only for real outputs but got {output._dtype!r}"
            )
        one = np.empty(1, output._dtype.np)
        one.fill(1)
        return fresh(one, output._shape, output._dtype)
    if not isinstance(given, TensorBase):
        raise ArgumentError(f"{name}(): gradients can be either Tensors or None, but got {type_name(given)}")
    if given._shape != output._shape:
        raise GraphError(
            f"{name}(): Mismatch in shape: a gradient has a shape of {list(given._shape)} and its output has a shape "
            f"of {list(output._shape)}."
        )
    if (given._dtype.kind == "c") != (output._dtype.kind == "c"):
        raise GraphError(
            f"{name}(): for complex tensors, both the output and its gradient must be complex: got "
            f"{output._dtype!r} and {given._dtype!r}"
        )
    return given if given._dtype is output._dtype else op._to_copy(given, output._dtype)


def root_edge(name: str, tensor: Any, index: int) -> Any:
    """The edge of a tensor that backward starts from."""
    if not tensor._rg:
        raise GraphError(f"{name}(): element {index} of tensors does not require grad and does not have a grad_fn")
    return edge_of(tensor)


def input_edge(name: str, tensor: Any) -> Any:
    """The edge of a tensor whose gradient is asked for."""
    if not tensor._rg:
        raise GraphError(f"{name}(): One of the differentiated Tensors does not require grad")
    return edge_of(tensor)
