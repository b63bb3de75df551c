"""`backward` and `grad`: one run of the engine on what they are given."""

from __future__ import annotations

from typing import Any

from ..dispatch.fast_path import starter
from ..errors import GraphError, warn_user
from ..extension_points import extension
from ..tensor.base import TensorBase
from .engine.arguments import as_tuple, initial, initial_gradients, input_edge, is_edge, root_edge, zeros_like
from .engine.inputs import Capture
from .engine.run import run
from .hooks.hooks import registered

Tensors = Any


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
    plain = grad_tensors is grad_variables is inputs is None and not create_graph
    if plain and not registered.leaf_hooks and starter()(tensors, bool(retain_graph), False, None) is not None:
        return
    if plain and isinstance(tensors, TensorBase):
        edge = root_edge("backward", tensors, 0)
        run([edge], [initial("backward", tensors, None)], bool(retain_graph), False)
        return
    if create_graph:
        _warn_of_cycles()
    roots = as_tuple("backward", "tensors", tensors)
    edges = [root_edge("backward", t, i) for i, t in enumerate(roots)]
    grads = initial_gradients(
        "backward", roots, _grad_tensors_arg(grad_tensors, grad_variables), argument="grad_tensors"
    )
    capture = None if inputs is None else Capture(_edges_of_inputs(inputs), edges, accumulate=True)
    run(edges, grads, create_graph if retain_graph is None else retain_graph, create_graph, capture)


def _grad_tensors_arg(grad_tensors: Tensors, grad_variables: Tensors) -> Tensors:
    if grad_variables is None:
        return grad_tensors
    warn_user("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
    if grad_tensors is not None:
        raise GraphError(
            "backward(): `grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
            "Please only use `grad_tensors`."
        )
    return grad_variables


def _edges_of_inputs(inputs: Tensors) -> list[Any]:
    requested = as_tuple("backward", "inputs", inputs)
    if not requested:
        raise GraphError("backward(): `inputs` argument to `backward()` cannot be empty.")
    for tensor in requested:
        if isinstance(tensor, TensorBase):
            tensor.retain_grad()  # type: ignore[attr-defined]  # for leaves it does nothing
    return [input_edge("backward", t) for t in requested]


def _warn_of_cycles() -> None:
    warn_user(
        "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
        "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
        "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break "
        "the cycle and avoid the leak."
    )


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
    return tuple(
        [
            _unused(i, requested[i], allow_unused, materialize_grads) if result is None else result
            for i, result in enumerate(results)
        ]
    )


def _captured_at_once(root: Any, edges: list[Any], targets: list[Any], retain: bool, create: bool) -> Any:
    """`_captured` by native code; None where this is not for it."""
    capture = Capture(targets, edges, accumulate=False)
    if not capture.is_requested(edges[0]) or starter()(root, retain, create, capture) is None:
        return None
    return [capture.found(target) for target in targets]


def _captured(edges: list[Any], grads: list[Any], targets: list[Any], retain: bool, create: bool) -> list[Any]:
    """The gradients at the targets; None where there is none."""
    capture = Capture(targets, edges, accumulate=False)
    run(edges, grads, retain, create, capture)
    return [capture.found(target) for target in targets]


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
    """The gradient of an input that the outputs do not depend on: an error, None or zeros."""
    if not allow_unused:
        raise GraphError(
            f"grad(): The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior."
        )
    if materialize and is_edge(requested):
        raise GraphError("grad(): materialize_grads cannot be used when the given input is a GradientEdge")
    return zeros_like(requested) if materialize else None
