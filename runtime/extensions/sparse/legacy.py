"""Classes of sparse tensors of older programs (`sparse.FloatTensor(indices, values, size)`), functions of before
`specgrad.sparse`, and its switch for checks.
"""

from typing import Any

from ...errors import ArgumentError, type_name
from ...namespace import OWN, op
from ...shapes import Size
from ...tensor.memory_format import sparse_coo
from ...tensor.tensor import TensorBase
from ...unknown_names import no_attribute
from ..storage.legacy_constructors import TYPES, NamedType
from .create import constructed, coo_pattern
from .graph import of


class SparseTensorType(NamedType):
    """One makes tensors by coordinates of a dtype on a kind of device, and tells them apart by isinstance.

    Example:
        >>> import specgrad as sg
        >>> sg.sparse.FloatTensor(sg.tensor([[0, 1], [1, 0]]), sg.tensor([1.0, 2.0]), (2, 3)).to_dense()
        tensor([[0., 1., 0.],
                [2., 0., 0.]])
    """

    is_sparse = True
    layout = sparse_coo
    package, title = "sparse", "Sparse tensors"

    def __call__(cls, *data: Any, device: Any = None) -> Any:
        device_type = cls.device_type if device is None else device
        is_sized = all(type(size) is int for size in data) or (len(data) == 1 and isinstance(data[0], Size))
        if not is_sized and (len(data) not in (2, 3) or not all(isinstance(part, TensorBase) for part in data[:2])):
            value = ", ".join(map(type_name, data))
            message = f"{cls.__name__}() takes sizes, or indices, values and perhaps a size, but got ({value})"
            raise ArgumentError(message)
        return constructed(cls.__name__, cls.dtype, data, device_type)

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) and instance.layout is sparse_coo


_NAMES = [name for name in TYPES if not name.startswith(("Bool", "Complex"))]
SPARSE_TYPES = {name: SparseTensorType(name, TYPES[name].dtype) for name in _NAMES}
CUDA_SPARSE_TYPES = {name: SparseTensorType(name, TYPES[name].dtype, "cuda") for name in _NAMES}


def named(name: str) -> Any:
    if name not in SPARSE_TYPES:
        raise no_attribute(f"{OWN}.sparse", name)
    return SPARSE_TYPES[name]


def cuda_named(name: str) -> Any:
    """The class of a name on CUDA devices, for a module's `__getattr__`."""
    if name not in CUDA_SPARSE_TYPES:
        raise no_attribute(f"{OWN}.cuda.sparse", name)
    return CUDA_SPARSE_TYPES[name]


def spmm(input: Any, mat2: Any) -> Any:
    """The product of a sparse matrix and a strided one: `mm`.

    Args:
        input, mat2: the matrices.
    """
    return op.mm(input, mat2)


dsmm = spmm  # which operand is sparse, and whether the product is to be, was a part of the name
hsmm = spmm


def smm(input: Any, mat: Any) -> Any:
    """The product of a sparse matrix and a strided one, as a sparse matrix.

    Args:
        input, mat: the matrices.
    """
    return op.mm(input, mat).to_sparse()


def hspmm(mat1: Any, mat2: Any) -> Any:
    """The product of a sparse matrix and a strided one, of which the rows that have values are kept.

    Args:
        mat1, mat2: the matrices.
    """
    rows = op.unique(mat1.coalesce().indices()[0])
    result = op.mm(mat1, mat2)
    return of(coo_pattern(rows.unsqueeze(0), result[rows], tuple(result.shape), True), result[rows])


def sspaddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta x + alpha A B of a sparse matrix x, a sparse matrix A and a strided one, as a sparse matrix.

    Args:
        input: what is added; other arguments as of `sparse.addmm`.
    """
    return op.add(input * beta, op.mm(mat1, mat2).to_sparse() * alpha)


class check_sparse_tensor_invariants:
    """Whether indices are checked when a sparse tensor is made: they always are, so this only keeps what is asked for.

    Args:
        enable: whether they are inside of the block.

    Example:
        >>> import specgrad as sg
        >>> with sg.sparse.check_sparse_tensor_invariants():
        ...     sg.sparse.check_sparse_tensor_invariants.is_enabled()
        True
    """

    _enabled = False

    def __init__(self, enable: bool = True) -> None:
        if not isinstance(enable, bool):
            raise ArgumentError(f"check_sparse_tensor_invariants: expected a bool, but got {enable!r}")
        self._enable, self._before = enable, False

    @staticmethod
    def is_enabled() -> bool:
        """What was asked for last."""
        return check_sparse_tensor_invariants._enabled

    @staticmethod
    def enable() -> None:
        """Ask for checks."""
        check_sparse_tensor_invariants._enabled = True

    @staticmethod
    def disable() -> None:
        """Ask for none; indices are checked all the same."""
        check_sparse_tensor_invariants._enabled = False

    def __enter__(self) -> None:
        cls = check_sparse_tensor_invariants
        self._before, cls._enabled = cls._enabled, self._enable

    def __exit__(self, *_: object) -> None:
        check_sparse_tensor_invariants._enabled = self._before
