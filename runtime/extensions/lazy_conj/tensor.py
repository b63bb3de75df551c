"""Marked tensors: views whose elements are the conjugates or negatives of those in memory.

A marked tensor has the slots of any view, but its class hides the memory: who looks for it there finds none, as with
sparse tensors. So native code, plans and kernels leave a call to Python, where `dispatch.py` answers. Its base is no
marked tensor.
"""

from typing import Any

import numpy as np

from ...tensor.observers import LayoutHandlers
from ...tensor.overrides import disabled, never_plain
from ...tensor.tensor import TensorBase, alias, tensor_class
from .dispatch import answer
from .memory import lazy_view, like, relaid, resolved, store, stored, values_of


def _of_stored(name: str) -> Any:
    return lambda tensor, *args, **kwargs: getattr(stored(tensor), name)(*args, **kwargs)


def _of_values(name: str) -> Any:
    return lambda tensor, *args, **kwargs: store(tensor, getattr(values_of(tensor), name)(*args, **kwargs))


class LazyConjMethods(TensorBase):
    __slots__ = ()
    lazy_conj: bool = True
    conjugated: bool
    negated: bool
    is_leaf: bool
    grad: Any
    __torch_function__ = disabled

    _flat = property(lambda self: None)
    _array = property(lambda self: None)
    _storage = property(lambda self: object())  # that of no other tensor

    @property
    def array(self) -> Any:
        """Nobody may write to it: that would reach no other tensor."""
        result = values_of(self).array
        if result.__class__ is np.ndarray:
            result.flags.writeable = False
        return result

    data_ptr, untyped_storage, storage = map(_of_stored, ("data_ptr", "untyped_storage", "storage"))
    is_shared, is_pinned = map(_of_stored, ("is_shared", "is_pinned"))
    apply_, map_, map2_ = map(_of_values, ("apply_", "map_", "map2_"))
    _typed_storage = storage

    def is_contiguous(self, memory_format: Any = None) -> bool:
        return stored(self).is_contiguous(*(() if memory_format is None else (memory_format,)))

    def contiguous(self, memory_format: Any = None) -> Any:
        value = () if memory_format is None else (memory_format,)
        return self if self.is_contiguous(*value) else resolved(self).contiguous(*value)

    def share_memory_(self) -> Any:
        stored(self).share_memory_()
        return self

    def is_set_to(self, tensor: Any) -> bool:
        same_marks = (self.conjugated, self.negated) == (tensor.conjugated, tensor.negated)
        return same_marks and bool(stored(self).is_set_to(stored(tensor)))

    def aliased(self, shape: Any, strides: Any, offset: int) -> Any:
        return like(self, alias(stored(self), shape, strides, offset))

    @property
    def data(self) -> Any:
        return super().data  # type: ignore[misc]

    @data.setter
    def data(self, value: Any) -> None:
        lazy_view(self, self.conjugated, self.negated).data = value

    def numpy(self, *, force: bool = False) -> Any:
        if force:
            return values_of(self).numpy(force=True)
        word, bit = ("conj", "conjugate") if self.conjugated else ("neg", "negative")
        instead = f"Use tensor.resolve_{word}().numpy() instead."
        raise RuntimeError(f"Can't call numpy() on Tensor that has {bit} bit set. {instead}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.numpy()

    def __dlpack__(self, **kwargs: Any) -> Any:
        if self.conjugated:
            raise BufferError("Can't export tensors with the conjugate bit set")
        return resolved(self).__dlpack__(**kwargs)

    def resize_(self, *sizes: Any, memory_format: Any = None) -> Any:
        value = {} if memory_format is None else {"memory_format": memory_format}
        return relaid(self, lambda tensor: tensor.resize_(*sizes, **value))

    def set_(self, *args: Any, **kwargs: Any) -> Any:
        return relaid(self, lambda tensor: tensor.set_(*args, **kwargs))

    def _without_attributes(self, memo: dict[int, Any]) -> Any:
        return values_of(self)._requiring_grad(self._requires_grad)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild, (stored(self), self.conjugated, self.negated, self._requires_grad, self.__dict__)


def classes_by_marks() -> dict[tuple[bool, bool], Any]:
    """Made on first use, when it is known what class tensors have. From then on calls are answered."""
    plain = tensor_class()
    results = {(False, False): plain}
    for name, *marks in (("Conjugate", True, False), ("Negative", False, True), ("NegativeConjugate", True, True)):
        body = {"__slots__": (), "conjugated": marks[0], "negated": marks[1], "__module__": plain.__module__}
        results[marks[0], marks[1]] = lazy_conj = type(name, (LazyConjMethods, plain), body)
        never_plain(lazy_conj)
    LayoutHandlers.answers = (answer, *LayoutHandlers.answers)  # before others, who know no marks
    return results


def rebuild(plain: Any, conjugated: bool, negated: bool, requires_grad: bool, attributes: dict[str, Any]) -> Any:
    result = lazy_view(like(plain, plain), conjugated, negated)._requiring_grad(requires_grad)
    result.__dict__.update(attributes)
    return result
