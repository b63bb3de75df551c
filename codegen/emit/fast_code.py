"""The first lines of a function, data for the templates of ops/: what native code answers where nobody watches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..library.homes import Part
from ..library.rule_doc import reads_storage
from ..spec.model import Argument
from .kernel_code import is_plain_number

if TYPE_CHECKING:
    from .op_code import OpCode


@dataclass(frozen=True)
class FastCode:
    """What the template asks about the first lines of a function."""

    op: OpCode

    @property
    def applies(self) -> bool:
        """Whether native code runs the op."""
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
        told = self.op.rule is None or not reads_storage(self.op.rule)
        plain = plain and not self.op.retypes
        return entry.compute.kind == "view" and len(tensors) == 1 and plain and told and self.recorded_natively

    @property
    def view_arguments(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.op.arguments if not a.type.is_tensor)

    @property
    def has_plan(self) -> bool:
        """Whether the op's kernel has plans, under its name, and takes and gives what these can state."""
        entry = self.op.entry
        known = entry.compute.kind == "kernel" and self.op.library.get("plan", entry.compute.text) is not None
        recorded = self.op.node is None or self.op.node.plain
        of_floats = set(entry.result_dtype) <= {"same", "real"}  # which are the same: plans are for real floats
        return known and recorded and of_floats and "?" not in self.letters.values()

    @property
    def plan(self) -> Part:
        """The plans, under the kernel's name."""
        return self.op.library["plan", self.op.entry.compute.text]

    @property
    def letters(self) -> dict[str, str]:
        """For each argument but `dtype` the letter of what it is, as KernelOp has them; ? for what it has not."""
        return {a.name: self.letter(a) for a in self.kernel_arguments}

    @property
    def kernel_arguments(self) -> list[Argument]:
        """The arguments of a kernel with plans: not those that say of what dtype the result is, or how it lies."""
        return [a for a in self.op.arguments if a.type.base not in ("ScalarType", "MemoryFormat")]

    def letter(self, argument: Argument) -> str:
        type_ = argument.type
        if type_.is_tensor and type_.is_list:
            return "L" if argument == self.op.arguments[0] and not type_.optional_items else "?"
        if type_.is_tensor:
            return "I" if self.op.is_raw(argument) else "O" if type_.optional else "T"
        if type_.is_list:
            return "d" if type_.base == "int" else "?"
        return {"int": "n", "bool": "b", "float": "f", "Scalar": "f"}.get(type_.base, "?")

    @property
    def without_others(self) -> str:
        """That the others are not given."""
        others = [a for a in self.op.arguments if a not in self.kernel_arguments]
        return "".join(f" and {a.python_name} is None" for a in others)

    @property
    def tried(self) -> str:
        """The object that knows what the op has found that is tried first; empty where this package has none."""
        tries = self.op.entry.tries
        return self.op.calls.functions[tries].upper() if tries in self.op.calls.own else ""

    @property
    def tries_view(self) -> bool:
        """Whether what is tried first is a view op with arguments that a check may have changed."""
        return bool(self.tried) and len(self.op.arguments) > 1 and not self.op.arguments[1].type.is_tensor

    @property
    def recorded_natively(self) -> bool:
        """Whether native code can put the result into the graph."""
        return self.op.node is not None and self.op.node.plain

    @property
    def found_by(self) -> str:
        """The name of the object that knows what a view op, or a kernel op, has found."""
        return self.op.name.upper()

    @property
    def takes_number(self) -> bool:
        """Whether the second operand may be a number, for which there is a kernel."""
        return self.op.kernels is not None and self.op.kernels.number is not None

    @property
    def applies_in_place(self) -> bool:
        """Whether the in-place variant may write over its first operand element by element."""
        return self.applies and self.op.entry.result_dtype[0] == "same" and len(self.op.tensors) < 3

    @property
    def checks_numbers(self) -> bool:
        """Whether the op's check may refuse a number; those named integer_* refuse nothing to floats."""
        return self.op.entry.check is not None and not self.op.entry.check.startswith("integer_")

    @property
    def operands(self) -> str:
        """What `launch` takes: the tensors, then the numbers."""
        return ", ".join(a.python_name for a in (*self.op.tensors, *self.op.numbers))

    @property
    def condition(self) -> str:
        """What must hold of numbers that the op's check may refuse: they are the defaults."""
        named = self.op.numbers if self.checks_numbers else ()
        return "".join(f" and {n.python_name} == {n.default}" for n in named)

    @property
    def runs_by_rows(self) -> bool:
        """Whether two operands of different shapes or layouts need no other check than that they broadcast."""
        return len(self.op.tensors) == 2 and not self.checks_numbers

    @property
    def rows_operands(self) -> str:
        """The tensors, and the numbers, each as a tuple."""
        tensors = ", ".join(a.python_name for a in self.op.tensors)
        return f"({tensors}), ({''.join(f'{n.python_name}, ' for n in self.op.numbers)})"

    @property
    def record(self) -> str:
        """Arguments of `record` for what ran by rows."""
        assert self.op.node is not None
        arguments = map(self.op.entry.schema.argument, self.op.node.recorded_arguments)
        return "".join(f", {argument.python_name}" for argument in arguments if argument is not None)

    @property
    def requires_grad(self) -> str:
        assert self.op.node is not None
        return " or ".join(f"{a.python_name}._rg" for a in self.op.node.arguments)
