"""NestedTensor: tensors that differ in one size, kept as one tensor in which they lie behind each other."""

import itertools
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, NoReturn

from ...generated.tensor import Tensor
from ...runtime.errors import ArgumentError
from ...runtime.ops.creation.from_data import tensor
from ...runtime.tensor.memory_format import jagged
from ...runtime.tensor.overrides import DisableTorchFunctionSubclass

_numbers = itertools.count(1)


class NestedSize(int):
    """The size that parts differ in, `j1`: it equals itself alone, and is at least as large as any number."""

    number: int

    def __new__(cls) -> "NestedSize":
        made = super().__new__(cls, -1)
        made.number = next(_numbers)
        return made

    def __repr__(self) -> str:
        return f"j{self.number}"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NestedSize) and other.number == self.number

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(("nested", self.number))

    def __ge__(self, other: int) -> bool:
        return True

    def __gt__(self, other: int) -> bool:
        return self != other

    def __lt__(self, other: int) -> bool:
        return False

    def __le__(self, other: int) -> bool:
        return self == other


class Ragged:
    """Where parts begin and end along the packed dimension; tensors that were computed of each other share it.

    Args:
        lengths: the number of elements of each part.
    """

    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths = tuple(lengths)
        self.starts = (0, *itertools.accumulate(self.lengths))
        self.size = NestedSize()

    def __len__(self) -> int:
        return len(self.lengths)


class NestedTensor(Tensor):
    """Tensors that differ in the size of one dimension.

    Ops on it are the ops on its parts: element-wise ones, and those along dimensions that all parts have the same size
    in, run once on all elements; others run on each part. Gradients pass to the tensor that holds the elements.

    Example:
        >>> x = sg.nested.nested_tensor([sg.ones(2, 3), sg.ones(4, 3)], layout=sg.jagged)
        >>> x.sum(1)
        tensor([[2., 2., 2.],
                [4., 4., 4.]])
    """

    _packed: Any
    _ragged: Ragged
    _ragged_dim: int
    is_nested = True
    layout: Any = jagged

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise ArgumentError("NestedTensor(): call nested.nested_tensor() or nested.nested_tensor_from_jagged()")

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        answer: Any = import_module(f"{__package__}.dispatch").answer  # which knows this class

        return answer(func, args, kwargs or {})

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        sizes = ", ".join(map(str, self._sizes))
        node = f", grad_fn={self._packed.grad_fn!r}" if self._packed.grad_fn is not None else ""
        requires = ", requires_grad=True" * (self._packed.requires_grad and not node)
        ragged_first = self._ragged_dim == 1
        return f"NestedTensor(size=({sizes}), offsets={self.offsets()}, contiguous={ragged_first}{node}{requires})"

    @property
    def _sizes(self) -> tuple[int, ...]:
        sizes = list(self._packed.shape)
        sizes[self._ragged_dim - 1] = self._ragged.size
        return (len(self._ragged), *sizes)

    def values(self) -> Any:
        """The tensor that holds the elements of all parts, one part behind the other."""
        return self._packed

    def offsets(self) -> Any:
        """Where the parts begin, and where the last one ends."""
        with DisableTorchFunctionSubclass():
            return tensor(list(self._ragged.starts), device=self._packed.device)

    def lengths(self) -> None:
        """None: parts lie without gaps."""
        return None

    def parts(self) -> list[Any]:
        """The parts, as views of the elements."""
        pairs = zip(self._ragged.starts, self._ragged.lengths, strict=False)
        return [self._packed.narrow(self._ragged_dim - 1, start, length) for start, length in pairs]

    def to_padded_tensor(self, padding: float, output_size: Sequence[int] | None = None) -> Any:
        """One tensor of all parts, of sizes `output_size` or those of the longest, with `padding` behind others."""
        rules: Any = import_module(f"{__package__}.rules")
        return rules.to_padded_tensor(self, padding, output_size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts())

    def __len__(self) -> int:
        return len(self._ragged)


def pack(packed: Any, ragged: Ragged, ragged_dim: int = 1) -> NestedTensor:
    """The nested tensor of what dimension `ragged_dim - 1` of `packed` holds, cut into parts as `ragged` says."""
    with DisableTorchFunctionSubclass():
        made: NestedTensor = packed.detach().as_subclass(NestedTensor)
    made.__dict__.update(_packed=packed, _ragged=ragged, _ragged_dim=ragged_dim)
    return made
