"""The ways in which native code may answer a call before the general path, where nobody watches."""

import ast
from dataclasses import dataclass
from functools import cached_property

from ..library.rule_doc import reads_any, reads_elements, reads_shapes, reads_storage
from ..spec.definitions import Trees, substituted
from ..spec.fields import COMPUTED, WITHOUT_GRADIENT
from ..spec.model import Argument, Trial
from ..spec.types import TYPES
from .calls import python_names
from .elementwise_kernels import is_integer_argument, is_plain_number
from .properties import Properties

UNPLANNED = {"l", "j", "a"}  # letters of arguments that plans know nothing of

# What a check that is decorated with `rejects` may reject, and nothing else.
BOOLS, INTEGERS, OUT_OF_RANGE, NEGATIVE = "bools", "integers", "out of range", "negative integers"


@dataclass(frozen=True)
class FastCode:
    """Which of the ways of native code an op has, and what each of them is given."""

    op: Properties

    @cached_property
    def applies(self) -> bool:
        op, entry = self.op, self.op.entry
        return (
            entry.compute.kind == "elementwise"
            and 1 <= len(op.tensors) <= 3
            and not any(a.type.optional or a.type.is_list for a in op.tensors)
            and all(is_plain_number(n) or is_integer_argument(n) for n in op.numbers)
            and (not self.checks_numbers or all(n.default is not None for n in op.numbers))
            and (entry.dtype != "accumulate" and not op.has_dtype_argument)
            and ("float" in entry.dtypes or bool(self.integral_kinds))
            and (entry.result_dtype[0] in ("same", "bool", "real") and not op.has_multiple_outputs)
            and not (self.fits_numbers and len(op.tensors) - sum(op.raw) > 1)  # a tensor in the place of a number
            and (self.op.writes_first or op.node is None or op.node.fast or op.node.plain)
        )

    @cached_property
    def refuses(self) -> tuple[str, ...]:
        formulas = self.op.entry.gradients
        undefined = {name for name, formula in formulas.items() if formula.keyword == "not_implemented"}
        return tuple(a.name for a in self.op.tensors if a.name in undefined)

    @cached_property
    def recalls(self) -> bool:
        op = self.op
        plain = len(op.tensors) == 1 and all(a.type.base == "int" for a in self.view_arguments)
        is_static = op.rule is None or not reads_storage(op.rule)
        recorded = op.node is not None and op.node.plain
        known = not op.retypes or (not op.has_dtype_argument and op.node is not None)
        return op.entry.compute.kind == "view" and plain and is_static and (recorded or op.gives_list) and known

    @cached_property
    def keeps_views(self) -> bool:
        op, returns = self.op, self.op.entry.schema.returns
        first, *others = op.arguments
        kind = first.type
        one = kind.is_tensor and not kind.is_list and not kind.writes
        shares = one and len(returns) == 1 and kind.alias is not None and returns[0].type.alias == kind.alias
        is_static = op.rule is None or not reads_storage(op.rule)
        plain = all(a.type.base == "int" for a in others) and not op.has_out and not self.tried
        return op.entry.compute.kind == "composite" and shares and is_static and plain and not op.entry.autocast

    @cached_property
    def view_arguments(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.op.arguments if not a.type.is_tensor)

    @cached_property
    def launches(self) -> bool:
        op, arg_kinds = self.op, list(self.arg_kinds.values())
        if op.entry.converts:
            return False
        stated = (
            not UNPLANNED & {*arg_kinds}
            and arg_kinds[:1] in (["T"], ["L"])
            and not op.gives_list
            and not op.writes_first
        )
        pairs = {"complex"} if self.op.plan is not None else set()
        known = set(op.entry.result_dtype) <= {"same", "real", COMPUTED, *WITHOUT_GRADIENT, *pairs}
        planned = self.op.plan is not None or "J" not in arg_kinds
        return op.entry.compute.kind == "kernel" and known and stated and planned

    @cached_property
    def keeps_plans(self) -> bool:
        return self.launches or self.op.plan_in_place is not None

    @cached_property
    def launches_unchecked(self) -> bool:
        is_static = self.op.rule is None or not reads_elements(self.op.rule)
        return self.launches and self.records and is_static

    @cached_property
    def records(self) -> bool:
        return self.op.node is None or self.op.node.plain

    @cached_property
    def arg_kinds(self) -> dict[str, str]:
        """For each argument but `dtype` the letter of what it is, as KernelOp has them."""
        return {a.name: self.arg_kind(a) for a in self.kernel_arguments}

    @cached_property
    def kernel_arguments(self) -> list[Argument]:
        return [a for a in self.op.arguments if a.type.base not in ("ScalarType", "MemoryFormat")]

    def arg_kind(self, argument: Argument) -> str:
        type_ = argument.type
        if type_.is_tensor and type_.is_list:
            if type_.optional_items:
                return "J" if self._has_indices(argument) else "j"
            if self.op.is_raw(argument):
                return "j"
            return "L" if argument == self.op.arguments[0] else "l"
        if type_.is_tensor:
            return self._raw(argument) if self.op.is_raw(argument) else "O" if type_.optional else "T"
        if type_.is_list:
            return "d" if type_.base == "int" else "a"
        return TYPES[type_.base].code

    def _has_indices(self, argument: Argument) -> bool:
        """Whether plans take a list as one of indices: the last argument, or with a last one that is no tensor."""
        last = self.op.arguments[-1]
        return bool(self.op.plan) if argument == last else bool(self.op.plan_in_place) and not last.type.is_tensor

    def _raw(self, argument: Argument) -> str:
        """Of a tensor that keeps its dtype: plans take int64, launches on devices any, also of what may be left out."""
        return "I" if (self.op.plan or self.op.plan_in_place) and not argument.type.optional else "R"

    @cached_property
    def without_others(self) -> str:
        others = [a for a in self.op.arguments if a not in self.kernel_arguments]
        return "".join(f" and {a.python_name} is None" for a in others)

    @cached_property
    def tried(self) -> list[str]:
        own = self.op.calls.own
        return [self._cache_key(each) for each in self.op.entry.trials if each.arguments is None and each.op in own]

    @cached_property
    def tried_calls(self) -> list[tuple[str, str]]:
        named: Trees = {a.name: ast.Name(a.python_name) for a in self.op.arguments}
        matches = []
        for each in self.op.entry.trials:
            if each.arguments is not None and each.op in self.op.calls.own:
                is_static = "".join(f" and ({source(test, named)})" for test in each.conditions)
                value = ", ".join(source(argument, named) for argument in each.arguments)
                matches.append((is_static, f"{self._cache_key(each)}.launch({value})"))
        return matches

    def _cache_key(self, trial: Trial) -> str:
        return self.op.calls.functions[trial.op].upper()

    @cached_property
    def calls_planned(self) -> str | None:
        """The object of the op that a composite is a call of: what that has found is kept under the composite's."""
        tree, is_static = self.op.entry.compute.tree, self.op.rule is None or not reads_elements(self.op.rule)
        known = is_static and self.op.entry.compute.kind == "composite" and not UNPLANNED & {*self.arg_kinds.values()}
        if not known or not isinstance(tree, ast.Call) or ast.unparse(tree.func) not in self.op.entry.tries:
            return None
        return next(iter(self.tried), None)

    @cached_property
    def tries_view(self) -> bool:
        if self.calls_planned:
            return False
        return bool(self.tried) and len(self.op.arguments) > 1 and not self.op.arguments[1].type.is_tensor

    @cached_property
    def looked_up_by(self) -> str:
        return self.op.name.upper()

    @cached_property
    def kernel_op(self) -> str:
        """The object that knows the kernel; a conversion is looked up by another one."""
        return f"{self.looked_up_by}_KERNEL" if self.op.entry.converts else self.looked_up_by

    @cached_property
    def takes_number(self) -> bool:
        return self.op.kernels is not None and self.op.kernels.number is not None

    @cached_property
    def checks_numbers(self) -> bool:
        check, rule, names = self.op.entry.check, self.op.rule, [a.name for a in self.op.arguments]
        if check is None or self.rejects in (INTEGERS, BOOLS, NEGATIVE, OUT_OF_RANGE):
            return False
        return rule is None or reads_any(rule, [names.index(n.name) for n in self.op.numbers])

    @cached_property
    def rejects(self) -> str:
        part = self.op.library.get("check", self.op.entry.check)
        return OUT_OF_RANGE if self.op.entry.check is None else part.rejects if part is not None else ""

    @cached_property
    def fits_numbers(self) -> bool:
        return self.op.entry.check is not None and self.rejects == OUT_OF_RANGE

    @cached_property
    def integral_kinds(self) -> str:
        """What the op computes of whole numbers as its check allows: "i" of int64, "p" if the second tensor, or the
        number in its place, is positive, or all numbers of an op that has some are, "b" of bools."""
        entry, rejects = self.op.entry, self.rejects
        if entry.dtype not in ("promote", "same", "match"):
            return ""
        free = rejects == OUT_OF_RANGE or (bool(self.op.raw) and rejects != INTEGERS)
        integers = "i" if free or rejects == BOOLS else ""
        if rejects == INTEGERS and self.takes_number is not bool(self.op.numbers):
            integers = "p"
        same = entry.result_dtype[0] in ("same", "bool")
        return (integers if "int" in entry.dtypes else "") + ("b" if free and same and "bool" in entry.dtypes else "")

    @cached_property
    def computes_complex(self) -> bool:
        entry, free = self.op.entry, self.rejects in (OUT_OF_RANGE, BOOLS)
        return free and "complex" in entry.dtypes and not any(self.op.raw) and not self.op.writes_first

    @cached_property
    def rejected_integers(self) -> str:
        kinds = {"bool": "b", "int": "i"}
        reserved = [arg_kind for kind, arg_kind in kinds.items() if kind in self.op.entry.dtypes]
        return "".join(each for each in kinds.values() if each not in reserved) if len(reserved) == 1 else ""

    @cached_property
    def converts(self) -> str:
        """Operands that convert to the others' dtype whatever the check says: "i" integers and floats, "b" bools.

        Comparisons of integers are exact, so they convert to a dtype that holds both."""
        entry = self.op.entry
        if entry.dtype not in ("promote", "float") or self.rejects not in (OUT_OF_RANGE, INTEGERS, BOOLS):
            return ""
        if entry.result_dtype[0] == "bool" and len(self.op.tensors) > 1:
            return ""
        return "i" if self.rejects == BOOLS else "ib"

    @cached_property
    def masks_alike(self) -> bool:
        return bool(self.op.raw) and self.op.rule is not None and reads_shapes(self.op.rule)

    @cached_property
    def operands(self) -> str:
        return python_names((*self.op.tensors, *self.op.numbers))

    @cached_property
    def condition(self) -> str:
        named = self.op.numbers if self.checks_numbers else ()
        integral_kinds = [n.python_name for n in self.op.numbers if is_integer_argument(n)]
        natural = self.rejects == NEGATIVE
        is_static = [f"{name}.__class__ is int" + f" and {name} >= 0" * natural for name in integral_kinds]
        return "".join(f" and {each}" for each in [*(f"{n.python_name} == {n.default}" for n in named), *is_static])


def source(tree: ast.expr, named: Trees) -> str:
    return ast.unparse(substituted(tree, named))
