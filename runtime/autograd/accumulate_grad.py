"""Accumulation of gradients in the `.grad` of leaves, and `AccumulateGrad`, the node that stands for a leaf.

Several threads may run backward over one leaf. Between a check whether `leaf._grad` is None and the assignment that
follows nothing is called, so that no other thread runs there; what is added is added under a lock. The engine adds
without a node: one is made when `next_functions` or a gradient edge is asked for, and kept while somebody has it."""

import weakref
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..compiler.jit import jit
from ..device.device import CPU
from ..errors import GraphError, ShapeError
from ..kernels.cpu.contiguous_copy import copied
from ..locks import new_lock
from ..tensor.grad_mode import mode
from ..tensor.layouts import is_dense
from ..tensor.memory import empty
from ..tensor.memory_format import contiguous_format, strided
from ..tensor.observers import watch
from ..tensor.tensor import alias, from_flat
from .copy_slices import shown
from .hooks import RemovableHandle, leaf_hooks
from .node import LEAF, Node, inspection, output_at
from .view_history import NOWHERE

COPY_ELEMENTS_THRESHOLD = 1 << 14  # elements, from which an op copies sooner than NumPy
adding = new_lock()
_begin, _end = adding.acquire, adding.release  # a with statement takes three times as long


def accumulate(leaf: Any, grad: Any, owned: bool, create: bool) -> None:
    """Add to `leaf.grad`: the gradient itself where nobody else can hold it, else a copy laid out like the leaf."""
    if not leaf._requires_grad:
        return  # switched off since it was used
    if leaf._grad_fn is not None:
        if leaf.is_leaf:
            return
        raise GraphError(
            "backward(): leaf variable has been moved into the graph interior: a tensor that was detached or a view "
            "when it was used has been written to since, and a gradient for what it was has nowhere to go"
        )
    if grad._device is not leaf._device:
        raise GraphError(
            f"backward(): invalid gradient for a leaf of shape {list(leaf._shape)} - expected device {leaf._device} "
            f"but got {grad._device}"
        )
    if leaf._grad is None:
        if grad._shape != leaf._shape:
            grad, owned = expand_to_leaf(leaf, grad), False
        if create or not owned or grad._flat is None or leaf._flat is None or grad._base is not None:
            grad = with_layout_of(leaf, grad) if create else copy_for(leaf, grad)
        if leaf._grad is None:  # no other thread has come first meanwhile
            leaf._grad = grad
            return
    _begin()
    try:
        if leaf._grad.layout is not strided:
            leaf._grad = leaf._grad + grad
        elif create:
            total = leaf._grad + grad
            leaf._grad = total if leaf._flat is not None else with_layout_of(leaf, total)
        else:
            add_to(leaf._grad, grad)
    finally:
        _end()


def all_different(grads: Sequence[Any]) -> bool:
    if len(grads) == 2:
        return grads[0] is not grads[1]
    args = [id(grad) for grad in grads if grad is not None]
    return len(set(args)) == len(args)


def expand_to_leaf(leaf: Any, grad: Any) -> Any:
    """A leaf may have got another shape since it was used, to which the gradient broadcasts."""
    try:
        return grad.expand(leaf._shape)
    except RuntimeError:
        raise ShapeError(
            f"backward(): the size of the gradient {list(grad._shape)} must match the size of its leaf "
            f"{list(leaf._shape)}, which has another shape than when it was used"
        ) from None


def copy_for(leaf: Any, grad: Any) -> Any:
    if grad.layout is not strided:
        return grad.detach().clone()
    if leaf._flat is None:
        return with_layout_of(leaf, grad.detach())
    if grad._device is not CPU or leaf._flat.size >= COPY_ELEMENTS_THRESHOLD:
        own = grad.detach()
        return own.contiguous() if grad._flat is None else own.clone(memory_format=contiguous_format)
    flat = copied(grad.array).ravel() if grad._flat is None else grad._flat.copy()
    return from_flat(flat, leaf._shape, grad._dtype)


def with_layout_of(leaf: Any, grad: Any) -> Any:
    """A copy of a gradient with the strides of its leaf where those leave no gaps, else contiguous."""
    if leaf._flat is not None or leaf.layout is not strided or not is_dense(leaf._shape, leaf.stride()):
        return grad.clone(memory_format=contiguous_format)
    count = leaf.numel()
    blank = from_flat(empty(count, grad._dtype.np, grad._device), (count,), grad._dtype)
    return alias(blank, leaf._shape, leaf.stride(), 0).copy_(grad)


def add_to(held: Any, grad: Any) -> None:
    """held += grad, without the in-place op's checks where both are plain arrays of one dtype."""
    total = held._flat
    if total is None or not held._dtype.native or held._shape != grad._shape or held._device is not CPU:
        held.add_(grad)
        return
    part = grad._flat
    if grad.layout is not strided:
        held.add_(grad)
        return
    if part is None or grad._dtype is not held._dtype:
        part = grad.to(held._dtype).contiguous()._flat
    if add_into(total, part):
        held._bump_version("backward")
    else:
        held.add_(grad)  # broadcasts, or says what is wrong


@jit(nogil=False)  # letting go of the interpreter and taking it again costs more than most gradients
def add_into(total: np.ndarray, part: np.ndarray) -> bool:
    if total.size != part.size:
        return False
    add_each(total, part)
    return True


@jit
def add_each(total: np.ndarray, part: np.ndarray) -> None:
    for i in range(total.size):
        total[i] += part[i]


LAST = 2**64 - 1  # the sequence number that PyTorch gives to these nodes

_alive: "weakref.WeakValueDictionary[int, AccumulateGrad]" = weakref.WeakValueDictionary()  # by the id of the leaf
_making = new_lock()


class AccumulateGrad(Node):
    """Adds to `variable.grad`. Its hooks run as those of other nodes, and are gone when it is."""

    __slots__ = ("variable",)
    op_name = "AccumulateGrad"

    def __init__(self, variable: Any) -> None:
        self.variable = variable
        self.edges = ()
        self.hooks = self.metas = None
        self.sequence = LAST

    def apply(self, grad: Any) -> tuple[Any, ...]:
        accumulate(self.variable, grad, False, bool(mode.grad))
        return ()

    def register_hook(self, hook: Any) -> RemovableHandle:
        leaf_hooks(self.variable).accumulator = weakref.ref(self)
        return super().register_hook(hook)

    def register_prehook(self, hook: Any) -> RemovableHandle:
        leaf_hooks(self.variable).accumulator = weakref.ref(self)
        return super().register_prehook(hook)


class Seen(tuple[Any, ...]):
    """The edges of a node after `next_functions` was read: they keep its AccumulateGrad nodes alive."""

    ends: list[AccumulateGrad]


def next_functions(node: Node) -> tuple[tuple[Any, int], ...]:
    result = tuple([next_function(edge) for edge in node.edges])
    ends = [end for end, _ in result if type(end) is AccumulateGrad]
    if ends:
        seen = Seen(node.edges)
        seen.ends = ends
        node.edges = seen
    return result


inspection.next_functions = next_functions


def next_function(edge: Any) -> tuple[Any, int]:
    edge = shown(edge)
    if edge is None or edge is NOWHERE:
        return (None, 0)
    if edge.edge_kind == LEAF:
        with _making:
            node = _alive.get(id(edge))
            if node is None:
                node = _alive[id(edge)] = AccumulateGrad(edge)
            return (node, 0)
    return output_at(edge)


def forget_gradients(leaves: Iterable[Any], set_to_none: bool) -> None:
    if not set_to_none:
        zero_gradients(leaves)
        return
    for leaf in leaves:
        leaf.grad = None


def zero_gradients(leaves: Iterable[Any]) -> None:
    """They stay the same tensors, and leave the graph. RuntimeError: one is a view that has a place in the graph."""
    batched = []
    for leaf in leaves:
        grad = leaf.grad
        if grad is None:
            continue
        if grad.grad_fn is None:
            grad._requiring_grad(False)
        else:
            grad.detach_()
        if grad.is_cuda and can_batch_update(grad):
            batched.append(grad)
        else:
            grad.zero_()
    if batched:
        from ..kernels.cuda_launch.multi_tensor import fill_all  # loaded with the first device

        fill_all([grad._flat for grad in batched], 0.0)
        for grad in batched:
            grad._bump_version("zero_")


def can_batch_update(tensor: Any) -> bool:
    """A launch over several tensors of a device can change this one, and nobody watches ops."""
    from ..kernels.cuda_launch.multi_tensor import fits_index32

    plain = tensor._flat is not None and tensor._dtype.kind in "fc" and not watch.active
    return plain and fits_index32(tensor.numel())
