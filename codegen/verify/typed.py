"""A call of an op with its tensors in dtypes of our choice: what shows how an op promotes, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from specgrad.runtime.tensor import dtypes
from specgrad.runtime.tensor.base import TensorBase, share
from specgrad.runtime.tensor.casting import cast

from .samples import Drawing, Drawn, call_texts


class TypedCall:
    """One of an op's calls. Its `tensors` are given when it is called; masks and indices stay as they are drawn."""

    def __init__(self, op: Any, text: str) -> None:
        self.op = op
        self.text = text
        self.inputs = tuple(op.inputs)  # the arguments that require gradients
        self.arguments = Drawing(op, text, False, dtypes).arguments(text)
        found = [drawn for drawn in self._drawn() if not drawn.real]
        floats = [drawn for drawn in found if drawn.array.dtype.kind in "fc"]
        self.tensors = floats or [drawn for drawn in found if drawn.array.dtype.kind == "i" and "int" in op.dtypes]

    def _drawn(self) -> Iterator[Drawn]:
        for value in self.arguments.values():
            yield from (item for item in _items(value) if isinstance(item, Drawn))

    def values(self, kinds: Sequence[Any]) -> list[np.ndarray]:
        """The numbers that the tensors hold in these dtypes, of which the last stands for all that follow."""
        padded = [*kinds, *[kinds[-1]] * len(self.tensors)]
        return [in_dtype(drawn.array, kind) for drawn, kind in zip(self.tensors, padded, strict=False)]

    @property
    def scalars(self) -> list[str]:
        """The arguments that are numbers of Python and take part in promotion: of this call, or left at defaults."""
        found = []
        for name, type_, *_ in self.op.arguments:
            own = "self" if name == "input" else name
            value = self.arguments.get(own, 0 if type_ == "Scalar" and self.op.kind == "elementwise" else None)
            if type_.rstrip("?") in ("Scalar", "Operand") and isinstance(value, int | float):
                found.append(own)
        return found

    def leaves(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        """Tensors of such numbers; those with a gradient require it."""
        with_gradient = [id(item) for name in self.inputs for item in _items(self.arguments.get(name))]
        return [_tensor(a, id(drawn) in with_gradient) for drawn, a in zip(self.tensors, arrays, strict=True)]

    def outputs(self, arrays: Sequence[np.ndarray], others: Mapping[str, Any] | None = None) -> list[Any]:
        """What the op gives for tensors of such numbers. `others` stand for arguments."""
        return self.given(self.leaves(arrays), others)

    def given(self, tensors: Sequence[Any], others: Mapping[str, Any] | None = None) -> list[Any]:
        """What the op gives for such tensors."""
        places = {id(drawn): tensor for drawn, tensor in zip(self.tensors, tensors, strict=True)}

        def passed(value: Any) -> Any:
            if isinstance(value, list):
                return [passed(item) for item in value]
            if not isinstance(value, Drawn):
                return value
            return places[id(value)] if id(value) in places else _tensor(value.array, False)

        arguments = {name: passed(value) for name, value in (self.arguments | dict(others or {})).items()}
        if "(a!)" in self.op.schema.partition("->")[0]:  # a leaf is not written to
            arguments["self"] = arguments["self"].detach()
        with np.errstate(all="ignore"):
            found = self.op.function(**{("input" if name == "self" else name): v for name, v in arguments.items()})
        return [found] if isinstance(found, TensorBase) else list(found)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _tensor(array: np.ndarray, has_gradient: bool) -> Any:
    tensor = share(array.copy(order="K"))  # as it lies
    return tensor.requires_grad_(has_gradient and tensor._dtype.kind in "fc")


def typed_calls(op: Any) -> list[TypedCall]:
    """The calls of an op without a dtype of their own, those with the most tensors first."""
    calls = [TypedCall(op, text) for text in call_texts(op)]
    plain = [call for call in calls if not any(isinstance(v, dtypes.dtype) for v in call.arguments.values())]
    return sorted(plain, key=lambda call: -len(call.tensors))


def in_dtype(array: np.ndarray, kind: Any) -> np.ndarray:
    """Numbers such as those of an array in another dtype: integers away from 0, complex ones with two parts."""
    if kind.kind == "b":
        return np.asarray(array > 0)
    if kind.kind == "i":
        whole = np.asarray(np.where(array > 0, np.ceil(array), np.floor(array)))
        return cast(whole if kind.is_signed else np.abs(whole), kind.np)
    if kind.kind == "c":
        return np.asarray(array + 0.5j * array).astype(kind.np)
    return cast(array, kind.np)
