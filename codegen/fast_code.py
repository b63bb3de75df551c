"""The fast path of an element-wise function, data for ops.py.j2: one dtype and shape, contiguous, nobody watching."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .kernel_code import is_plain_number
from .model import Argument
from .rule_doc import reads_storage

if TYPE_CHECKING:
    from .op_code import OpCode


def plain_condition(argument: Argument) -> str:
    """Whether an argument of int type is given as ints, and not as what is equal to them."""
    name, type_ = argument.python_name, argument.type
    if type_.is_list:
        found = f"are_ints({name})"
        return found if type_.size is None else f"({name}.__class__ is int or {found})"
    return f"({name} is None or {name}.__class__ is int)" if type_.optional else f"{name}.__class__ is int"


@dataclass(frozen=True)
class FastCode:
    """What the template asks about the first lines of a function."""

    op: OpCode

    @property
    def applies(self) -> bool:
        """Whether the op has a fast path."""
        entry = self.op.entry
        tensors_fit = (
            all(not a.type.optional and not a.type.is_list for a in self.op.tensors) and 1 <= len(self.op.tensors) <= 3
        )
        numbers_fit = all(is_plain_number(n) for n in self.op.numbers)
        rules_fit = entry.dtype in ("promote", "float") and entry.result_dtype[0] in ("same", "bool", "real")
        kinds_fit = "float" in entry.dtypes and len(entry.schema.returns) == 1
        checked = not self.checks_numbers or all(n.default is not None for n in self.op.numbers)
        return (
            entry.compute.kind == "elementwise"
            and tensors_fit
            and numbers_fit
            and rules_fit
            and kinds_fit
            and checked
            and not self.op.writes_first
            and (self.op.node is None or self.op.node.fast)
            and not self.op.has_dtype_argument
        )

    @property
    def recalls(self) -> bool:
        """Whether a view op may look up what it found for the same layout and arguments."""
        entry = self.op.entry
        tensors = [a for a in entry.schema.arguments if a.type.is_tensor]
        plain = all(a.type.base == "int" for a in self.view_arguments) and not self.op.gives_list
        told = entry.check is None or not reads_storage(entry.check)
        return entry.compute.kind == "view" and len(tensors) == 1 and plain and told and self.op.node is not None

    @property
    def view_arguments(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.op.arguments if not a.type.is_tensor)

    @property
    def plans(self) -> str:
        """The table of what a view op has found."""
        return f"{self.op.name.upper()}_PLANS"

    @property
    def view_condition(self) -> str:
        """That the arguments are ints and tuples of ints: 1.0 and True are equal to 1, but no dimensions."""
        return "".join(f" and {plain_condition(a)}" for a in self.view_arguments)

    @property
    def unfit(self) -> str:
        """What operands raise that are no tensors, or numbers beyond all floats."""
        return "(AttributeError, OverflowError)" if self.takes_number or self.op.numbers else "AttributeError"

    @property
    def takes_number(self) -> bool:
        """Whether the second operand may be a number, for which there is a kernel."""
        return self.op.kernels is not None and self.op.kernels.number is not None

    @property
    def second(self) -> str:
        return self.op.tensors[1].python_name

    @property
    def number_condition(self) -> str:
        """What makes a tensor and a number fit for the fast path."""
        return " and ".join(["dtype.native", "a is not None", *self.number_parts])

    @property
    def number_flats(self) -> str:
        rest = (f"float({n.python_name})" for n in self.op.numbers)
        return ", ".join(["a", f"float({self.second})", *rest]) + ", "

    @property
    def number_record(self) -> str:
        """Arguments of `record` where the second operand is a number: it is saved as a 0-d tensor."""
        return self.record.replace(f", {self.second}", f", constant({self.second}, dtype)", 1)

    @property
    def applies_in_place(self) -> bool:
        """Whether the in-place variant may write over its first operand element by element."""
        return self.applies and self.op.entry.result_dtype[0] == "same" and len(self.op.tensors) < 3

    @property
    def unrecorded(self) -> str:
        """That nothing is recorded, and that no other operand lies shifted in the memory that is written to."""
        names = [a.python_name for a in self.op.tensors]
        needs = " or ".join(f"{name}._rg" for name in names)
        apart = [f"({n} is input or {n}._storage is not input._storage)" for n in names[1:]]
        return " and ".join([f"not (grad_mode.grad and ({needs}))", *apart])

    @property
    def checks_numbers(self) -> bool:
        """Whether the op's check may refuse a number; those named integer_* refuse nothing to floats."""
        return self.op.entry.check is not None and not self.op.entry.check.startswith("integer_")

    @property
    def lead(self) -> str:
        """The operand whose dtype is that of the computation: the first that is no mask."""
        return next(a.python_name for a in self.op.tensors if not self.op.is_raw(a))

    @property
    def flat_names(self) -> list[tuple[str, str]]:
        """(variable of the flat array, operand)."""
        return [(letter, a.python_name) for letter, a in zip("abc", self.op.tensors, strict=False)]

    @property
    def condition(self) -> str:
        """What makes the operands fit for the fast path, given their flat arrays."""
        kinds, shapes = [], []
        for a in self.op.tensors:
            if a.python_name != self.lead:
                kinds.append(f"{a.python_name}._dtype is {'bool_' if self.op.is_raw(a) else 'dtype'}")
                shapes.append(f"{self.lead}._shape == {a.python_name}._shape")
        flats = [f"{letter} is not None" for letter, _ in self.flat_names]
        return " and ".join(["dtype.native", *kinds, *shapes, *flats, *self.number_parts])

    @property
    def runs_by_rows(self) -> bool:
        """Whether two operands of different shapes or layouts need no other check than that they broadcast."""
        return len(self.op.tensors) == 2 and not self.checks_numbers

    @property
    def rows_condition(self) -> str:
        """What makes two operands of any shape and layout fit for a loop over rows."""
        return " and ".join(["dtype.native", f"{self.second}._dtype is dtype", *self.number_parts])

    @property
    def rows_operands(self) -> str:
        """The tensors, and the numbers as floats, each as a tuple."""
        tensors = ", ".join(a.python_name for a in self.op.tensors)
        return f"({tensors}), ({''.join(f'float({n.python_name}), ' for n in self.op.numbers)})"

    @property
    def number_parts(self) -> list[str]:
        """What must hold of the number arguments; the default needs no check, others go where the op's own check is."""
        names = [(n.python_name, n.default) for n in self.op.numbers]
        return [f"{n} == {default}" if self.checks_numbers else f"{n}.__class__ in REAL" for n, default in names]

    @property
    def flats(self) -> str:
        numbers = [f"float({n.python_name})" for n in self.op.numbers]
        return "".join(f"{value}, " for value in [*(letter for letter, _ in self.flat_names), *numbers])

    @property
    def result_dtype(self) -> str:
        return "bool_" if self.op.entry.result_dtype[0] == "bool" else "dtype"

    @property
    def record(self) -> str:
        """Arguments of `record` on the fast path."""
        assert self.op.node is not None
        names = []
        for name in self.op.node.recorded_arguments:
            argument = self.op.entry.schema.argument(name)
            assert argument is not None
            spelt = argument.python_name
            names.append(f"float({spelt})" if not argument.type.is_tensor else spelt)
        return "".join(f", {n}" for n in names)

    @property
    def requires_grad(self) -> str:
        assert self.op.node is not None
        return " or ".join(f"{a.python_name}._rg" for a in self.op.node.arguments)
