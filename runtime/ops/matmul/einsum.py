"""Products that are called with any number of tensors, or with lists of dimensions."""

from collections.abc import Sequence
from typing import Any

from ...autograd.inplace import write_out
from ...dispatch import argument_checks
from ...namespace import op
from ...tensor.overrides import shown
from ...tensor.tensor import TensorBase, host_array

_LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def einsum(*args: Any) -> Any:
    """The product of tensors, summed over all dimensions whose letter is not in the result: Einstein's notation.

    `einsum("ij,jk->ik", a, b)` is the matrix product. A letter that a tensor has twice is its diagonal; "..." is
    any number of dimensions, which broadcast. Without "->" the result has the letters that occur once, sorted. More
    than two tensors are multiplied in the order that takes the fewest multiplications.

    Args:
        *args: the equation, then the tensors, one by one or as a list; or each tensor followed by the list of its
            subscripts, integers below 52 or `...`, and perhaps at last those of the result.

    Raises:
        RuntimeError: subscripts and dimensions do not fit, or the dtypes differ.
        ValueError: there is no tensor, or a subscript out of range.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> sg.einsum("ij,j->i", x, sg.tensor([1.0, 10.0]))
        tensor([21., 43.])
        >>> sg.einsum("ii", x)
        tensor(5.)
        >>> sg.einsum(x, [0, 1], [1, 0])
        tensor([[1., 3.],
                [2., 4.]])
    """
    if len(args) < 2:
        raise ValueError(f"einsum(): must specify the equation string and at least one operand, got {len(args)} values")
    equation, operands = (args[0], args[1:]) if not isinstance(args[0], TensorBase) else _from_lists(args)
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    return op.einsum(equation, list(operands))


def _one_by_one(args: Any) -> Any:
    """The arguments of einsum with the tensors of a list one by one, as PyTorch shows them."""
    listed = len(args) == 2 and isinstance(args[0], str) and isinstance(args[1], (list, tuple))
    return (args[0], *args[1]) if listed else args


shown[einsum] = _one_by_one


def _from_lists(args: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    equation = ",".join(map(_labels, args[1::2]))
    if len(args) % 2:
        return f"{','.join(map(_labels, args[1:-1:2]))}->{_labels(args[-1])}", args[:-1:2]
    return equation, args[::2]


def _labels(subscripts: Any) -> str:
    if not isinstance(subscripts, (list, tuple)):
        raise TypeError(f"einsum(): expected a list of subscripts behind each operand, got {type(subscripts).__name__}")
    return "".join("..." if number is Ellipsis else _label(number) for number in subscripts)


def _label(number: Any) -> str:
    number = argument_checks.integer("einsum", "subscript", number)
    if not 0 <= number < len(_LABELS):
        raise ValueError(
            f"einsum(): subscript in subscript list is not within the valid range [0, {len(_LABELS)}): {number}"
        )
    return _LABELS[number]


def tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> Any:
    """sum over pairs of dimensions of a b; the other dimensions of `a`, then those of `b` are left.

    Args:
        a, b: tensors of one dtype.
        dims: two lists of dimensions, those of `a` and those of `b`; or a number n: the last n of `a` and the first n
            of `b`.
        out: tensor that takes the result.

    Raises:
        RuntimeError: the sizes of a pair differ, or there are not so many dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.tensordot(sg.ones(2, 3, 4), sg.ones(4, 3), dims=([1, 2], [1, 0]))
        tensor([12., 12.])
    """
    a, b = argument_checks.tensor("tensordot", "a", a), argument_checks.tensor("tensordot", "b", b)
    dims = host_array(dims).tolist() if isinstance(dims, TensorBase) else dims
    if isinstance(dims, (list, tuple)):
        if len(dims) != 2:
            raise RuntimeError(f"tensordot(): expected dims to be two lists of dimensions, got {len(dims)}")
        ours, theirs = (argument_checks.integer_list("tensordot", "dims", one, 1) for one in dims)
    else:
        count = argument_checks.integer("tensordot", "dims", dims)
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise RuntimeError(
                f"tensordot(): expects dims >= 0 and at most the numbers of dimensions, {a.ndim} and {b.ndim}, but got "
                f"dims={count}"
            )
        ours, theirs = tuple(range(a.ndim - count, a.ndim)), tuple(range(count))
    result = op.tensordot(a, b, ours, theirs)
    return result if out is None else write_out("tensordot", out, result)


def chain_matmul(*matrices: Any, out: Any = None) -> Any:
    """The product of matrices in the cheapest order: linalg.multi_dot.

    Args:
        *matrices: matrices of one dtype, or one list of them.
        out: tensor that takes the result.

    Raises:
        RuntimeError: the matrices do not multiply.

    Example:
        >>> import specgrad as sg
        >>> sg.chain_matmul(sg.ones(2, 3), sg.ones(3, 4), sg.ones(4, 1))
        tensor([[12.],
                [12.]])
    """
    factors = matrices[0] if len(matrices) == 1 and isinstance(matrices[0], (list, tuple)) else matrices
    factors = argument_checks.tensor_list("chain_matmul", "matrices", list(factors))
    if len(factors) == 1:
        return factors[0]
    result = op.linalg_multi_dot(factors)
    return result if out is None else write_out("chain_matmul", out, result)
