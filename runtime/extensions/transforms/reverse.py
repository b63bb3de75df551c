"""Reverse-mode transforms: grad, grad_and_value, vjp and jacrev. They work on whole batches: an input that a running
vmap has in a batch, or shares, is differentiated as the batch, so that each example gets a gradient of its own, and the
graph holds ordinary tensors only.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.backward import grad as autograd_grad
from ...autograd.node import LEAF, OUTPUT
from ...autograd.saved_tensors import edge_of
from ...methods.argument_guard import explained
from ...namespace import op
from ...pytree import flatten, shown, tree_map, unflatten
from ...tensor.captured import newest, transform_call
from ...tensor.grad_mode import is_inference, mode, of_transform
from ...tensor.tensor import TensorBase
from ..vmap import vmap
from ..vmap.batched_tensor import batch_first, level_of, wrap
from ..vmap.dims import VmapLevel, running_levels
from .arguments import (
    basis_of,
    check_floating,
    check_input,
    check_outputs,
    check_real,
    check_scalar,
    chosen,
    handed_on,
    parted_jacobian,
    replaced,
    with_aux,
)


class Tracked:
    """Fresh inputs for one differentiated call: `examples` for the function, `batches` in the graph."""

    def __init__(self, name: str, inputs: Sequence[Any]) -> None:
        self.levels = running_levels()
        for value in inputs:
            check_input(name, value)
        self.batches = [self._tracked(value) for value in inputs]
        for batch in self.batches:  # the function may write to these, if not to the inputs
            batch._made = newest[0]
        self.examples = [self.as_example(batch) for batch in self.batches]

    def _tracked(self, value: Any) -> Any:
        """The whole batch of an input as a tensor of its own, which leads on to the input where that has a history."""
        batch = as_batch(value, self.levels)
        if batch._requires_grad and mode.grad:
            return batch.view_as(batch)
        return without_history(batch)._requiring_grad()

    def released(self, output: Any) -> Any:
        """An output as the caller gets it: without the part of its history that only leads to the inputs."""
        if not isinstance(output, TensorBase) or not output._requires_grad:
            return output
        if mode.grad and leads_beyond([as_batch(output, self.levels)], self.batches):
            return output
        return without_history(output)

    def finish(self) -> None:
        for batch in self.batches:
            batch.is_finished_input = True

    def as_example(self, batch: Any) -> Any:
        for level in self.levels:
            batch = wrap(batch, level.number)
        return batch

    def gradients(
        self, outputs: Sequence[Any], seeds: Sequence[Any], retain: bool, create: bool | None = None
    ) -> list[Any]:
        """The gradient of sum_i <seeds_i, outputs_i> for each input, zeros where it has no part in them.

        They are recorded (`create`; by default where anything is) if they can lead to something else than the inputs.
        """
        roots, value = [], []
        for output, seed in zip(outputs, seeds, strict=True):
            if output._requires_grad and seed is not None:
                roots.append(as_batch(output, self.levels))
                value.append(as_batch(seed, self.levels))
        if not roots:
            return [self.as_example(batch.new_zeros(batch.shape)) for batch in self.batches]
        requested = bool(mode.grad) if create is None else create
        create = requested and (any(s._requires_grad for s in value) or leads_beyond(roots, self.batches))
        result = autograd_grad(
            roots, self.batches, value, retain_graph=retain or create, create_graph=create, materialize_grads=True
        )
        return [self.as_example(gradient) for gradient in result]


def without_history(tensor: Any) -> Any:
    """A tensor over another's memory outside the graph, with its tangents."""
    if level_of(tensor):
        return wrap(without_history(tensor.value), tensor.level)
    plain = tensor.detach()
    if is_inference(plain):
        plain._version_counter = None  # to the transform it is a tensor as any other
    plain._tangent = tensor._tangent
    return plain


def as_batch(value: Any, levels: Sequence[VmapLevel]) -> Any:
    """The tensor with one dimension in front for each running vmap, the outermost first."""
    for level in reversed(levels):
        value = batch_first(value, level.number, level.size)
    return value


def leads_beyond(roots: Sequence[Any], targets: Sequence[Any]) -> bool:
    """Whether a graph leads also to something else than the targets: then gradients must be recorded in turn."""
    ends = [edge_of(target) for target in targets]
    stopping, leaves = {id(e) for e in ends}, {id(t) for t in targets}
    seen: set[int] = set()
    stack = [edge_of(root) for root in roots]
    while stack:
        edge = stack.pop()
        if edge is None or id(edge) in stopping:
            if edge is not None and edge.edge_kind != LEAF:
                return True  # a target with a history of its own
            continue
        if edge.edge_kind == LEAF:
            if edge._requires_grad and id(edge) not in leaves and not getattr(edge, "is_finished_input", False):
                return True
            continue
        node = edge.node if edge.edge_kind == OUTPUT else edge
        if id(node) not in seen:
            seen.add(id(node))
            stack.extend(node.edges)
    return False


Argnums = int | tuple[int, ...]
_GRAD, _VJP = "grad_and_value(f)(*args)", "vjp(f, *primals)"  # the calls, as messages show them


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that computes the gradient of `func`, which returns one number.

    Args:
        func: a function of tensors, or trees of them, to a tensor of one element; with has_aux to (it, anything else).
        argnums: which argument to differentiate with respect to, or several.
        has_aux: whether func returns a second value that is handed through.

    Returns:
        A function of the same arguments: the gradient with the structure of the argument (a tuple for several argnums),
        and with has_aux the pair of it and the second value.

    Raises:
        RuntimeError: func does not return one number.

    Example:
        >>> import specgrad as sg
        >>> sg.func.grad(lambda x: (x**3).sum())(sg.tensor([1.0, 2.0]))
        tensor([ 3., 12.])
        >>> sg.func.grad(sg.func.grad(sg.sin))(sg.tensor(0.0))
        tensor(-0.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        result, rest = both(*args, **kwargs)
        return (result, rest[1]) if has_aux else result

    return gradient


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that computes (gradient, value) of `func`, or (gradient, (value, aux)) with has_aux.

    Args:
        func: as of `grad`.
        argnums: as of `grad`.
        has_aux: as of `grad`.

    Example:
        >>> import specgrad as sg
        >>> sg.func.grad_and_value(sg.square)(sg.tensor(3.0))
        (tensor(6.), tensor(9.))
    """

    @functools.wraps(func)
    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = flatten(chosen("grad", args, argnums))
        with transform_call(handed_on(args, kwargs, leaves)):
            tracked = Tracked("grad", leaves)
            with of_transform():
                output = func(*replaced(args, argnums, unflatten(tracked.examples, spec)), **kwargs)
        value, aux = with_aux(_GRAD, output, has_aux)
        check_scalar(_GRAD, value)
        match = tracked.gradients([value], [op.ones_like(value)], retain=False)
        result = unflatten(match, spec), tracked.released(value)
        aux = tree_map(tracked.released, aux)
        tracked.finish()
        return (result[0], (result[1], aux)) if has_aux else result

    return gradient_and_value


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """(func(*primals), vjp_fn), where vjp_fn(v) is v^T J, the gradient of <v, func> at the primals.

    The function may be called several times, with `retain_graph=False` for the last time; its gradients can be
    differentiated in turn unless `create_graph=False`.

    Args:
        func: a function of tensors, or trees of them, to tensors.
        *primals: where it is evaluated.
        has_aux: whether func returns a second value that is handed through, as a third result.

    Returns:
        The output and the function of cotangents, which have the structure of the output; it returns a tuple with a
        tree for each primal.

    Raises:
        RuntimeError: func returns something else than tensors of floating point or complex dtype, or nothing.

    Example:
        >>> import specgrad as sg
        >>> output, vjp_fn = sg.func.vjp(sg.sin, sg.zeros(2))
        >>> vjp_fn(sg.tensor([1.0, 2.0]))
        (tensor([1., 2.]),)
    """
    leaves, spec = flatten(primals)
    with transform_call(()):
        tracked = Tracked("vjp", leaves)
        with of_transform():
            result = func(*unflatten(tracked.examples, spec))
    output, aux = with_aux(_VJP, result, has_aux)
    outputs, out_spec = flatten(output)
    check_outputs(_VJP, outputs)
    check_floating("vjp(f, ...)", outputs)

    @explained
    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        value, input_spec = flatten(cotangents)
        if input_spec != out_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {shown(input_spec)}, primal output: {shown(out_spec)}"
            )
        return unflatten(tracked.gradients(outputs, value, retain_graph, create_graph), spec)

    released = unflatten([tracked.released(o) for o in outputs], out_spec)
    aux = tree_map(tracked.released, aux)
    tracked.finish()
    return (released, vjp_fn, aux) if has_aux else (released, vjp_fn)


def jacrev(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None
) -> Callable[..., Any]:
    """A function that computes the Jacobian of `func` by reverse mode, all rows at once (`vmap` of `vjp`).

    Args:
        func: a function of tensors, or trees of them, to tensors.
        argnums: which argument to differentiate with respect to, or several.
        has_aux: whether func returns a second value that is handed through.
        chunk_size: at most so many rows at once, to save memory; all when None.

    Returns:
        A function of the same arguments: for each output and each argument d output / d argument, of shape
        (*output.shape, *argument.shape).

    Example:
        >>> import specgrad as sg
        >>> sg.func.jacrev(sg.square)(sg.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """

    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"jacrev: `chunk_size` should be greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        requested = chosen("jacrev", args, argnums)

        def partial(*value: Any) -> Any:
            return func(*replaced(args, argnums, value[0]), **kwargs)

        check_real("jacrev", "input", flatten(requested)[0])
        output, vjp_fn, *aux = vjp(partial, requested, has_aux=has_aux)
        outputs, out_spec = flatten(output)
        check_real("jacrev", "output", outputs)
        rows = vmap(lambda *units: vjp_fn(unflatten(units, out_spec))[0], chunk_size=chunk_size)(*basis_of(outputs))
        result = parted_jacobian(rows, outputs, out_spec)
        return (result, aux[0]) if has_aux else result

    return jacobian
