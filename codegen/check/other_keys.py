"""Checks of the keys `onnx`, `reference` and `rows`, and for slips of the pen: `and` and `or` of tensors, and `^`."""

import ast
from collections.abc import Collection, Iterator, Mapping
from itertools import takewhile

from ..language.index_expressions import free_names
from ..language.indexed_faults import call_faults
from ..language.indexed_programs import IndexedProgram, arrays_in_subscripts
from ..language.row_programs import Program, program_faults
from ..language.syntax import did_you_mean
from ..library.modules import shown_arity
from ..programs.passes import Lowered
from ..programs.program_kinds import ProgramCode
from ..programs.python_code import INTEGER, TRUTH, Spelling
from ..spec.definitions import with_meaning
from ..spec.formula import METADATA, names_in
from ..spec.model import Formula, Problem
from ..spec.names import Operator, operators
from ..spec.reference import RESULT, name_faults, same_expression
from ..spec.row_program import LAYOUT, NO_PART, is_output_mask
from .scope import Context

POWER = "'^' is the exclusive or of bits: a power is written **"
MESSAGES = {ast.And: "'and' wants one truth value, and a tensor has many: write (a) & (b)",
         ast.Or: "'or' wants one truth value, and a tensor has many: write (a) | (b)"}  # fmt: skip
NOT = "'not' wants one truth value, and a tensor has many: write ~(a)"
CHAIN = "a chain of comparisons wants one truth value, and a tensor has many: write (a < b) & (b < c)"
CHOICE = "'if' wants one truth value, and a tensor has many: write where(condition, a, b)"


def check_logic(context: Context) -> Iterator[Problem]:
    entry, compute = context.entry, context.entry.compute
    if compute.kind == "elementwise" and compute.tree is not None and {"float", "complex"} & set(entry.dtypes):
        names = [a.name for a in entry.schema.arguments]
        yield from (context.problem(node, POWER, compute.kind) for node in _powers(compute.tree, names))
    arguments = [a.name for a in entry.tensor_arguments if not a.type.is_list]
    tensors = {"grad", *arguments, *(f"{name}_{suffix}" for name in arguments for suffix in "pt"), *context.outputs}
    trees = {name: formula.tree for name, formula in {**entry.gradients, **entry.forward}.items()}
    trees |= {"composite": compute.tree} if compute.kind == "composite" else {}
    for key, tree in trees.items():
        if tree is None:
            continue
        yield from (context.problem(node, message, key) for node, message in _faults(tree, tensors))
        if compute.kind != "composite" or {"float", "complex"} & set(entry.dtypes):
            yield from (context.problem(node, POWER, key) for node in _powers(tree, ()))


def _powers(tree: ast.expr, numbers: Collection[str]) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(left=left, op=ast.BitXor(), right=right):
                yield from [node] if _is_number(left, numbers) or _is_number(right, numbers) else []


def _is_number(node: ast.expr, numbers: Collection[str]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float | complex) and not isinstance(node.value, bool)
    return isinstance(node, ast.Name) and node.id in numbers


def _faults(tree: ast.expr, tensors: Collection[str]) -> Iterator[tuple[ast.expr, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.BoolOp(op=word, values=values) if any(_is_tensor(value, tensors) for value in values):
                yield node, MESSAGES[type(word)]
            case ast.UnaryOp(op=ast.Not(), operand=operand) if _is_tensor(operand, tensors):
                yield node, NOT
            case ast.Compare(left=left, comparators=[_, _, *_] as others):
                if any(_is_tensor(side, tensors) for side in (left, *others)):
                    yield node, CHAIN
            case ast.IfExp(test=test) if _is_tensor(test, tensors):
                yield node, CHOICE


def _is_tensor(node: ast.expr, tensors: Collection[str]) -> bool:
    match node:
        case ast.Name(id=name):
            return name in tensors
        case ast.BinOp(left=left, right=right):
            return _is_tensor(left, tensors) or _is_tensor(right, tensors)
        case ast.UnaryOp(op=sign, operand=operand):
            return not isinstance(sign, ast.Not) and _is_tensor(operand, tensors)
        case ast.Compare(left=left, ops=ops, comparators=others):
            identity = isinstance(ops[0], ast.Is | ast.IsNot)
            return not identity and any(_is_tensor(side, tensors) for side in (left, *others))
        case ast.Subscript(value=value):
            return _is_tensor(value, tensors)
        case ast.Attribute(value=value, attr=attribute):
            return attribute not in METADATA and _is_tensor(value, tensors)
    return False


Fault = tuple[ast.AST, str]


def check_onnx(context: Context) -> Iterator[Problem]:
    entry, table = context.entry, operators()
    helpers = context.known.onnx or {}
    known = [*(a.name for a in entry.schema.arguments), *context.outputs, "results", *table, *helpers]
    yield from _check_parts(context, "onnx", entry.onnx, known)
    for tree in _trees(entry.onnx):
        yield from (context.problem(node, message, "onnx") for node, message in _call_faults(context, tree, table))


def _trees(parts: Mapping[str, Formula]) -> list[ast.expr]:
    """Those of all parts up to the first that could not be read."""
    return [part.tree for part in takewhile(lambda each: each.tree is not None, parts.values()) if part.tree]


def _check_parts(context: Context, key: str, parts: Mapping[str, Formula], known: list[str]) -> Iterator[Problem]:
    """The names of parts that are defined one after the other, and that all but the last are used."""
    trees = _trees(parts)
    for name, tree in zip(parts, trees, strict=False):
        yield from (context.problem(node, message, key) for node, message in name_faults(tree, known))
        known = [*known, name]
    used = names_in(*trees)
    for name, part in [*parts.items()][:-1] if len(trees) == len(parts) else ():
        if name not in used:
            yield context.problem(part.where, f"nothing uses '{name}'", key)


def _call_faults(context: Context, tree: ast.expr, table: dict[str, Operator]) -> Iterator[Fault]:
    helpers = context.known.onnx or {}
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in table:
                yield from _operator_faults(node, name, table[name])
            case ast.Call(func=ast.Name(id=name)) if name in helpers:
                fewest, max_args = helpers[name]
                value = len(node.args) + len(node.keywords) + 1  # the operators come first
                if not fewest <= value <= max_args and not any(isinstance(arg, ast.Starred) for arg in node.args):
                    yield node, f"'{name}' takes {shown_arity((fewest - 1, max_args - 1))}, not {value - 1}"
            case ast.Name(id=name) if name in table and id(node) not in called:
                yield node, f"the operator '{name}' is to be called"


def _operator_faults(node: ast.Call, name: str, operator: Operator) -> Iterator[Fault]:
    starred = any(isinstance(arg, ast.Starred) for arg in node.args)
    if not starred and not operator.fewest <= len(node.args) <= operator.max_args:
        count = shown_arity((operator.fewest, operator.max_args), "input")
        yield node, f"{name} takes {count}, not {len(node.args)}"
    for keyword in node.keywords:
        if keyword.arg not in operator.attributes:
            hint = did_you_mean(keyword.arg or "", operator.attributes)
            yield keyword.value, f"{name} has no attribute '{keyword.arg}'{hint}"


def check_reference(context: Context) -> Iterator[Problem]:
    entry = context.entry
    arguments, trees = [a.name for a in entry.schema.arguments], _trees(entry.reference)
    yield from _check_parts(context, "reference", entry.reference, arguments)
    if not entry.reference or len(trees) < len(entry.reference):
        return
    result = [*entry.reference.values()][-1]
    if not names_in(*trees) & set(arguments) and arguments:
        yield context.problem(result.where, "it reads no argument of the op", "reference")
    full_source = _written_out(entry.reference) if entry.compute.tree is not None else None
    if entry.compute.tree is not None and full_source is not None and same_expression(full_source, entry.compute.tree):
        message = f"it says what '{entry.compute.kind}' says, with its mistakes: say it in another way"
        yield context.problem(result.where, message, "reference")


def _written_out(reference: Mapping[str, Formula]) -> ast.expr | None:
    if len(reference) == 1:
        return reference[RESULT].tree
    results: dict[str, ast.expr] = {}
    for name, part in reference.items():
        tree = with_meaning(part, results)[0].tree
        if tree is None:
            return None
        results[name] = tree
    return results[RESULT]


DTYPES_OF_KIND = {INTEGER: ("int64", "int32"), TRUTH: ("bool",)}  # of `result_dtype` for outputs that are no floats


def check_other_dtypes(context: Context) -> Iterator[Problem]:
    entry = context.entry
    if entry.other_dtypes is None:
        return
    if entry.rows is None:
        yield context.at("other_dtypes", "only a row program leaves dtypes to an expression")
    elif set(entry.dtypes) <= {"float"}:
        yield context.at("other_dtypes", "it computes nothing: dtypes has floats alone, which the program computes")
    elif "inplace" in entry.variants:
        yield context.at("other_dtypes", "an op that is computed by it has no in-place variant")
    elif entry.other_dtypes.tree is not None:
        scope = context.scope([a.name for a in entry.schema.arguments])
        yield from context.faults(scope, entry.other_dtypes.tree, "other_dtypes")


def check_program(context: Context) -> Iterator[Problem]:
    entry = context.entry
    key = "rows" if entry.rows is not None else "indexed"
    if entry.program is None:
        return
    faults = list(_program_faults(context))
    yield from (context.problem(node, message, key) for node, message in faults)
    if entry.identifier in context.known.by_hand:
        yield context.at(key, f"there is a kernel '{entry.identifier}' already: give the op another name")
    if set(entry.dtypes) != {"float"} and entry.other_dtypes is None:
        where = entry.key_locations.get("dtypes", entry.key_locations[key])
        kind = "row" if entry.rows is not None else key
        hint = ", or other_dtypes: an expression for the others" if entry.rows is not None else ""
        yield context.problem(where, f"{kind} programs are for floats: dtypes: [float]{hint}", key)
    if entry.rows is not None:
        yield from _check_rows(context, entry.rows, bool(faults))
    elif entry.indexed is not None:
        yield from _check_indexed(context, entry.indexed)
    if entry.indexed is not None and not entry.derived_from:
        yield from _check_dtypes(context, key, ProgramCode(entry.indexed).kinds)
    elif entry.rows is not None and not faults:
        yield from _check_dtypes(context, key, Spelling(Lowered(entry.rows), lambda *_: "", "").kinds)


def _program_faults(context: Context) -> Iterator[Fault]:
    rows, indexed, functions = context.entry.rows, context.entry.indexed, context.known.scalars
    yield from program_faults(rows, functions) if rows is not None else ()
    yield from call_faults(indexed, functions) if indexed is not None else ()


def _check_rows(context: Context, program: Program, is_faulty: bool) -> Iterator[Problem]:
    read = names_in(*(statement.value for statement in program.statements))
    for parameter in program.parameters if not is_faulty else ():
        if parameter.name not in read:
            yield context.at("rows", f"the program does not read '{parameter.array}'")
    for argument in context.entry.schema.arguments:
        if argument.name in LAYOUT and argument.type.base != LAYOUT[argument.name]:
            message = f"expected '{argument.name}' to be {LAYOUT[argument.name]}: it says what a row is"
            yield context.problem(context.entry.where, message, "rows")


def _check_dtypes(context: Context, key: str, kinds: Mapping[str, str]) -> Iterator[Problem]:
    entry = context.entry
    where = entry.key_locations.get("result_dtype", entry.key_locations[key])
    for output, word in zip(entry.schema.returns, entry.result_dtype, strict=True):
        allowed = DTYPES_OF_KIND.get(kinds[output.name], ("same", "real"))
        if word not in allowed:
            message = f"'{output.name}' is {allowed[0] if allowed[0] != 'same' else 'of the dtype of the elements'}"
            yield context.problem(where, f"{message}, but result_dtype says {word}", key)


def _check_indexed(context: Context, program: IndexedProgram) -> Iterator[Problem]:
    entry = context.entry
    if not program.of_kind("input"):
        message = "expected a tensor that is not `non_differentiable`: the program computes in its dtype"
        yield context.at("indexed", message)
    for array in program.of_kind("input"):
        if any(array.name in arrays_in_subscripts(statement, program.arrays) for statement in program.statements):
            message = f"'{array.name}' is read as a place: write `{array.name}: non_differentiable`"
            yield context.at("indexed", message)
    trees = [tree for s in program.statements for tree in (s.value, *s.subscripts)]
    trees += [dim for array in program.arrays.values() for dim in array.dims]
    trees += [end for s in program.statements for ends in s.ranges.values() for end in ends]
    used = {name for tree in trees for name in free_names(tree)}
    used |= {a.name for a in program.of_kind("input", "constant") if entry.derived_from}  # whose shapes say sizes
    for argument in entry.schema.arguments:
        if argument.type.base not in NO_PART and argument.name not in used and not is_output_mask(argument):
            yield context.at("indexed", f"the program does not read '{argument.name}'")
