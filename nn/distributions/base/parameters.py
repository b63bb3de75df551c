"""What distributions do with parameters: broadcasting, probabilities and their logits, values found when asked."""

import math
from collections.abc import Callable, Sequence
from functools import update_wrapper
from numbers import Number
from operator import attrgetter
from typing import Any, Generic, TypeVar, overload

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.methods.argument_guard import guard_module
from ....runtime.ops.creation import arange, randn, tensor
from ....runtime.ops.shape.broadcast import broadcast_tensors
from ....runtime.tensor.dtypes import finfo, get_default_dtype
from ....runtime.tensor.grad_mode import enable_grad

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

euler_constant = 0.57721566490153286060  # Euler's, also known as gamma

Checked = TypeVar("Checked")


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Parameters as tensors of one shape.

    Numbers become tensors of the first tensor's dtype and device; without tensors, of the default dtype.

    Args:
        values: numbers and tensors.

    Raises: ValueError: a value that is neither.

    Example:
        >>> sg.distributions.utils.broadcast_all(sg.zeros(2), 1.0)
        (tensor([0., 0.]), tensor([1., 1.]))
    """
    if not all(isinstance(value, (Tensor, Number)) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    first = next((value for value in values if isinstance(value, Tensor)), None)
    if first is None:
        options: dict[str, Any] = {"dtype": get_default_dtype()}
    else:
        options = {"dtype": first.dtype, "device": first.device}
    tensors = (value if isinstance(value, Tensor) else tensor(value, **options) for value in values)
    return tuple(broadcast_tensors(*tensors))


def _standard_normal(shape: Sequence[int], dtype: Any, device: Any) -> Tensor:
    return randn(tuple(shape), dtype=dtype, device=device)


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    return value if dim == 0 else value.flatten(-dim).sum(-1)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities of logits: log odds of events, or log probabilities that need not be normalised.

    Args:
        logits: any numbers.
        is_binary: whether each stands for an event of its own, and not the last dimension for classes.

    Example:
        >>> sg.distributions.utils.logits_to_probs(sg.tensor([0.0, 0.0]))
        tensor([0.5000, 0.5000])
    """
    return ops.sigmoid(logits) if is_binary else ops.softmax(logits, -1)


def product(factor: Tensor, log: Tensor) -> Tensor:
    """factor log, and 0 where the factor is 0 and the logarithm infinite."""
    return (factor * log).masked_fill((factor == 0) & log.isinf(), 0)


def logit_limit(kind: Any) -> float:
    """Up to which logits, of either sign, probabilities are normal numbers."""
    return -math.log(finfo(kind).tiny)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities that differ from zero and one by a rounding error at least, so that they have logits.

    Args:
        probs: probabilities.

    Example:
        >>> sg.distributions.utils.clamp_probs(sg.tensor([0.0, 0.5]))
        tensor([1.1921e-07, 5.0000e-01])
    """
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits of probabilities: the inverse of `logits_to_probs`; finite, as the probabilities are clamped.

    Args:
        probs: probabilities.
        is_binary: whether each is that of an event of its own, and not the last dimension one of classes.

    Example:
        >>> sg.distributions.utils.probs_to_logits(sg.tensor([0.5, 1.0]), is_binary=True)
        tensor([ 0.0000, 15.9424])
    """
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


class lazy_property(Generic[Checked]):
    """A property that is computed when first asked for, and then kept in its place; in the graph, whatever the mode.

    Args:
        wrapped: the property's function.

    Example:
        >>> class Square:
        ...     def __init__(self, side):
        ...         self.side = side
        ...     @sg.distributions.utils.lazy_property
        ...     def area(self):
        ...         print("computed")
        ...         return self.side**2
        >>> square = Square(2)
        >>> square.area + square.area
        computed
        8
    """

    def __init__(self, wrapped: Callable[[Any], Checked]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    @overload
    def __get__(self, instance: None, owner: Any = None) -> "_lazy_property_and_property": ...

    @overload
    def __get__(self, instance: object, owner: Any = None) -> Checked: ...

    def __get__(self, instance: object | None, owner: Any = None) -> "Checked | _lazy_property_and_property":
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(lazy_property[Any], property):
    """What a class shows of its lazy property: one of the properties, too, for programs that look for those."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        property.__init__(self, wrapped)


class _Derived(property):
    def __init__(self, formula: Callable[[Any], Any], doc: str | None = None) -> None:
        super().__init__(formula)
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        if self.__doc__ is None:
            self.__doc__ = getattr(getattr(super(owner, owner), name, None), "__doc__", None)


def derived(formula: Callable[[Any], Any], doc: str | None = None) -> Any:
    """A property that is a formula of others; its docstring is that of the base class when left out."""
    return _Derived(formula, doc)


def alias(path: str, doc: str | None = None) -> Any:
    """A property that is another attribute, named by its path from `self`."""
    return _Derived(attrgetter(path), doc)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The entries of lower triangles, row after row.

    Args:
        mat: square matrices, (..., n, n).
        diag: the last diagonal that counts, as in `tril`.

    Raises: ValueError: a diagonal that the matrices do not have.

    Example:
        >>> sg.distributions.utils.tril_matrix_to_vec(sg.tensor([[1, 0], [2, 3]]))
        tensor([1, 2, 3])
    """
    size = mat.shape[-1]
    if diag < -size or diag >= size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    rows = arange(size, device=mat.device)
    return mat[..., rows < rows.view(-1, 1) + (diag + 1)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Lower triangular matrices of their entries, row after row: the inverse of `tril_matrix_to_vec`.

    Args:
        vec: the entries, (..., D).
        diag: the last diagonal that has entries, as in `tril`.

    Raises: ValueError: a number of entries that no square matrix has there.

    Example:
        >>> sg.distributions.utils.vec_to_tril_matrix(sg.tensor([1, 2, 3]))
        tensor([[1, 0],
                [2, 3]])
    """
    size = _rows(vec.shape[-1], diag)
    rows = arange(size, device=vec.device)
    matrices = vec.new_zeros((*vec.shape[:-1], size, size))
    matrices[..., rows < rows.view(-1, 1) + (diag + 1)] = vec
    return matrices


def _rows(entries: int, diag: int) -> int:
    """The n for which an (n, n) matrix has so many entries up to a diagonal, from a quadratic equation.

    For diag <= 0 these are m (m + 1) / 2 with m = n + diag; for others all n^2 but k (k - 1) / 2 with k = n - diag.
    """
    discriminant = 8 * entries + (1 + 2 * diag) ** 2 + 4 * abs(diag) * (diag + 1)
    root = math.isqrt(discriminant)
    if root * root != discriminant or (root - 1) % 2:
        raise ValueError(
            f"The size of last dimension is {entries} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    return (root - 1 - 2 * diag) // 2


guard_module(__name__)
