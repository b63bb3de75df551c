"""A call of an op as a function of its tensors: of differentiable ones (`Point`), or of all (`TypedCall`).

`specgrad` is imported by its full name: `python -m codegen` makes codegen a top-level package beside it.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from specgrad.runtime.autograd.backward import grad
from specgrad.runtime.tensor import dtypes
from specgrad.runtime.tensor.grad_mode import no_grad
from specgrad.runtime.tensor.memory import cast
from specgrad.runtime.tensor.observers import Watcher, watch
from specgrad.runtime.tensor.tensor import TensorBase, adopt, share

from ...proof.numbers import evaluate
from ..isolation import forget_arguments, note_argument, note_call
from .entries import spec_entry
from .samples import Drawing, SampledArgument, points, sample_calls


@dataclass(frozen=True, eq=False)
class Leaf:
    """A tensor that is varied, and differentiated by where that is possible: its argument, place in a list, values."""

    argument: str
    index: int | None
    array: np.ndarray

    @property
    def label(self) -> str:
        return label_of(self.argument, self.index)


def label_of(argument: str, index: int | None) -> str:
    return argument if index is None else f"{argument}[{index}]"


class Point:
    """An op at one of its samples. `call` takes tensors in the place of the leaves; all else is fixed."""

    def __init__(self, op: Any, text: str, hard: bool = False, is_complex: bool = False) -> None:
        self.op = op
        self.text = text
        self.hard = hard
        self.is_complex = is_complex
        self.listed = text in (*sample_calls(op), *op.hard)
        self.leaves: list[Leaf] = []
        self.constants: list[Any] = []  # tensors that are not differentiated by
        self.sampled: dict[str, np.ndarray] = {}  # the arrays of both, by their labels
        sample = Drawing(op, text, is_complex, dtypes).arguments(text)
        forget_arguments()
        self.arguments = {name: self.fixed(name, value) for name, value in sample.items()}
        self.rng = np.random.default_rng(len(text))
        self.differentiated = differentiated_function(op)

    def fixed(self, name: str, value: Any) -> Any:
        if isinstance(value, list) and any(isinstance(v, SampledArgument) for v in value):
            return [self.tensor_or_leaf(name, i, v) for i, v in enumerate(value)]
        return self.tensor_or_leaf(name, None, value)

    def tensor_or_leaf(self, name: str, index: int | None, value: Any) -> Any:
        if not isinstance(value, SampledArgument):
            return value
        self.sampled[label_of(name, index)] = value.array
        inputs = self.op.inputs
        named = name in inputs or (not inputs and (self.op.kind != "composite" or value.random))
        if not (named and value.array.dtype.kind in "fc"):
            note_argument(value.array, label_of(name, index))
            self.constants.append(adopt(value.array))
            return self.constants[-1]
        self.leaves.append(Leaf(name, index, value.array))
        return self.leaves[-1]

    @property
    def kinks(self) -> list[str]:
        policies = self.op.kink
        order = list(self.op.inputs)
        return [policies[order.index(leaf.argument) if len(policies) > 1 else 0] for leaf in self.leaves]

    @property
    def arrays(self) -> list[np.ndarray]:
        return [leaf.array.copy() for leaf in self.leaves]

    def over(self, array: np.ndarray) -> Any:
        return adopt(array)

    def tensors(self, output_mask: Sequence[bool] | None = None) -> list[Any]:
        made = [self.over(array) for array in self.arrays]
        for leaf, tensor, yes in zip(self.leaves, made, output_mask or [True] * len(made), strict=True):
            note_argument(tensor.array, leaf.label)
            tensor.requires_grad = yes  # no method: `batching` asks for it inside vmap
        return made

    def call(
        self, tensors: Sequence[Any], function: Any = None, constants: Sequence[Any] | None = None
    ) -> tuple[Any, ...]:
        kwargs = {id(leaf): tensor for leaf, tensor in zip(self.leaves, tensors, strict=True)}
        kwargs |= {id(own): other for own, other in zip(self.constants, constants or (), strict=False)}

        def passed(value: Any) -> Any:
            return [passed(v) for v in value] if isinstance(value, list) else kwargs.get(id(value), value)

        arguments = {name: passed(v) for name, v in self.arguments.items()}
        note_call(str(self))
        if "(a!)" in self.op.schema.partition("->")[0]:  # an op that only exists in place
            arguments["self"] = arguments["self"].clone()
        return called(function or self.op.function, arguments)

    def outputs(self, tensors: Sequence[Any]) -> list[Any]:
        return self.differentiable(self.call(tensors))

    def differentiable(self, outputs: Sequence[Any]) -> list[Any]:
        flags = self.op.outputs if len(self.op.outputs) == len(outputs) else self.op.outputs * len(outputs)
        return [output for output, yes in zip(outputs, flags, strict=True) if yes]

    def results(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """What comes out for other values of the leaves."""
        return [output.array for output in self.call([adopt(array.copy()) for array in arrays])]

    def recorded(self, output_mask: Sequence[bool] | None = None) -> tuple[list[Any], list[Any], list[Any]]:
        tensors = self.tensors(output_mask)
        outputs = self.outputs(tensors)
        return tensors, outputs, self.seeds(outputs)

    def values(self, tensors: Sequence[Any]) -> np.ndarray:
        """What gradients are compared with differences of."""
        with no_grad():
            return concatenated(self.differentiable(self.call(tensors, self.differentiated)))

    def seeds(self, outputs: Sequence[Any]) -> list[Any]:
        return [self.seed(output) for output in outputs]

    def seed(self, output: Any) -> Any:
        values = self.random(output)
        values[~np.isfinite(output.detach().array)] = 0
        return adopt(values)

    def random(self, like: Any) -> np.ndarray:
        values = np.asarray(self.rng.standard_normal(like.shape))
        if like._dtype.kind == "c":
            values = np.asarray(values + 1j * self.rng.standard_normal(like.shape))
        return values

    def __str__(self) -> str:
        return shown(self.text, self.is_complex)


def listed_points(op: Any) -> Iterator[Point]:
    return (Point(op, *each) for each in points(op))


def shown(text: str, is_complex: bool) -> str:
    return f"({text})" + " complex" * is_complex


def differentiated_function(op: Any) -> Callable[..., Any] | None:
    """What differences are taken of where the entry has `slope_of`: that expression, in NumPy."""
    entry = spec_entry(op)
    tree = entry.derivative_of.tree if entry is not None and entry.derivative_of is not None else None
    if entry is None or tree is None:
        return None
    functions = entry.functions
    defaults = {a.name: ast.literal_eval(a.default) for a in entry.schema.arguments if a.default is not None}

    def function(**arguments: Any) -> Any:
        named = {"self" if name == "input" else name: getattr(v, "array", v) for name, v in arguments.items()}
        points = defaults | named
        shape = np.broadcast_shapes(*(value.shape for value in points.values() if isinstance(value, np.ndarray)))
        return adopt(np.broadcast_to(evaluate(tree, points, functions), shape).astype(np.float64))

    return function


def called(function: Any, arguments: Mapping[str, Any]) -> tuple[Any, ...]:
    result = function(**{("input" if name == "self" else name): value for name, value in arguments.items()})
    return (result,) if isinstance(result, TensorBase) else tuple(result)


def gradients(outputs: Sequence[Any], inputs: Sequence[Any], seeds: Sequence[Any], create: bool = False) -> list[Any]:
    selected = [(o, s) for o, s in zip(outputs, seeds, strict=True) if o.requires_grad]
    if not selected:
        return [adopt(np.zeros(t.shape, t._dtype.np)) for t in inputs]
    roots, value = zip(*selected, strict=True)
    return list(grad(roots, inputs, value, retain_graph=True, create_graph=create, materialize_grads=True))


def recording(tensors: list[Any]) -> list[Any]:
    for tensor in tensors:
        tensor.requires_grad = True
    return tensors


@contextmanager
def formulas_alone() -> Iterator[None]:
    watch.enter("verify", Watcher())
    try:
        yield
    finally:
        watch.leave("verify")


def real(array: np.ndarray) -> np.ndarray:
    flat = array.reshape(-1)
    return flat.view(np.float64) if np.iscomplexobj(flat) else flat


def concatenated(tensors: Sequence[Any]) -> np.ndarray:
    parts = [real(np.ascontiguousarray(t.array)) for t in tensors]
    return np.concatenate(parts).astype(np.float64) if parts else np.zeros(0)


class TypedCall:
    """One of an op's calls. Its `tensors` are given when it is called; masks and indices stay as they are drawn."""

    def __init__(self, op: Any, text: str) -> None:
        self.op = op
        self.text = text
        self.inputs = tuple(op.inputs)  # the arguments that require gradients
        self.arguments = Drawing(op, text, False, dtypes).arguments(text)
        items = [item for value in self.arguments.values() for item in _items(value)]
        matches = [item for item in items if isinstance(item, SampledArgument) and not item.real]
        floats = [sample for sample in matches if sample.array.dtype.kind in "fc"]
        self.tensors = floats or [sample for sample in matches if sample.array.dtype.kind == "i" and "int" in op.dtypes]

    def values(self, kinds: Sequence[Any]) -> list[np.ndarray]:
        padded = [*kinds, *[kinds[-1]] * len(self.tensors)]
        return [in_dtype(sample.array, kind) for sample, kind in zip(self.tensors, padded, strict=False)]

    @property
    def scalars(self) -> list[str]:
        matches = []
        for name, type_, *_ in self.op.arguments:
            own = "self" if name == "input" else name
            value = self.arguments.get(own, 0 if type_ == "Scalar" and self.op.kind == "elementwise" else None)
            if type_.rstrip("?") in ("Scalar", "Operand") and isinstance(value, int | float):
                matches.append(own)
        return matches

    def leaves(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        with_gradient = [id(item) for name in self.inputs for item in _items(self.arguments.get(name))]
        return [_tensor(a, id(sample) in with_gradient) for sample, a in zip(self.tensors, arrays, strict=True)]

    def outputs(self, arrays: Sequence[np.ndarray], others: Mapping[str, Any] | None = None) -> list[Any]:
        return self.apply(self.leaves(arrays), others)

    def apply(self, tensors: Sequence[Any], others: Mapping[str, Any] | None = None) -> list[Any]:
        tensors_by_id = {id(sample): tensor for sample, tensor in zip(self.tensors, tensors, strict=True)}

        def passed(value: Any) -> Any:
            if isinstance(value, list):
                return [passed(item) for item in value]
            if not isinstance(value, SampledArgument):
                return value
            return tensors_by_id[id(value)] if id(value) in tensors_by_id else _tensor(value.array, False)

        arguments = {name: passed(value) for name, value in (self.arguments | dict(others or {})).items()}
        if "(a!)" in self.op.schema.partition("->")[0]:  # a leaf is not written to
            arguments["self"] = arguments["self"].detach()
        note_call(f"({self.text})")
        with np.errstate(all="ignore"):
            return list(called(self.op.function, arguments))


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _tensor(array: np.ndarray, has_gradient: bool) -> Any:
    tensor = share(array.copy(order="K"))  # as it lies
    return tensor.requires_grad_(has_gradient and tensor._dtype.kind in "fc")


def typed_calls(op: Any) -> list[TypedCall]:
    calls = [TypedCall(op, text) for text in sample_calls(op)]
    plain = [call for call in calls if not any(isinstance(v, dtypes.dtype) for v in call.arguments.values())]
    return sorted(plain, key=lambda call: -len(call.tensors))


def in_dtype(array: np.ndarray, kind: Any) -> np.ndarray:
    if kind.kind == "b":
        return np.asarray(array > 0)
    if kind.kind == "i":
        integral = np.asarray(np.where(array > 0, np.ceil(array), np.floor(array)))
        return cast(integral if kind.is_signed else np.abs(integral), kind.np)
    if kind.kind == "c":
        return np.asarray(array + 0.5j * array).astype(kind.np)
    return cast(array, kind.np)
