"""Argument checks of matrix and vector products and linear layers: dimensions and sizes that multiply."""

from collections.abc import Sequence
from math import prod
from typing import Any

from ...dispatch.shape_rules import require_index_dtype
from ...errors import ShapeError
from ...tensor import dtypes


def require_ndim(op: str, name: str, tensor: Any, ndim: int) -> None:
    if tensor.ndim != ndim:
        kind = {1: "a vector", 2: "a matrix", 3: "a batch of matrices"}[ndim]
        raise ShapeError(
            f"{op}(): {name} must be {kind} ({ndim}-D), but got a {tensor.ndim}-D tensor of shape {list(tensor._shape)}"
        )


def _by(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))


def require_expandable(op: str, shape: Sequence[int], target: Sequence[int]) -> None:
    """`shape` must broadcast to exactly `target`."""
    short = len(target) - len(shape)
    if short < 0 or any(n not in (1, m) for n, m in zip(shape, target[short:], strict=True)):
        raise ShapeError(f"{op}(): expected input expandable to the product's shape {list(target)}, got {list(shape)}")


def require_integral(op: str, tensor: Any, **factors: Any) -> None:
    """Integer tensors take integer factors, and only complex ones take complex factors."""
    kind = tensor.dtype.kind
    for name, value in factors.items():
        if isinstance(value, complex) and kind != "c" or isinstance(value, float) and kind in "bi":
            result = type(value).__name__
            raise RuntimeError(
                f"{op}(): for {tensor.dtype} tensors, argument {name} must not be a {result}, got {value}"
            )


def mm(op: str, self: Any, mat2: Any) -> tuple[Any, ...]:
    """(n, k) x (k, m)."""
    if _fit(self._shape, mat2._shape):
        return self, mat2
    require_ndim(op, "self", self, 2)
    require_ndim(op, "mat2", mat2, 2)
    raise ShapeError(f"{op}(): mat1 and mat2 shapes cannot be multiplied ({_by(self._shape)} and {_by(mat2._shape)})")


def _fit(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether two matrices can be multiplied; shapes are unpacked because their items are slower to get."""
    if len(a) != 2 or len(b) != 2:
        return False
    (_, inner), (rows, _) = a, b
    return inner == rows


def bmm(op: str, self: Any, mat2: Any) -> tuple[Any, ...]:
    """(b, n, k) x (b, k, m)."""
    require_ndim(op, "batch1", self, 3)
    require_ndim(op, "batch2", mat2, 3)
    expected = [self._shape[0], self._shape[2]]
    if list(mat2._shape[:2]) != expected:
        raise ShapeError(
            f"{op}(): Expected size for first two dimensions of batch2 tensor to be: {expected} "
            f"but got: {list(mat2._shape[:2])}"
        )
    return self, mat2


def mv(op: str, self: Any, vec: Any) -> tuple[Any, ...]:
    """(n, k) x (k,)."""
    require_ndim(op, "mat", self, 2)
    require_ndim(op, "vec", vec, 1)
    if self._shape[1] != vec._shape[0]:
        raise ShapeError(f"{op}(): size mismatch, got mat ({_by(self._shape)}), vec ({_by(vec._shape)})")
    return self, vec


def dot(op: str, self: Any, tensor: Any) -> tuple[Any, ...]:
    """Two vectors of one length."""
    if self.ndim != 1 or tensor.ndim != 1:
        raise ShapeError(f"{op}(): 1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    if self._shape != tensor._shape:
        raise ShapeError(
            f"{op}(): inconsistent tensor size, expected tensor [{self._shape[0]}] and [{tensor._shape[0]}] "
            "to have the same number of elements"
        )
    return self, tensor


def outer(op: str, self: Any, vec2: Any) -> tuple[Any, ...]:
    """Two vectors."""
    for name, tensor in (("self", self), ("vec2", vec2)):
        if tensor.ndim != 1:
            raise ShapeError(f"{op}(): Expected 1-D argument {name}, but got {tensor.ndim}-D")
    return self, vec2


def matmul(op: str, self: Any, other: Any) -> tuple[Any, ...]:
    """Inner sizes must be equal; batch dimensions broadcast."""
    if _fit(self._shape, other._shape):
        return self, other
    if not self.ndim or not other.ndim:
        raise ShapeError(
            f"{op}(): both arguments to matmul need to be at least 1D, but they are {self.ndim}D and {other.ndim}D"
        )
    inner = other._shape[-2] if other.ndim > 1 else other._shape[0]
    if self._shape[-1] != inner:
        raise ShapeError(
            f"{op}(): mat1 and mat2 shapes cannot be multiplied ({_by(self._shape)} and {_by(other._shape)}): "
            f"inner sizes {self._shape[-1]} and {inner} differ"
        )
    return self, other


def addmm(op: str, self: Any, mat1: Any, mat2: Any, *factors: Any) -> tuple[Any, ...]:
    """A matrix product, and a first argument that broadcasts to it."""
    mm(op, mat1, mat2)
    _require_addend(op, self, mat1, (mat1._shape[0], mat2._shape[1]), *factors)
    return self, mat1, mat2, *factors


def baddbmm(op: str, self: Any, batch1: Any, batch2: Any, *factors: Any) -> tuple[Any, ...]:
    """A batch of products, and a first argument that broadcasts to it."""
    bmm(op, batch1, batch2)
    _require_addend(op, self, batch1, (*batch1._shape[:2], batch2._shape[2]), *factors)
    return self, batch1, batch2, *factors


def addbmm(op: str, self: Any, batch1: Any, batch2: Any, *factors: Any) -> tuple[Any, ...]:
    """A batch of products, and a first argument that broadcasts to their sum."""
    bmm(op, batch1, batch2)
    _require_addend(op, self, batch1, (batch1._shape[1], batch2._shape[2]), *factors)
    return self, batch1, batch2, *factors


def addmv(op: str, self: Any, mat: Any, vec: Any, *factors: Any) -> tuple[Any, ...]:
    """A matrix times a vector, and a first argument that broadcasts to it."""
    mv(op, mat, vec)
    _require_addend(op, self, mat, mat._shape[:1], *factors)
    return self, mat, vec, *factors


def _require_addend(op: str, addend: Any, factor: Any, shape: Sequence[int], beta: Any, alpha: Any) -> None:
    require_expandable(op, addend._shape, shape)
    require_integral(op, factor, beta=beta, alpha=alpha)


def linear(op: str, input: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
    """The last dimension of input must be that of weight, and bias must fit the other one."""
    x, w = input._shape, weight._shape
    if x and len(w) == 2 and x[-1] != w[-1]:
        sizes = f"{prod(x[:-1])}x{x[-1]} and {w[1]}x{w[0]}"
        raise ShapeError(
            f"{op}(): mat1 and mat2 shapes cannot be multiplied ({sizes}): expected input of shape [*, "
            f"in_features] and weight of shape [out_features, in_features], got {list(x)} and {list(w)}"
        )
    if not x or len(w) not in (1, 2) or x[-1] != w[-1]:
        raise ShapeError(
            f"{op}(): expected input of shape [*, in_features] and weight of shape [out_features, "
            f"in_features] or [in_features], got {list(x)} and {list(w)}"
        )
    if bias is not None and bias._shape != w[:-1]:
        raise ShapeError(f"{op}(): expected bias of shape {list(w[:-1])}, got {list(bias._shape)}")
    return input, weight, bias


def linear_weight_backward(op: str, grad_output: Any, input: Any) -> tuple[Any, ...]:
    """The leading dimensions must agree."""
    g, x = grad_output._shape, input._shape
    if not x or x[:-1] not in (g, g[:-1]):
        raise ShapeError(f"{op}(): the shapes {list(g)} and {list(x)} differ before the last dimension")
    return grad_output, input


def coordinate_mm(op: str, self: Any, row: Any, column: Any, count: int, mat2: Any) -> tuple[Any, ...]:
    """One row and one column for each number, and a matrix with a row for each column."""
    require_ndim(op, "mat2", mat2, 2)
    _require_coordinates(op, self._shape, row, column)
    if count < 0:
        raise ShapeError(f"{op}(): expected count >= 0, but got {count}")
    return self, row, column, count, mat2


def coordinate_sampled(op: str, self: Any, row: Any, mat2: Any, column: Any) -> tuple[Any, ...]:
    """Two matrices whose rows have one length, and a row of each for every result."""
    require_ndim(op, "self", self, 2)
    require_ndim(op, "mat2", mat2, 2)
    _require_coordinates(op, row._shape, row, column)
    if self._shape[1] != mat2._shape[1]:
        raise ShapeError(f"{op}(): expected rows of one length, but got {self._shape[1]} and {mat2._shape[1]}")
    return self, row, mat2, column


def _require_coordinates(op: str, shape: Sequence[int], row: Any, column: Any) -> None:
    for name, index in (("row", row), ("column", column)):
        require_index_dtype(op, name, index, (dtypes.int64,))
        if len(index._shape) != 1 or index._shape != shape:
            raise ShapeError(f"{op}(): expected {name} of shape {list(shape)}, but got {list(index._shape)}")
