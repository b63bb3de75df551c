"""Argument checks of products of several tensors and of more than two dimensions: sizes that multiply."""

from collections.abc import Sequence
from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...dispatch.kernel_ops.general import require_equal
from ...errors import ShapeError
from .checks import require_expandable, require_integral, require_ndim
from .einsum_subscripts import parsed


def einsum(op: str, equation: str, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Tensors of one dtype, and an equation such as "ij,jk->ik" whose subscripts fit to their dimensions."""
    if not operands:
        raise ValueError(f"{op}(): must provide at least one operand")
    require_equal(op, operands)
    parsed(op, equation, tuple(tuple(x._shape) for x in operands))
    return equation, operands


def tensordot(op: str, self: Any, other: Any, dims_self: Sequence[int], dims_other: Sequence[int]) -> tuple[Any, ...]:
    """Tensors of one dtype; as many dimensions of one as of the other, in pairs of one size."""
    require_equal(op, (self, other))
    if len(dims_self) != len(dims_other):
        raise ShapeError(f"{op}(): both dimension lists should have same length, got {[*dims_self]}, {[*dims_other]}")
    ours = tuple(wrap_dim(op, d, self.ndim, False) for d in dims_self)
    theirs = tuple(wrap_dim(op, d, other.ndim, False) for d in dims_other)
    for name, dims in (("self", ours), ("other", theirs)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"{op}(): a dimension appears more than once in the list for {name}: {list(dims)}")
    for c, d in zip(ours, theirs, strict=True):
        if self._shape[c] != other._shape[d] and 1 not in (self._shape[c], other._shape[d]):
            raise ShapeError(
                f"{op}(): contracted dimensions need to match, but first has size {self._shape[c]} in dim {c} and "
                f"second has size {other._shape[d]} in dim {d}"
            )
    return self, other, ours, theirs


def inner(op: str, self: Any, other: Any) -> tuple[Any, ...]:
    """The last dimensions must match, unless one of the tensors is a single number."""
    if not (self.ndim and other.ndim):
        return self, other
    require_equal(op, (self, other))
    if self._shape[-1] != other._shape[-1]:
        raise ShapeError(
            f"{op}(): the last dimension must match on both input tensors but got shapes {list(self._shape)} and "
            f"{list(other._shape)}"
        )
    return self, other


def addr(op: str, self: Any, vec1: Any, vec2: Any, beta: Any, alpha: Any) -> tuple[Any, ...]:
    """Two vectors, and a first argument that broadcasts to their outer product."""
    require_ndim(op, "vec1", vec1, 1)
    require_ndim(op, "vec2", vec2, 1)
    require_expandable(op, self._shape, (*vec1._shape, *vec2._shape))
    for tensor in (self, vec1, vec2):
        if all(t.dtype.kind in "bi" for t in (self, vec1, vec2)):
            require_integral(op, tensor, beta=beta, alpha=alpha)
    return self, vec1, vec2, beta, alpha


def cross(op: str, self: Any, other: Any, dim: int | None) -> tuple[Any, ...]:
    """Wraps `dim`, along which both have 3 elements; without it, the first dimension of size 3. Equal ndim."""
    if self.ndim != other.ndim:
        raise ShapeError(
            f"{op}(): inputs must have the same number of dimensions, got shapes {list(self._shape)} and "
            f"{list(other._shape)}"
        )
    if dim is None:
        if 3 not in self._shape:
            raise RuntimeError(f"{op}(): no dimension of size 3 in input of shape {list(self._shape)}")
        dim = list(self._shape).index(3)
    axis = wrap_dim(op, dim, self.ndim)
    sizes = [x._shape[axis] if x.ndim else 1 for x in (self, other)]
    if sizes != [3, 3]:
        raise ShapeError(f"{op}(): inputs dimension {dim} must have length 3. Got {sizes[0]} and {sizes[1]}")
    return self, other, axis


def chain(op: str, tensors: Sequence[Any]) -> tuple[Any, ...]:
    """Two matrices or more that multiply, of one dtype; the first and the last may be vectors."""
    if len(tensors) < 2:
        raise RuntimeError(f"{op}(): expected at least 2 tensors but got {len(tensors)}")
    require_equal(op, tensors)
    for number, x in enumerate(tensors):
        ends = number in (0, len(tensors) - 1)
        if x.ndim != 2 and not (ends and x.ndim == 1):
            allowed = "1D or 2D" if ends else "2D"
            raise ShapeError(f"{op}(): tensor {number} must be {allowed} but got {x.ndim}D")
    for number, (a, b) in enumerate(zip(tensors, tensors[1:], strict=False)):
        if a._shape[-1] != b._shape[0]:
            raise ShapeError(
                f"{op}(): tensors {number} and {number + 1} with shapes {list(a._shape)} and {list(b._shape)} "
                "cannot be multiplied"
            )
    return (tuple(tensors),)


def last_powers(op: str, x: Any, N: int | None) -> tuple[Any, ...]:
    """Numbers, of which at least two powers are wanted; one number is a vector of one element."""
    if x.dtype.kind == "b":
        raise RuntimeError(f"{op}(): supports floating point, complex, and integer tensors, but got {x.dtype!r}")
    x = x if x.ndim else x.reshape([1])
    if (x._shape[-1] if N is None else N) < 2:
        raise RuntimeError(f"{op}(): N must be greater than 1, got {x._shape[-1] if N is None else N}")
    return x, N


def bilinear(op: str, input1: Any, input2: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
    """Batches of equal shape whose last sizes are those of the weight, (out, in1, in2); a bias of size out."""
    require_equal(op, (input1, input2, weight) if bias is None else (input1, input2, weight, bias))
    if weight.ndim != 3:
        raise ShapeError(f"{op}(): expected a weight of shape (out, in1, in2), got {list(weight._shape)}")
    if input1.ndim != input2.ndim or not input1.ndim:
        raise ShapeError(f"{op}(): input dimensions do not match: got {input1.ndim} and {input2.ndim}")
    for d, (m, n) in enumerate(zip(input1._shape[:-1], input2._shape[:-1], strict=True)):
        if m != n:
            raise ShapeError(f"{op}(): input batch dimensions do not match at dim {d}: got {m} and {n}")
    for number, x in ((1, input1), (2, input2)):
        if x._shape[-1] != weight._shape[number]:
            raise ShapeError(
                f"{op}(): input{number} size does not match weight size: got {x._shape[-1]} but expected "
                f"{weight._shape[number]}"
            )
    if bias is not None and tuple(bias._shape) != (weight._shape[0],):
        raise ShapeError(f"{op}(): bias size does not match weight size: got {list(bias._shape)}")
    return input1, input2, weight, bias


def vecdot(op: str, x: Any, y: Any, dim: int) -> tuple[Any, ...]:
    """Tensors of one dtype that broadcast; `dim` counts the dimensions of the result of that."""
    require_equal(op, (x, y))
    return x, y, wrap_dim(op, dim, max(x.ndim, y.ndim))
