"""Argument checks of inverses, linear systems, determinants and decompositions: matrices of floats that fit."""

from typing import Any

from ...dispatch.kernel_ops.general import require_equal
from ...errors import ShapeError, UnsupportedDtypeError
from ...shapes import broadcast_shapes


def require_floating(op: str, *tensors: Any) -> None:
    for x in tensors:
        if x.dtype.kind not in "fc":
            raise UnsupportedDtypeError(
                f"{op}(): Expected a floating point or complex tensor as input. Got {x.dtype!r}"
            )
    require_equal(op, tensors)


def require_matrix(op: str, name: str, x: Any) -> None:
    if x.ndim < 2:
        raise ShapeError(
            f"{op}(): The input tensor {name} must have at least 2 dimensions, got shape {list(x._shape)}."
        )


def require_square(op: str, name: str, x: Any) -> None:
    require_matrix(op, name, x)
    if x._shape[-1] != x._shape[-2]:
        raise ShapeError(
            f"{op}(): {name} must be batches of square matrices, but they are {x._shape[-2]} by {x._shape[-1]} matrices"
        )


def matrices_of(op: str, A: Any, *rest: Any) -> tuple[Any, ...]:
    """Matrices of floats: the last two dimensions."""
    require_floating(op, A)
    require_matrix(op, "A", A)
    return A, *rest


def matrices_with_limits(op: str, self: Any, *limits: Any) -> tuple[Any, ...]:
    """Matrices of floats, and limits for each of them."""
    require_floating(op, self)
    require_matrix(op, "self", self)
    for limit in limits:
        if limit._shape != self._shape[:-2]:
            raise ShapeError(
                f"{op}(): expected limits for matrices of shape {list(self._shape)}, but got {list(limit._shape)}"
            )
    return self, *limits


def square(op: str, A: Any, *rest: Any) -> tuple[Any, ...]:
    """Square matrices of floats: the last two dimensions."""
    require_floating(op, A)
    require_square(op, "A", A)
    return A, *rest


def solve(op: str, A: Any, B: Any, left: bool, *rest: Any) -> tuple[Any, ...]:
    """Square matrices, and right-hand sides of as many rows, or columns if not `left`; batches broadcast."""
    require_floating(op, A, B)
    require_square(op, "A", A)
    if not B.ndim:
        raise ShapeError(f"{op}(): The input tensor B must have at least 1 dimension.")
    vector = B.ndim == 1 or (A.ndim - 1 == B.ndim and tuple(B._shape) == tuple(A._shape[:-1]))
    if vector and not left:
        raise RuntimeError(f"{op}(): Vector broadcasting of the left hand side is not supported for left=False.")
    rows = B._shape[-1 if vector or not left else -2]
    if rows != A._shape[-1]:
        raise ShapeError(
            f"{op}(): Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({list(A._shape)} and {list(B._shape)})"
        )
    if B.ndim == 1:
        return A, B.expand((*A._shape[:-2], B._shape[0])) if A.ndim > 2 else B, left, *rest
    broadcast_shapes(op, A._shape[:-2], B._shape[: -1 if vector else -2])
    return A, B, left, *rest


def eigen(op: str, self: Any) -> tuple[Any, ...]:
    """Square matrices of floats that have complex numbers of their precision: not those of 16 bits."""
    square(op, self)
    if self.dtype.itemsize == 2:
        raise UnsupportedDtypeError(f"{op}(): Low precision dtypes not supported. Got {self.dtype!r}")
    return (self,)


def power(op: str, self: Any, n: int) -> tuple[Any, ...]:
    """Square matrices, of floats where n is negative."""
    if n < 0:
        require_floating(op, self)
    require_square(op, "A", self)
    return self, n


def _require_system(op: str, name: str, A: Any, B: Any) -> None:
    require_floating(op, A, B)
    require_square(op, name, A)
    require_matrix(op, "B", B)


def systems(op: str, A: Any, B: Any, *rest: Any) -> tuple[Any, ...]:
    """Square matrices A and matrices B of as many rows, in batches of one shape."""
    _require_system(op, "A", A, B)
    if (*A._shape[:-2], A._shape[-1]) != tuple(B._shape[:-1]):
        raise ShapeError(f"{op}(): Incompatible shapes of A and B: {list(A._shape)} and {list(B._shape)}")
    return A, B, *rest


def solve_triangular(op: str, self: Any, B: Any, upper: bool, left: bool, unitriangular: bool) -> tuple[Any, ...]:
    """Square matrices, and matrices of as many rows, or columns if not `left`; batches broadcast."""
    _require_system(op, "A", self, B)
    if B._shape[-2 if left else -1] != self._shape[-1]:
        raise ShapeError(
            f"{op}(): Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({list(self._shape)} and {list(B._shape)})"
        )
    broadcast_shapes(op, self._shape[:-2], B._shape[:-2])
    return self, B, upper, left, unitriangular


def triangular_solve_deprecated(
    op: str, self: Any, A: Any, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[Any, ...]:
    """Matrices B, and square matrices A of as many rows; batches broadcast."""
    for name, matrix in (("b", self), ("A", A)):
        if matrix.ndim < 2:
            raise ShapeError(f"{op}(): Expected {name} to have at least 2 dimensions, but it has {matrix.ndim}")
    solve_triangular(op, A, self, upper, True, unitriangular)
    return self, A, upper, transpose, unitriangular


def cholesky_solve(op: str, self: Any, input2: Any, upper: bool) -> tuple[Any, ...]:
    """Matrices B and square factors of as many rows; batches broadcast."""
    _require_system(op, "L", input2, self)
    if self._shape[-2] != input2._shape[-1]:
        raise ShapeError(
            f"{op}(): Incompatible matrix sizes: each A matrix is {input2._shape[-1]} by {input2._shape[-1]} but each "
            f"b matrix is {self._shape[-2]} by {self._shape[-1]}"
        )
    broadcast_shapes(op, self._shape[:-2], input2._shape[:-2])
    return self, input2, upper


def eigenvalues(op: str, self: Any, UPLO: str) -> tuple[Any, ...]:
    """Square matrices of floats; UPLO is "L" or "U"."""
    square(op, self)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"{op}(): Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return self, UPLO.upper()


def qr(op: str, A: Any, mode: str) -> tuple[Any, ...]:
    """Matrices of floats; the mode is "reduced", "complete" or "r"."""
    matrices_of(op, A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"{op}(): received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return A, mode


def svd(op: str, A: Any, *rest: Any) -> tuple[Any, ...]:
    """Matrices of floats; the last argument, a driver, is for CUDA."""
    if rest[-1] is not None:
        raise RuntimeError(f"{op}(): keyword argument `driver=` is only supported on CUDA inputs, got {rest[-1]!r}")
    return *matrices_of(op, A), *rest


def ormqr(op: str, self: Any, input2: Any, input3: Any, left: bool, transpose: bool) -> tuple[Any, ...]:
    """Matrices of as many dimensions each; the side of `input3` that meets Q is as long as the columns of `input`."""
    require_floating(op, self, input2, input3)
    for name, value in (("input", self), ("input3", input3)):
        require_matrix(op, name, value)
    side = -2 if left else -1
    if input3.ndim != self.ndim or input3._shape[side] != self._shape[-2]:
        raise ShapeError(
            f"{op}(): input3.shape[{side}] must be equal to input.shape[-2], and both have as many dimensions, but got "
            f"shapes {list(input3._shape)} and {list(self._shape)}"
        )
    if input2._shape != (*self._shape[:-2], min(self._shape[-2:])):
        raise ShapeError(
            f"{op}(): input2.shape[-1] must be equal to min(input3.shape[{side}], input.shape[-1]), its batch that of "
            f"input, but got shapes {list(input2._shape)} and {list(self._shape)}"
        )
    return self, input2, input3, left, transpose


def lu(op: str, A: Any, pivot: bool, *rest: Any) -> tuple[Any, ...]:
    """Matrices of floats; rows are always exchanged, as on every CPU."""
    matrices_of(op, A)
    if not pivot:
        raise RuntimeError(f"{op}(): LU without pivoting is not implemented on the CPU: got pivot=False")
    return A, pivot, *rest


def lu_solve(op: str, LU: Any, pivots: Any, B: Any, *rest: Any) -> tuple[Any, ...]:
    """Square packed factors with their exchanges, and matrices whose rows (or columns, by `left`) are as many."""
    _require_system(op, "LU", LU, B)
    _require_pivots(op, LU, pivots)
    left = rest[0] if rest else True
    if B._shape[-2 if left else -1] != LU._shape[-1]:
        raise ShapeError(f"{op}(): Incompatible shapes of LU and B: {list(LU._shape)} and {list(B._shape)}")
    batch = broadcast_shapes(op, LU._shape[:-2], B._shape[:-2])
    return LU, pivots, B.expand((*batch, *B._shape[-2:])), *rest


def _require_pivots(op: str, factors: Any, pivots: Any) -> None:
    """Integers, one for each row or column of each matrix."""
    if pivots.dtype.kind != "i":
        raise RuntimeError(f"{op}(): Expected pivots to be integers. Got {pivots.dtype!r}")
    if tuple(pivots._shape) != (*factors._shape[:-2], min(factors._shape[-2:])):
        raise ShapeError(
            f"{op}(): Number of pivots per batch should be same as the dimension of the matrix: got pivots with shape "
            f"{list(pivots._shape)} for matrices of shape {list(factors._shape)}"
        )


def old_lu_solve(op: str, self: Any, LU_data: Any, LU_pivots: Any) -> tuple[Any, ...]:
    """Matrices B, and square packed factors of as many rows with their exchanges."""
    LU_data, LU_pivots, self = lu_solve(op, LU_data, LU_pivots, self)
    return self, LU_data, LU_pivots


def lu_unpack(op: str, LU_data: Any, LU_pivots: Any, unpack_data: bool, unpack_pivots: bool) -> tuple[Any, ...]:
    """Packed factors with their exchanges."""
    matrices_of(op, LU_data)
    if unpack_pivots:
        _require_pivots(op, LU_data, LU_pivots)
    return LU_data, LU_pivots, unpack_data, unpack_pivots


def ldl_solve(op: str, LD: Any, pivots: Any, B: Any, hermitian: bool) -> tuple[Any, ...]:
    """Square packed factors with their exchanges, and matrices of as many rows; batches broadcast."""
    _require_system(op, "LD", LD, B)
    if B._shape[-2] != LD._shape[-1]:
        raise ShapeError(f"{op}(): Incompatible matrix sizes of LD and B: {list(LD._shape)} and {list(B._shape)}")
    _require_pivots(op, LD, pivots)
    broadcast_shapes(op, LD._shape[:-2], B._shape[:-2])
    return LD, pivots, B, hermitian
