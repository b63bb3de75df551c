"""How the general path of an op with a hand-written kernel chooses a dtype and calls the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..spec.model import Argument

if TYPE_CHECKING:
    from .op_code import OpCode


@dataclass(frozen=True)
class ComputationCode:
    """What the template asks about a kernel's call."""

    op: OpCode

    @property
    def kernel_call(self) -> str:
        """The call of the hand-written kernel on arrays of the computation's dtype."""
        entry = self.op.entry
        parts = []
        for argument in self.op.arguments:
            if argument.type.base in ("ScalarType", "MemoryFormat"):
                continue
            parts.append(self.kernel_argument(argument))
        return f"{self.op.library['kernel', entry.compute.text].spelling}({', '.join(parts)})"

    def kernel_argument(self, argument: Argument) -> str:
        name, type_ = argument.name, argument.type
        if not type_.is_tensor:
            return name
        cast = "None" if self.op.is_raw(argument) or self.op.entry.dtype == "none" else "computed"
        if type_.is_list:
            return f"arrays_in({name}, {cast})"
        return f"array_in({name}, {cast})"

    @property
    def promoted(self) -> str:
        """The tensors (and positional numbers) whose dtypes decide that of the computation, as a tuple expression."""
        parts = []
        for argument in self.op.arguments:
            if argument.type.is_tensor and not self.op.is_raw(argument):
                parts.append(f"*{argument.name}" if argument.type.is_list else argument.name)
            elif (
                argument.type.base == "Scalar"
                and not argument.keyword_only
                and self.op.entry.dtype in ("promote", "float")
            ):
                parts.append(argument.name)
        return f"({', '.join(parts)},)" if parts else "()"

    @property
    def native_shortcut(self) -> str:
        """`x if c else `: the dtype itself where all promoted tensors share float32 or float64, as they mostly do."""
        taking_part = [a for a in self.op.arguments if a.type.is_tensor and not self.op.is_raw(a)]
        required = [a.name for a in taking_part if not a.type.optional]
        if not required or any(a.type.is_list for a in taking_part) or "float" not in self.op.entry.dtypes:
            return ""
        first = f"{required[0]}._dtype"
        conditions = [f"{first}.native", *(f"{other}._dtype is {first}" for other in required[1:])]
        optional = [a.name for a in taking_part if a.type.optional]
        conditions += [f"({other} is None or {other}._dtype is {first})" for other in optional]
        conditions += ["dtype is None"] if self.op.has_dtype_argument else []
        return f"{first} if {' and '.join(conditions)} else "

    @property
    def result_dtype(self) -> str:
        """The dtype of the one output, as an expression."""
        if self.op.entry.dtype == "none":
            return "None"
        rule = self.op.entry.result_dtype[0]
        return "computed" if rule == "same" else f'result_dtype("{rule}", computed)'
