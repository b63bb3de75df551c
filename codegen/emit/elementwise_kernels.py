"""The kernels of element-wise entries, as data for the kernel templates."""

import ast
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ..proof import scalar_code
from ..spec.formula import names_in
from ..spec.model import Argument, Entry, Formula, Type
from .saved_tensors import differentiable_formulas


@dataclass(frozen=True)
class Kernel:
    """One loop over flat arrays: parameters in order, numbers to bring to the dtype `T`, and assignments."""

    name: str
    doc: str
    arrays: tuple[str, ...]
    numbers: tuple[Argument, ...]
    outputs: tuple[str, ...]
    sources: tuple[str, ...]  # one expression per output
    typed_by: str  # the array whose dtype is T

    @property
    def inputs(self) -> tuple[str, ...]:
        return (*self.arrays, *(n.name for n in self.numbers))

    @property
    def parameters(self) -> tuple[str, ...]:
        return (*self.inputs, *self.outputs)

    @property
    def elements(self) -> tuple[str, ...]:
        return tuple(map(scalar_code.of_elements, self.sources))

    @property
    def assignments(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.outputs, self.sources, strict=True))

    @property
    def uses_type(self) -> bool:
        return bool(self.converted) or any("T(" in source for source in self.sources)

    @property
    def converted(self) -> tuple[str, ...]:
        return tuple(n.name for n in self.numbers if is_plain_number(n))


@dataclass(frozen=True)
class ElementKernels:
    """All kernels of one entry; `backward` by mask (bit k: the k-th differentiable argument)."""

    entry: Entry
    forward: Kernel
    number: Kernel | None  # forward with a number for the second tensor
    backward: Mapping[int, Kernel]

    @property
    def all(self) -> list[Kernel]:
        number = [] if self.number is None else [self.number]
        return [self.forward, *number, *(self.backward[mask] for mask in sorted(self.backward))]

    @property
    def of_arrays(self) -> list[Kernel]:
        return [kernel for kernel in self.all if kernel is not self.number]

    @property
    def functions(self) -> list[str]:
        return scalar_code.scalar_functions(*(source for kernel in self.all for source in kernel.sources))


def is_plain_number(argument: Argument) -> bool:
    return argument.type.base in ("Scalar", "float") and not argument.type.optional and not argument.type.is_list


def is_integer_argument(argument: Argument) -> bool:
    return argument.type.base == "int" and not argument.type.optional and not argument.type.is_list


def element_kernels(entry: Entry, inliner: scalar_code.Inliner, overloads: Iterable[Entry]) -> ElementKernels:
    number = number_kernel(entry) if takes_number(entry, overloads) else None
    return ElementKernels(entry, forward_kernel(entry), number, dict(backward_kernels(entry, inliner)))


def takes_number(entry: Entry, siblings: Iterable[Entry]) -> bool:
    """Whether `x <operator> number` is computed by this entry: no overload of its own takes two such arguments."""
    tensors = entry.tensor_arguments
    plain = len(tensors) == 2 and not any(a.type.optional or a.type.is_list for a in tensors)
    others = [e.schema.arguments for e in siblings if e is not entry]
    rivals = [a for a in others if len(a) > 1 and all(rest.default is not None for rest in a[2:])]
    return plain and entry.operator is not None and not any(a[1].type.base == "Scalar" for a in rivals)


def number_kernel(entry: Entry) -> Kernel:
    forward = forward_kernel(entry)
    first, second = forward.arrays
    assert entry.compute.tree is not None
    numbers = (Argument(second, Type("Scalar")), *forward.numbers)
    source = scalar_code.typed(entry.compute.tree, {first}, "complex" in entry.dtypes)
    return replace(forward, name="forward_number", arrays=(first,), numbers=numbers, sources=(source,))


def forward_kernel(entry: Entry) -> Kernel:
    arrays = scalar_code.tensor_names(entry)
    numbers = tuple(scalar_code.number_arguments(entry))
    tree = entry.compute.tree
    assert tree is not None
    doc = f"result = {entry.compute.text}"
    source = scalar_code.typed(tree, set(arrays), "complex" in entry.dtypes)
    return Kernel("forward", doc, tuple(arrays), numbers, ("result",), (source,), _typing_array(entry))


def _typing_array(entry: Entry) -> str:
    tensors = scalar_code.tensor_names(entry)
    return next((name for name in tensors if name not in entry.masks), tensors[0])


MAX_FUSED = 6  # differentiable arguments: n of them give 2^n - 1 kernels


def backward_kernels(entry: Entry, inliner: scalar_code.Inliner):
    formulas = differentiable_formulas(entry)
    if hands_on(formulas.values()) or len(formulas) > MAX_FUSED:
        return
    try:
        scalars = {name: scalar_code.inlined(entry, inliner, formula.tree) for name, formula in formulas.items()}
    except scalar_code.NotElementwise:
        return
    strings = {name: formula.text for name, formula in formulas.items()}
    for size in range(1, len(scalars) + 1):
        for chosen in itertools.combinations(scalars, size):
            mask = sum(1 << list(scalars).index(name) for name in chosen)
            yield mask, backward_kernel(entry, mask, {n: scalars[n] for n in chosen}, strings)


def hands_on(formulas: Iterable[Formula]) -> bool:
    return all(isinstance(f.tree, ast.Name) and f.tree.id == "grad" for f in formulas)


def backward_kernel(entry: Entry, mask: int, scalars: Mapping[str, ast.expr], strings: Mapping[str, str]) -> Kernel:
    used = names_in(*scalars.values())
    saved = [n for n in (*scalar_code.tensor_names(entry), "result") if n in used]
    numbers = tuple(a for a in scalar_code.number_arguments(entry) if a.name in used)
    arrays = ("grad", *saved)
    outputs = tuple(f"grad_{name}" for name in scalars)
    doc = "; ".join(f"{name}: {strings[name]}" for name in scalars)
    sources = tuple(scalar_code.typed(tree, set(arrays), "complex" in entry.dtypes) for tree in scalars.values())
    return Kernel(f"backward_{mask}", doc, arrays, numbers, outputs, sources, outputs[0])
