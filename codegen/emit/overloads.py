"""The one Python function that several overloads share, as data for the templates of ops/.

Where all have the same parameters (`pow`), it has them too and picks by the types of those that differ. Otherwise it
takes any arguments; `x.sum()` and names of one overload alone (`x.sum(dim=0)`) are still decided at once. A package
that adds overloads to a function of its base picks its own first, then the base's.
"""

from dataclasses import dataclass

from ..spec.model import Argument
from ..spec.names import chooses_by_types, numpy_names, possibly_missing
from ..spec.types import TYPES
from .calls import handed_on, parameter_list, renamed, star_args
from .composite import deprecated_calls, extra_positional
from .docstrings import INPLACE_DOC, DocCode
from .op import OpCode


@dataclass(frozen=True)
class Dispatcher:
    name: str
    codes: list[OpCode]
    inplace: bool = False

    template = "function"

    @property
    def table(self) -> str:
        return f"_{self.name}_overloads"

    @property
    def before(self) -> list[str]:
        rows = star_args(f"({self.target(c)}, {c.entry.schema.text!r}, {c.matching})" for c in self.codes)
        return [f'{self.table} = Overloads("{self.name}", [{rows}])']

    @property
    def header(self) -> str:
        return f"{self.name}({self.parameters})"

    @property
    def lines(self) -> list[str]:
        cases = [line for test, call in self.cases for line in (f"if {test}:", f"    return {call}")]
        return [*self.deprecated, *renamed(self.numpy_names), *cases, f"return {self.otherwise}"]

    @property
    def after(self) -> list[str]:
        return [f"{self.name}.__signature__ = LazySignature(of_overloads, {self.table}.functions)"]

    def target(self, code: OpCode) -> str:
        name = code.inplace_name if self.inplace else code.name
        return f"{code.origin}.{name}" if code.origin else name

    @property
    def docstring(self) -> str:
        if self.inplace:
            return INPLACE_DOC.format(self.codes[0].entry.schema.name)
        return DocCode(self.name, tuple(self.codes)).dispatcher_doc

    @property
    def same_parameters(self) -> bool:
        return chooses_by_types([c.arguments for c in self.codes])

    @property
    def numpy_names(self) -> tuple[tuple[str, str], ...]:
        return numpy_names(self.shared) if self.same_parameters else ()

    @property
    def shared(self) -> list[Argument]:
        by_position = zip(*(c.arguments for c in self.codes), strict=True)
        return [next((a for a in same if a.default is not None), same[0]) for same in by_position]

    @property
    def has_out(self) -> bool:
        return not self.inplace and all(code.has_out for code in self.codes)

    @property
    def first(self) -> str:
        names = [code.arguments[0].python_name for code in self.codes]
        return max(names, key=names.count)

    @property
    def parameters(self) -> str:
        if not self.same_parameters:
            return f"{self.first}, *args, **kwargs"
        added = ["out=None"] if self.has_out else []
        added += [f"{theirs}=None" for theirs, _ in self.numpy_names]
        more = [f"{name}=None" for name in extra_positional([code.entry for code in self.codes])]
        return parameter_list(possibly_missing(self.shared) if self.numpy_names else self.shared, added, more=more)

    @property
    def deprecated(self) -> list[str]:
        if not self.same_parameters:
            return []
        return deprecated_calls(self.name, [a.python_name for a in positional(self.codes[0])], self.codes, self.has_out)

    @property
    def cases(self) -> list[tuple[str, str]]:
        if self.same_parameters:
            passed = ", ".join([*handed_on(self.shared), *["out=out"] * self.has_out])
            return [(self.condition(c), f"{self.target(c)}({passed})") for c in self.codes]
        alone = [c for c in self.codes if all(a.default is not None for a in c.arguments[1:])]
        cases = [("not args and not kwargs", f"{self.target(alone[0])}({self.first})")] if alone else []
        for count in range(1, max(len(positional(code)) for code in self.codes)):
            fitting = [c for c in self.codes if takes(c, count + 1)]
            if len(fitting) == 1:
                call = f"{self.target(fitting[0])}({self.first}, *args)"
                cases.append((f"len(args) == {count} and not kwargs", call))
            cases += self.matched_by_types(fitting, count)
        by_required_names: dict[tuple[str, ...], list[OpCode]] = {}
        for code in self.codes:
            named = tuple(a.python_name for a in code.arguments if a.keyword_only and a.default is None)
            if named:
                by_required_names.setdefault(named, []).append(code)
        for names, codes in by_required_names.items():
            cases += self.matched_by_types(codes, len(positional(codes[0])) - 1, names)
        for code in self.codes:
            call = f"{self.target(code)}({self.first}, *args, **kwargs)"
            cases += [(type_tests, call) for type_tests in self.matched_by_names(code)]
        return cases

    def matched_by_types(self, fitting: list[OpCode], count: int, names: tuple[str, ...] = ()) -> list[tuple[str, str]]:
        if len(fitting) < 2 or len({c.arguments[0].type for c in fitting}) > 1:
            return []
        rows = [positional(c)[1 : count + 1] for c in fitting]
        if len({len(row) for row in rows}) > 1:
            return []
        positions = [i for i, same in enumerate(zip(*rows, strict=True)) if len({a.type for a in same}) > 1]
        type_tests = [[class_test(row[i], f"args[{i}]") for i in positions] for row in rows]
        if not positions or len({tuple(tests) for tests in type_tests}) < len(type_tests):
            return []
        value = " and ".join([f"len(kwargs) == {len(names)}", *(f'"{name}" in kwargs' for name in names)])
        kwargs = ", **kwargs" if names else ""
        about = f"len(args) == {count} and {value if names else 'not kwargs'}"
        pairs = [(code, " and ".join(tests)) for code, tests in zip(fitting, type_tests, strict=True) if all(tests)]
        return [(f"{about} and {tests}", f"{self.target(c)}({self.first}, *args{kwargs})") for c, tests in pairs]

    def matched_by_names(self, code: OpCode) -> list[str]:
        others = {a.python_name for other in self.codes if other is not code for a in other.arguments}
        own = [a.python_name for a in code.arguments if a.python_name not in {*others, self.first}]
        required = [a.python_name for a in code.arguments[1:] if a.default is None]
        if not own or len(required) > 1:
            return []
        type_tests = [f'"{name}" in kwargs' for name in own]
        alone = [name in required or not required for name in own]  # else something is missing without arguments
        enough = [t if yes else f"({t} and args)" for yes, t in zip(alone, type_tests, strict=True)]
        conditions = ["len(kwargs) == 1 and " + (f"({' or '.join(enough)})" if len(enough) > 1 else enough[0])]
        if len(own) == 2 and set(required) <= set(own):
            conditions.append(f"len(kwargs) == 2 and {' and '.join(type_tests)}")
        return conditions

    def condition(self, code: OpCode) -> str:
        by_position = zip(code.arguments, *(c.arguments for c in self.codes), strict=True)
        differing = [own for own, *same in by_position if len({a.type for a in same}) > 1]
        return " and ".join(map(has_type, differing)) or "True"

    @property
    def otherwise(self) -> str:
        if self.same_parameters:
            out = ", **({} if out is None else {'out': out})" if self.has_out else ""
            return f"{self.table}({', '.join(handed_on(self.shared))}{out})"
        return f"{self.table}({self.first}, *args, **kwargs)"


def has_type(argument: Argument) -> str:
    name = argument.python_name
    if argument.type.is_list and argument.type.base == "int":
        return f"isinstance({name}, (int, tuple, list))"
    if argument.type.base in ("Tensor", "str"):
        return f"isinstance({name}, {argument.type.base})"
    number = f"{name}.__class__ in NUMBERS"
    return f"({name} is None or {number})" if argument.type.optional else number


def class_test(argument: Argument, expression: str) -> str:
    if argument.type.is_list:
        return f"{expression}.__class__ in (tuple, list)" if argument.type.base == "int" else ""
    return TYPES[argument.type.base].class_test.format(expression)


def positional(code: OpCode) -> list[Argument]:
    return [a for a in code.arguments if not a.keyword_only]


def takes(code: OpCode, count: int) -> bool:
    required = [a for a in code.arguments if a.default is None]
    named = any(a.keyword_only for a in required)
    return not named and len(required) <= count <= len(positional(code))
