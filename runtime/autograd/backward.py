"""`backward` and `grad`: one run of the engine on tensors or edges, their gradients, and inputs asked for."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..device.device import CPU
from ..errors import ArgumentError, GraphError, type_name, warn_user
from ..extension_points import extension
from ..fast_path import starter
from ..namespace import Tensor, op
from ..shapes import Size
from ..tensor.captured import calls
from ..tensor.dtype_views import unmarked
from ..tensor.grad_mode import mode
from ..tensor.memory import full
from ..tensor.observers import watch
from ..tensor.tensor import TensorBase, from_flat
from ..tracebacks import hide_internal_frames
from .accumulate_grad import AccumulateGrad
from .captured_inputs import Capture
from .engine import run
from .hooks import registered
from .locally_constant import are_constant, connected, put_zeros
from .node import Output
from .saved_tensors import edge_of, meta_of, zeros_of
from .view_history import NOWHERE


def as_tuple(name: str, argument: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, TensorBase) or is_edge(value):
        return (value,)
    if not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        raise ArgumentError(
            f"{name}(): argument '{argument}' must be Tensor or tuple of Tensors, not {type_name(value)}"
        )
    return tuple(value)


def is_edge(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "node") and hasattr(value, "output_nr")


def edge_from_user(name: str, edge: Any) -> Any:
    node, index = edge.node, edge.output_nr
    if isinstance(node, AccumulateGrad):
        return node.variable
    if not 0 <= index < node.output_count:
        raise GraphError(f"{name}(): {node.name()} has {node.output_count} outputs, but the edge is to output {index}")
    return node if node.output_count == 1 else Output(node, index)


def root_edge(name: str, root: Any, index: int) -> Any:
    if not isinstance(root, TensorBase):
        if is_edge(root):
            return edge_from_user(name, root)
        raise ArgumentError(f"{name}(): expected Tensor as element {index} of the outputs, but got {type_name(root)}")
    if root._vmap_level is not None:
        raise GraphError(IN_TRANSFORM.format(name))
    if not root._requires_grad or root._grad_fn is NOWHERE:
        raise GraphError(f"{name}(): element {index} of tensors does not require grad and does not have a grad_fn")
    return edge_of(root)


def input_edge(name: str, requested: Any) -> Any:
    if not isinstance(requested, TensorBase):
        if is_edge(requested):
            return edge_from_user(name, requested)
        raise GraphError(f"{name}(): all inputs have to be Tensors or GradientEdges, but got {type_name(requested)}")
    if not requested._requires_grad:
        raise GraphError(f"{name}(): One of the differentiated Tensors does not require grad")
    return requested if requested._grad_fn is NOWHERE else edge_of(requested)


def initial_gradients(
    name: str, roots: Sequence[Any], value: Any, batched: bool = False, argument: str = "grad_outputs"
) -> list[Any]:
    """The gradients to start from: those given, or 1 for outputs of one element."""
    value = (None,) * len(roots) if value is None else as_tuple(name, argument, value)
    if len(value) != len(roots):
        raise GraphError(f"{name}(): got {len(roots)} tensors and {len(value)} gradients")
    return [initial(name, root, g, i, batched) for i, (root, g) in enumerate(zip(roots, value, strict=True))]


def initial(name: str, root: Any, value: Any, index: int = 0, batched: bool = False) -> Any:
    shape, dtype, device = _meta_and_device(root)
    if value is None:
        return _one(name, shape, dtype, device)
    if not isinstance(value, TensorBase):
        raise ArgumentError(f"{name}(): gradients can be either Tensors or None, but got {type_name(value)}")
    if shape is None:
        return unmarked(value)
    if value._shape != shape or batched:
        _check_shape(name, Size(value._shape), Size(shape), index, batched)
    if (value._dtype.kind == "c") != (dtype.kind == "c"):
        raise GraphError(
            f"{name}(): For complex Tensors, both grad_output and output are required to have the same dtype. "
            f"Mismatch in dtype: grad_output[{index}] has a dtype of {value._dtype!r} and output[{index}] has a dtype "
            f"of {dtype!r}."
        )
    return unmarked(value if value._dtype is dtype else op._to_copy(value, dtype))


def _check_shape(name: str, value: Any, shape: Any, index: int, batched: bool) -> None:
    if not batched:
        raise GraphError(
            f"{name}(): Mismatch in shape: grad_output[{index}] has a shape of {value} and output[{index}] has a shape "
            f"of {shape}."
        )
    if not value or value[0] == 0:
        raise IndexError(
            f"{name}(): with is_grads_batched=True, expected a first dimension of at least 1 in grad_output[{index}], "
            f"but got shape {value}"
        )
    if value[1:] != shape:
        raise GraphError(
            f"{name}(): If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
            "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding output, "
            f"but a mismatch was detected: grad_output[{index}] has a shape of {value} and output[{index}] has a shape "
            f"of {shape}. If you only want some tensors in `grad_output` to be considered batched, consider using vmap."
        )


def _one(name: str, shape: Any, dtype: Any, device: Any) -> Any:
    if shape is None or (shape and prod(shape) != 1):
        result = "" if shape is None else f", but got an output of shape {list(shape)}"
        raise GraphError(f"{name}(): grad can be implicitly created only for scalar outputs{result}")
    if dtype.kind == "c":
        raise GraphError(f"{name}(): grad can be implicitly created only for real scalar outputs but got {dtype!r}")
    return from_flat(one_in(dtype).copy() if device is CPU else full(1, 1, dtype.np, device), shape, dtype)


@functools.cache
def one_in(dtype: Any) -> np.ndarray:
    """[1] in a dtype, to be copied: that takes less time than making it."""
    return np.ones(1, dtype.np)


def _meta_and_device(root: Any) -> tuple[Any, Any, Any]:
    """Of a tensor, or of what a GradientEdge leads to; no shape and dtype where the edge does not know them."""
    if not isinstance(root, TensorBase) and not isinstance(root.node, AccumulateGrad):
        metas, devices = getattr(root.node, "output_metas", None), getattr(root.node, "output_devices", None)
        meta = (root.meta or (None, None)) if metas is None else metas[root.output_nr]
        return *meta, root.device if devices is None else devices[root.output_nr]
    tensor = root if isinstance(root, TensorBase) else root.node.variable
    return tensor._shape, tensor._dtype, tensor._device


def zeros_like(tensor: Any) -> Any:
    return zeros_of(meta_of(tensor), tensor._device)


Tensors = Any
IN_TRANSFORM = (
    "{0}() called inside a functorch transform. This is not supported, please use func.grad or func.vjp instead or "
    "call {0}() outside of functorch transforms."
)
CYCLES = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break "
    "the cycle and avoid the leak."
)


def backward(
    tensors: Tensors,
    grad_tensors: Tensors = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensors = None,
    inputs: Tensors = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves they were computed from.

    Computes sum_i <grad_tensors_i, d tensors_i / d leaf> for every leaf.

    Args:
        tensors: a Tensor or several; a `GradientEdge` will do too.
        grad_tensors: their gradients; may be None for tensors of one element, where it is 1.
        retain_graph: keep what the graph saved, to run it again; default: the value of `create_graph`.
        create_graph: record the computation of the gradients, to differentiate it in turn.
        grad_variables: the former name of `grad_tensors`.
        inputs: only these leaves get gradients, and these other tensors, as if they had called `retain_grad`.

    Raises:
        RuntimeError: a tensor does not require grad, a gradient is missing or of the wrong shape, the graph is freed.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
        >>> sg.autograd.backward((x * x).sum())
        >>> x.grad
        tensor([2., 4.])
    """
    if (calls or watch.active) and mode.transform:
        raise GraphError(IN_TRANSFORM.format("backward"))
    plain = grad_tensors is grad_variables is inputs is None and not create_graph
    alone = not (registered.leaf_hooks or watch.passes)
    if plain and alone and starter()(tensors, bool(retain_graph), False, None) is not None:
        return
    if plain and isinstance(tensors, TensorBase):
        edge = root_edge("backward", tensors, 0)
        run([edge], [initial("backward", tensors, None)], bool(retain_graph), False)
        return
    if create_graph:
        warn_user(CYCLES)
    roots = as_tuple("backward", "tensors", tensors)
    edges = [root_edge("backward", t, i) for i, t in enumerate(roots)]
    if grad_variables is not None:
        warn_user("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise GraphError(
                "backward(): `grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    grads = initial_gradients("backward", roots, grad_tensors, argument="grad_tensors")
    capture = None if inputs is None else Capture(_edges_of_inputs(inputs), edges, accumulate=True)
    run(edges, grads, create_graph if retain_graph is None else retain_graph, create_graph, capture)
    missing = [t for t in as_tuple("backward", "inputs", inputs or ()) if not is_edge(t) and t._grad is None]
    if missing:
        for tensor, constant in zip(missing, are_constant(edges, list(map(edge_of, missing))), strict=True):
            if constant:
                put_zeros(tensor, edges if create_graph else ())


def backward_of(
    self: Any,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add this tensor's gradients to the `.grad` of the leaves it was computed from.

    Args:
        gradient: the gradient of this tensor; may be None for one element, where it is 1.
        retain_graph, create_graph, inputs: as of `specgrad.autograd.backward`.

    Raises:
        RuntimeError: the errors of `specgrad.autograd.backward`.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).backward(sg.tensor([1.0, 10.0]))
        >>> x.grad
        tensor([ 2., 40.])
    """
    try:
        backward(self, gradient, retain_graph, create_graph, None, inputs)
    except Exception as error:
        hide_internal_frames(error)
        raise


backward_of.__name__, backward_of.__qualname__ = "backward", "Tensor.backward"


def _edges_of_inputs(inputs: Tensors) -> list[Any]:
    requested = as_tuple("backward", "inputs", inputs)
    if not requested:
        raise GraphError("backward(): `inputs` argument to `backward()` cannot be empty.")
    for tensor in requested:
        if isinstance(tensor, TensorBase):
            tensor.retain_grad()  # type: ignore[attr-defined]  # for leaves it does nothing
    return [input_edge("backward", t) for t in requested]


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
        outputs: a Tensor or several; a `GradientEdge` will do too.
        inputs: the tensors to differentiate with respect to, or their edges.
        grad_outputs: gradients of the outputs; may be None for outputs of one element, where it is 1.
        retain_graph: keep what the graph saved; default: the value of `create_graph`.
        create_graph: record the computation of the gradients.
        only_inputs: without effect: other leaves than `inputs` get no gradients.
        allow_unused: give None for inputs that the outputs do not depend on, instead of an error; default: the value
            of `materialize_grads`.
        is_grads_batched: the first dimension of each of `grad_outputs` counts vectors, one gradient each; so has the
            result one. It is one run of the engine, under `vmap`.
        materialize_grads: give zeros instead of None.

    Raises:
        RuntimeError: an input was not used, or one of the errors of `backward`.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 3.0], requires_grad=True)
        >>> sg.autograd.grad(x**2, x, sg.eye(2), is_grads_batched=True)
        (tensor([[2., 0.],
                [0., 6.]]),)
    """
    if not only_inputs:
        warn_user(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use specgrad.autograd.backward.",
            FutureWarning,
        )
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "grad(): Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    roots = as_tuple("grad", "outputs", outputs)
    requested = as_tuple("grad", "inputs", inputs)
    if not requested:
        raise GraphError("grad(): `inputs` argument to `grad()` cannot be empty.")
    edges = [root_edge("grad", t, i) for i, t in enumerate(roots)]
    alone = grad_outputs is None and len(roots) == 1 and not (is_grads_batched or registered.leaf_hooks)
    grads = None if alone else initial_gradients("grad", roots, grad_outputs, is_grads_batched)
    targets = [input_edge("grad", t) for t in requested]
    retain = create_graph if retain_graph is None else retain_graph
    results = _captured_at_once(roots[0], edges, targets, bool(retain), bool(create_graph)) if alone else None
    if results is None:
        grads = initial_gradients("grad", roots, None) if grads is None else grads
        run_pass = _mapped if is_grads_batched else _captured
        results = run_pass(edges, grads, targets, retain, create_graph)
    if allow_unused is None:
        allow_unused = materialize_grads
    if any(result is None for result in results):
        batch = tuple(grads[0]._shape[:1]) if grads and is_grads_batched else ()
        for i, constant in enumerate(are_constant(edges, targets)):
            if results[i] is None and constant:
                results[i] = _constant(requested[i], edges, batch, create_graph)
            if results[i] is None:
                results[i] = _unused(i, requested[i], allow_unused, materialize_grads)
    return tuple(results)


def _constant(requested: Any, roots: list[Any], batch: tuple[int, ...], create: bool) -> Any:
    shape, dtype, device = _meta_and_device(requested)
    if shape is None:
        return None
    zeros = zeros_of(((*batch, *shape), dtype), device)
    return connected(zeros, roots) if create and not mode.inference else zeros


def _captured_at_once(root: Any, edges: list[Any], targets: list[Any], retain: bool, create: bool) -> Any:
    """`_captured` by native code; None where this is not for it."""
    capture = Capture(targets, edges, accumulate=False)
    if watch.passes or not capture.is_requested(edges[0]) or starter()(root, retain, create, capture) is None:
        return None
    return [capture.grad_at(target) for target in targets]


def _captured(edges: list[Any], grads: list[Any], targets: list[Any], retain: bool, create: bool) -> list[Any]:
    capture = Capture(targets, edges, accumulate=False)
    run(edges, grads, retain, create, capture)
    return [capture.grad_at(target) for target in targets]


def _mapped(edges: list[Any], grads: list[Any], targets: list[Any], retain: bool, create: bool) -> list[Any]:
    """The gradients at the targets for each vector of a batch of gradients, by one pass under `vmap`."""
    has_grad: list[bool] = []

    def captured(*one: Any) -> tuple[Any, ...]:
        results = _captured(edges, list(one), targets, retain, create)
        has_grad.extend(result is not None for result in results)
        return tuple([result for result in results if result is not None])

    value = iter(extension("vmap")(captured)(*grads))
    return [next(value) if there else None for there in has_grad]


def _unused(index: int, requested: Any, allow_unused: bool, materialize: bool) -> Any:
    if not allow_unused:
        raise GraphError(
            f"grad(): The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior."
        )
    if materialize and is_edge(requested):
        raise GraphError("grad(): materialize_grads cannot be used when the given input is a GradientEdge")
    return zeros_like(requested) if materialize else None
