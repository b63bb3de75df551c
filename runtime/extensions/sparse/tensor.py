"""SparseTensor: a pattern, which says where elements stand, and values. In the graph it is a tensor as any other."""

import copy
import functools
from typing import Any

from ...dispatch import argument_checks
from ...tensor.memory_format import layout as Layout
from ...tensor.memory_format import sparse_coo, sparse_csr
from ...tensor.observers import LayoutHandlers
from ...tensor.overrides import disabled, never_plain
from ...tensor.tensor import TensorBase, tensor_class, without_memory
from .dispatch import answer, replace
from .pattern import Pattern

NO_STORAGE = "Cannot access storage of a sparse tensor: it has indices and values, use to_dense() for its elements"


def _storage(tensor: Any) -> Any:
    raise NotImplementedError(NO_STORAGE)


class SparseMethods(TensorBase):
    __slots__ = ()
    has_pattern = True
    pattern: Pattern
    elements: Any  # the values, outside the graph
    grad: Any
    is_leaf: bool
    _new_sparse: Any  # methods of `Tensor` that make sparse tensors: they know this module
    _resize_sparse_as: Any
    __torch_function__ = disabled

    _flat = property(lambda self: None)
    _storage = property(_storage)

    @property
    def array(self) -> Any:
        """Refused: there is no memory that holds all elements."""
        raise NotImplementedError(NO_STORAGE)

    @property
    def layout(self) -> Layout:
        return self.pattern.layout

    @property
    def is_sparse(self) -> bool:
        return self.pattern.layout is sparse_coo

    @property
    def is_sparse_csr(self) -> bool:
        return self.pattern.layout is sparse_csr

    def stride(self, dim: int | None = None) -> Any:
        """Zeros with coordinates, refused for compressed layouts: there are no steps in memory."""
        if not self.is_sparse:
            raise RuntimeError("Sparse CSR tensors do not have strides")
        return (0,) * len(self._shape) if dim is None else 0

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Whether the elements lie in row-major order without gaps: they do not."""
        return False

    def contiguous(self, memory_format: Any = None) -> Any:
        """Refused: there is no order of memory."""
        raise RuntimeError("contiguous(): expected a strided tensor, but got a sparse one: use to_dense()")

    def data_ptr(self) -> int:
        """Refused: there is no memory that holds all elements."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def numpy(self, *, force: bool = False) -> Any:
        """Refused: NumPy has no sparse arrays."""
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def tolist(self) -> Any:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage: use to_dense() first")

    def item(self) -> Any:
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.elements.sum().item()

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.item())

    def type(self, dtype: Any = None, non_blocking: Any = False) -> Any:
        """The elements as `dtype`; without it the name of the tensor's type."""
        if dtype is not None:
            return super().type(dtype, non_blocking)  # type: ignore[misc]
        package, _, name = self.elements.type().rpartition(".")
        return f"{package}.sparse.{name}"

    def new(self, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        """A tensor of this dtype with coordinates: of indices, values and perhaps a size, or of a size."""
        return super().new(*args, device=device, **kwargs) if kwargs else self._new_sparse(args, device)  # type: ignore[misc]

    def resize_as_(self, the_template: Any, *, memory_format: Any = None) -> Any:
        """The size of another tensor, for a tensor without values."""
        argument_checks.optional_memory_format("resize_as_", "memory_format", memory_format)
        return self._resize_sparse_as(argument_checks.tensor("resize_as_", "the_template", the_template))

    def detach(self) -> Any:
        return made(self.pattern, self.elements)

    @property
    def data(self) -> Any:
        """A tensor over the same values outside the graph; assigning replaces pattern and values."""
        return self.detach()

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, SparseMethods):
            raise RuntimeError("data: incompatible tensor type: expected a sparse tensor")
        replace(self, value)

    def share_memory_(self) -> Any:
        for tensor in (*self.pattern.index, self.elements):
            tensor.share_memory_()
        return self

    def __repr__(self) -> str:
        from .printing import to_repr  # few sparse tensors are printed

        return to_repr(self)

    def _without_attributes(self, memo: dict[int, Any]) -> Any:
        return rebuild(self.pattern.parts(), copy.deepcopy(self.elements, memo), self._requires_grad)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild, (self.pattern.parts(), self.elements, self._requires_grad)


@functools.cache
def sparse_class() -> Any:
    """The class, made on first use: only then is it known what class tensors have. From then on calls are answered."""
    result = type("SparseTensor", (SparseMethods, tensor_class()), {"__slots__": ("elements", "pattern")})
    never_plain(result)
    LayoutHandlers.answers = (*LayoutHandlers.answers, answer)
    return result


def made(pattern: Pattern, elements: Any) -> Any:
    t = without_memory(sparse_class(), pattern.shape, elements._dtype, elements._device)
    t.pattern, t.elements = pattern, elements.detach() if elements._requires_grad else elements
    return t


def rebuild(parts: tuple[Any, ...], elements: Any, requires_grad: bool) -> Any:
    return made(Pattern(*parts), elements)._requiring_grad(requires_grad)
