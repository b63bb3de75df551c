"""BatchedTensor: what a function under `vmap` sees in place of a tensor, one example of a batch.

It shows the shape of one example; its `value` holds the whole batch, in front. Everything about memory and gradients is
the value's: graphs are recorded, and tangents kept, on whole batches, so both modes of differentiation work below vmap.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.forward_mode import below
from ...namespace import op
from ...tensor.overrides import disabled
from ...tensor.tensor import TensorBase, tensor_class
from .dims import is_running, running_levels, vmap_level

ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor, or reading its memory. We don't support vmap over calling "
    ".item() on a Tensor, please try to rewrite what you're doing with other operations: one example of a batch has no "
    "values of its own while the function runs for all of them at once"
)
CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. All examples of a "
    "batch take the same way through a function: use where() to choose between values"
)
ESCAPED = (
    "vmap: your tensor may have escaped from inside a function being vmapped: it is one example of a batch, and the "
    "vmap that it belongs to is not running. Return what is needed outside from the function"
)


def refusal(level: int, why: str) -> RuntimeError:
    return RuntimeError(why if is_running(level) else ESCAPED)


def _of_value(name: str) -> property:
    return property(lambda self: getattr(self.value, name), lambda self, new: setattr(self.value, name, new), doc=name)


def _new_of_size(name: str) -> Any:
    def method(self: BatchedMethods, *size: Any, **kwargs: Any) -> Any:
        sizes = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
        return self._new(name, sizes, **kwargs)

    return method


def _storage_of(example: Any) -> Any:
    """The whole batch's storage, which tells what memory is shared; kernels for ordinary tensors must not read it."""
    if not is_running(example.level):
        raise RuntimeError(ESCAPED)
    return example.value._storage


class BatchedMethods(TensorBase):
    """The members of BatchedTensor that differ from those of a tensor; its slots are computed from the value's."""

    __slots__ = ()
    value: Any
    level: int
    __torch_function__ = disabled

    _vmap_level = property(lambda self: self.level)
    _flat = property(lambda self: None)
    _array = property(lambda self: None)
    _shape = property(lambda self: self.value._shape[1:])
    _strides = property(lambda self: self.value.stride()[1:])
    _tangent = property(lambda self: None)
    _storage = property(_storage_of)
    _offset, _dtype, _device = map(_of_value, ("_offset", "_dtype", "_device"))
    _requires_grad, _grad_fn, _base = map(_of_value, ("_requires_grad", "_grad_fn", "_base"))
    _version_counter, _views, _hooks = map(_of_value, ("_version_counter", "_views", "_hooks"))
    _made = _of_value("_made")

    @property
    def _grad(self) -> Any:
        result = self.value._grad
        return None if result is None else wrap(result, self.level)

    @_grad.setter
    def _grad(self, new: Any) -> None:
        self.value._grad = None if new is None else batch_first(new, self.level, self.value._shape[0])

    @property
    def array(self) -> Any:
        raise refusal(self.level, ITEM)

    def __bool__(self) -> bool:
        raise refusal(self.level, CONTROL_FLOW)

    def is_contiguous(self, memory_format: Any = None) -> bool:
        return self.value.is_contiguous()

    def contiguous(self, memory_format: Any = None) -> Any:
        return self if self.is_contiguous() else op.contiguous_copy(self)

    def detach(self) -> Any:
        return wrap(self.value.detach(), self.level)

    @property
    def data(self) -> Any:
        return wrap(self.value.data, self.level)

    def resize_(self, *sizes: Any, **kwargs: Any) -> Any:
        raise refusal(self.level, "vmap: resize_() is not supported: the examples of a batch share memory")

    resize_as_ = resize_

    def register_hook(self, hook: Any) -> Any:
        return self.value.register_hook(of_batch(hook, self.value._shape[0]))

    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        return self.value.register_post_accumulate_grad_hook(of_batch(hook, self.value._shape[0]))

    def retain_grad(self) -> None:
        self.value.retain_grad()

    def _new(self, name: str, size: Sequence[int], *args: Any, **kwargs: Any) -> Any:
        return wrap(getattr(self.value, name)((self.value._shape[0], *size), *args, **kwargs), self.level)

    new_zeros, new_ones, new_empty = map(_new_of_size, ("new_zeros", "new_ones", "new_empty"))

    def new_full(self, size: Sequence[int], fill_value: Any, **kwargs: Any) -> Any:
        return self._new("new_full", size, fill_value, **kwargs)

    def _with_tangent(self, tangent: Any, level: int) -> Any:
        tangent = batch_first(tangent, self.level, self.value._shape[0])
        return wrap(self.value._with_tangent(tangent, level), self.level)

    def _split_dual(self, level: int) -> Any:
        halves = self.value._split_dual(level)
        return type(halves)(*[None if half is None else wrap(half, self.level) for half in halves])

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise NotImplementedError("vmap: an example of a batch has no memory to copy: use clone()")

    def __repr__(self) -> str:
        depth = sum(level.number <= self.level for level in running_levels())
        return f"BatchedTensor(lvl={depth}, bdim=0, value=\n    {self.value!r}\n)"


def of_batch(function: Callable[[Any], Any], size: int) -> Callable[[Any], Any]:
    """A function of an example as one of whole batches, in a vmap of its own: hooks run when theirs may be over."""

    def called(batch: Any) -> Any:
        with vmap_level(size, "error") as level:
            result = function(wrap(batch, level))
            return None if result is None else batch_first(result, level, size)

    return called


@functools.cache
def batched_class() -> Any:
    """The class, made on first use: only then is it known what class tensors have."""
    return type("BatchedTensor", (BatchedMethods, tensor_class()), {"__slots__": ("level", "value")})


def wrap(value: Any, level: int) -> Any:
    """One example of a batch; the batch is the first dimension of `value`. The innermost level stays outermost here."""
    if level_of(value) > level:
        return wrap(wrap(value.value.transpose(0, 1), level), value.level)
    t = object.__new__(batched_class())
    t.value, t.level = value, level
    return t


def level_of(value: Any) -> int:
    return value.level if isinstance(value, BatchedMethods) else 0


def batch_first(tensor: Any, level: int, size: int) -> Any:
    """The tensor with the examples of a level as its first dimension; the same for all where it is not batched."""
    own = level_of(tensor)
    if own == level:
        return tensor.value
    if own > level:  # batched again further in: that batch stays, inside this one
        return wrap(batch_first(tensor.value, level, size).transpose(0, 1), own)
    return repeated(tensor, level, size)


def repeated(tensor: Any, level: int, size: int) -> Any:
    """A tensor that is the same for all examples, repeated for each; tangents that differ between them stay so."""
    own = level_of(tensor)
    if own:
        return wrap(repeated(tensor.value, level, size).transpose(0, 1), own)
    tangents = tensor._tangent
    if tangents is None or all(level_of(t) < level for t in tangents.values()):
        return tensor.expand((size, *tensor._shape))
    result = below(tensor, -1).expand((size, *tensor._shape))
    result._tangent = {outer: batch_first(t, level, size) for outer, t in tangents.items()}
    return result
