"""Signatures for type checkers: of functions, of methods, and of the named tuples that they return."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..spec.model import Argument
from ..spec.names import BINARY, COMPARISONS, NUMPY_NAMES, REFLECTED, UNARY, by_numpy_names
from .calls import parameter_list
from .op import OpCode

OPERAND = "Tensor | Number"


@dataclass(frozen=True)
class Signature:
    name: str
    parameters: str
    returns: str
    overload: bool = False


def return_types(ops: Iterable[OpCode]) -> dict[str, list[str]]:
    """The fields of named tuples, by the op's name."""
    named = (code for code in ops if code.names_outputs and not code.origin)
    return {code.entry.schema.name: [output.name for output in code.entry.schema.returns] for code in named}


def stub_functions(ops: Iterable[OpCode]) -> list[Signature]:
    matches: list[Signature] = []
    for code in ops:
        schema = code.entry.schema
        names = [schema.name] if code.origin else list(code.entry.names)
        names += [code.name] if code.name != schema.name and not code.origin else []
        for name in names:
            matches += signatures(name, code, out=True)
        for name in [f"{name}_" for name in code.entry.names if code.has_inplace]:
            matches += signatures(name, code, inplace=True)
    return flagged_overloads(matches)


def stub_methods(ops: Iterable[OpCode]) -> list[Signature]:
    matches: list[Signature] = []
    for code in ops:
        names = list(code.entry.names) if "method" in code.entry.variants else []
        names += [f"{name}_" for name in code.entry.names if code.has_inplace]
        for name in names:
            matches += signatures(name, code, method=True)
        matches += operator_methods(code)
    return flagged_overloads(matches)


def signatures(name: str, code: OpCode, **form: bool) -> Iterator[Signature]:
    """One, and those of calls by NumPy's name of a required dimension, or with the ints of a list one by one."""
    returns = f"return_types.{code.entry.schema.name}" if code.names_outputs and not code.origin else code.returns
    for arguments in argument_lists(code):
        schema = replace(code.entry.schema, arguments=tuple(arguments))
        yield Signature(name, replace(code, entry=replace(code.entry, schema=schema)).parameters(**form), returns)
    if form.get("method") and code.is_variadic:
        yield Signature(name, one_by_one(code), returns)


def argument_lists(code: OpCode) -> Iterator[Sequence[Argument]]:
    required = [a.name for a in code.arguments if a.default is None]
    if "dim" not in required:
        yield [*code.arguments, *by_numpy_names(code.arguments)]
        return
    yield code.arguments
    if required[-1] == "dim":  # by the other name, what stands behind it is given by name too
        dim = [a.name for a in code.arguments].index("dim")
        behind = [replace(a, name=NUMPY_NAMES.get(a.name, a.name), keyword_only=True) for a in code.arguments[dim:]]
        yield [*code.arguments[:dim], *behind]


def one_by_one(code: OpCode) -> str:
    _, sizes, *options = code.arguments
    named = parameter_list(options, hint=code.parameter_hint).removeprefix("*, ")
    return ", ".join(filter(None, ["self", f"*{sizes.python_name}: int", named]))


def operator_methods(code: OpCode) -> list[Signature]:
    symbol = code.entry.operator or ""
    names = list(UNARY.get(symbol, ()))
    if names:
        return [Signature(name, "self", "Tensor") for name in names]
    if symbol in COMPARISONS:
        other = "Any" if symbol in ("==", "!=") else OPERAND  # as `object` has these two
        return [Signature(COMPARISONS[symbol], f"self, other: {other}", "Tensor")]
    if symbol not in BINARY:
        return []
    other = "Tensor" if symbol == "@" else OPERAND
    stems = ["", *(["r"] if symbol in REFLECTED else []), *(["i"] if code.has_inplace else [])]
    return [Signature(f"__{stem}{BINARY[symbol]}__", f"self, other: {other}", "Tensor") for stem in stems]


def flagged_overloads(signatures: Sequence[Signature]) -> list[Signature]:
    groups: dict[str, dict[Signature, None]] = {}
    for signature in signatures:
        groups.setdefault(signature.name, {})[signature] = None
    return [signature for group in groups.values() for signature in distinct(list(group))]


def distinct(group: list[Signature]) -> list[Signature]:
    if len(group) == 1:
        return group
    plain = [replace(s, parameters=s.parameters.replace(OPERAND, "Tensor"), overload=True) for s in group]
    takes_numbers = any(": Number" in s.parameters for s in plain)
    return plain if takes_numbers else [replace(s, overload=True) for s in group]
