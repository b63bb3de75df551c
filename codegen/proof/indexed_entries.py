"""The internal ops that compute gradients and tangents of an op whose elements a program gives, and its formulas.

NAME_backward and NAME_tangent are indexed programs too, so derivatives of theirs are derived in the same way; those of
third order are not.
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..language.index_expressions import PADDED, fresh, is_name
from ..language.indexed_programs import IndexedProgram
from ..language.indexed_reader import Reader
from ..spec.formula import item, names_in
from ..spec.model import Argument, Compute, Entry, Formula, identifier
from ..spec.row_program import check_of_rows
from ..spec.signature import parse_schema
from .derivative import NoDerivative
from .indexed_forward import Forward
from .indexed_reverse import Reverse
from .program_builder import Derived

ORDERS = 2  # how often an op can be differentiated


def with_derivatives(entry: Entry, missing: Iterable[Argument], level: int = 0) -> Entry:
    """The entry with its formulas, and the internal entries that these call."""
    assert entry.indexed is not None
    if level == ORDERS:
        why = Formula("", None, entry.where, keyword="not_implemented", why="derivatives of third order", derived=True)
        return replace(entry, gradients=entry.gradients | {a.name: why for a in missing})
    names = [argument.name for argument in missing]
    pairs = zip(entry.schema.returns, entry.output_differentiability, strict=True)
    outputs = [output.name for output, is_differentiable in pairs if is_differentiable]
    reverse = Reverse(entry.indexed, names, outputs, entry.functions).derived()
    tangent = Forward(entry.indexed, names, outputs, entry.functions).derived()
    backward = _internal(entry, f"{entry.identifier}_backward", reverse)
    forward = _internal(entry, f"{entry.identifier}_tangent", tangent)
    grads = ["grad"] if len(outputs) == 1 else [f"grads[{k}]" for k in range(len(outputs))]
    call = _call(entry, backward, dict(zip(reverse.inputs, grads, strict=True)))
    gradients = {name: item(call, k) if len(names) > 1 else call for k, name in enumerate(names)}
    dots = dict(zip(tangent.inputs, [f"{name}_t" for name in names], strict=True))
    primals = {a.name: f"{a.name}_p" for a in entry.tensor_arguments}
    call = _call(entry, forward, primals | dots)
    tangents = {name: item(call, k) if len(outputs) > 1 else call for k, name in enumerate(outputs)}
    own = tuple(each for one in (backward, forward) for each in _completed(one, level + 1))
    order = [argument.name for argument in entry.schema.arguments]
    all_gradients = dict(sorted((entry.gradients | gradients).items(), key=lambda pair: order.index(pair[0])))
    return replace(entry, gradients=all_gradients, forward=tangents | entry.forward, internal=own)


def _completed(entry: Entry, level: int) -> tuple[Entry, ...]:
    missing = [a for a in entry.tensor_arguments if a.name not in entry.gradients]
    completed = with_derivatives(entry, missing, level)
    return (replace(completed, internal=()), *completed.internal)


def _internal(entry: Entry, name: str, derived: Derived) -> Entry:
    """The entry of a derived program; its arguments are those that the program reads, in the parent's order."""
    parent = entry.indexed
    assert parent is not None
    body = ast.parse("\n".join(derived.lines)).body
    declared = [_target(node) for node in body if isinstance(node, ast.AnnAssign)]
    inputs = [n for n in (*derived.inputs, *parent.arrays) if n in declared and n not in derived.outputs]
    inputs = [n for n in inputs if n in derived.inputs or parent.arrays[n].kind != "local"]
    body, inputs = _with_sizes(parent, body, inputs)
    body, inputs = _without_result(body, inputs)
    used = names_in(*body)
    numbers = {number: kind for number, kind in parent.numbers.items() if number in used}
    arguments = [f"Tensor {each}" for each in inputs] + [f"{kind} {each}" for each, kind in numbers.items()]
    outputs = [f"Tensor {each}" for each in derived.outputs]
    returned = "Tensor" if len(outputs) == 1 else f"({', '.join(outputs)})"
    schema = parse_schema(f"{name}({', '.join(arguments)}) -> {returned}")
    constants = {a.name for a in parent.of_kind("constant")} | {
        n for n in inputs if n in parent.outputs and n not in derived.inputs and _is_index(entry, n)
    }
    kinds = {each: "constant" if each in constants else "input" for each in inputs}
    outputs_of = [r.name for r in schema.returns]
    unchecked = parent.unchecked | _unchecked_arrays(parent) | {*parent.outputs}
    reader = Reader(name, kinds, numbers, outputs_of, unchecked, is_derived=True)
    if len(derived.outputs) == 1:  # a schema calls it `result`
        body = _renamed(body, derived.outputs[0], schema.returns[0].name)
    program = reader.read(body)
    if program is None:
        raise NoDerivative(f"its program: {reader.faults[0][1]}")
    where = entry.compute.where
    constant = Formula("non_differentiable", None, where, keyword="non_differentiable", derived=True)
    return Entry(
        schema=schema,
        where=entry.where,
        compute=Compute("kernel", identifier(schema), None, where),
        indexed=program,
        check=check_of_rows(schema),
        variants=("formula",),
        batch="generalized",
        dtype="match",
        dtypes=("float",),
        result_dtype=("same",) * len(outputs),
        output_differentiability=(True,) * len(outputs),
        gradients={name: constant for name in inputs if name in constants},
        derived_from=entry.derived_from or entry.name,
        complex=False,
        doc=f"{'; '.join(derived.outputs)} of {entry.name}.",
        key_locations=dict.fromkeys(("name", "indexed", "kernel", "check", "batch"), where),
        section=entry.section,
        functions=entry.functions,
    )


def _unchecked_arrays(program: IndexedProgram) -> set[str]:
    """Arguments whose elements may be places outside, as padded() allows them."""
    calls = [n for s in program.statements for n in ast.walk(s.value) if isinstance(n, ast.Call)]
    padded = [n.args[0] for n in calls if isinstance(n.func, ast.Name) and n.func.id == PADDED]
    return names_in(*padded) & {array.name for array in program.of_kind("constant")}


def _target(node: ast.AnnAssign) -> str:
    assert isinstance(node.target, ast.Name)
    return node.target.id


def _without_result(body: list[ast.stmt], inputs: list[str]) -> tuple[list[ast.stmt], list[str]]:
    """With another name for the parent's `result`: one output of a schema is called so."""
    if "result" not in inputs:
        return body, inputs
    name = fresh("output", names_in(*body))
    return _renamed(body, "result", name), [name if each == "result" else each for each in inputs]


def _is_index(entry: Entry, name: str) -> bool:
    number = [output.name for output in entry.schema.returns].index(name)
    return entry.result_dtype[number] in ("bool", "int32", "int64")


def _renamed(body: list[ast.stmt], name: str, other: str) -> list[ast.stmt]:
    for node in (node for each in body for node in ast.walk(each) if isinstance(node, ast.Name)):
        node.id = other if node.id == name else node.id
    return body


def _with_sizes(parent: IndexedProgram, body: list[ast.stmt], inputs: list[str]) -> tuple[list[ast.stmt], list[str]]:
    """With more arrays of the parent where only their shapes say a size."""
    shapes = {_target(node): node.annotation for node in body if isinstance(node, ast.AnnAssign)}
    lines, results = list(body), list(inputs)
    while True:
        bound = {d.id for n in results for d in _dims(shapes.get(n)) if isinstance(d, ast.Name)}
        missing = [size for size in parent.sizes if size in names_in(*lines) and size not in bound]
        if not missing:
            return lines, results
        array = next(a for a in parent.arrays.values() if any(is_name(dim, missing[0]) for dim in a.dims))
        text = f"{array.name}: ({', '.join(map(ast.unparse, array.dims))},)"
        lines.insert(0, ast.parse(text).body[0])
        shapes[array.name] = lines[0].annotation  # type: ignore[attr-defined]
        results.append(array.name)


def _dims(annotation: ast.expr | None) -> list[ast.expr]:
    return list(annotation.elts) if isinstance(annotation, ast.Tuple) else []


def _call(entry: Entry, internal: Entry, named: Mapping[str, str]) -> Formula:
    own = {a.name for a in entry.schema.arguments} | {r.name for r in entry.schema.returns}
    inputs = {a.name: a.name if a.name in own else "result" for a in internal.schema.arguments} | dict(named)
    arguments = ", ".join(inputs[a.name] for a in internal.schema.arguments)
    text = f"{internal.schema.name}({arguments})"
    tree = ast.parse(text, mode="eval").body
    for node in ast.walk(tree):
        ast.copy_location(node, ast.Pass(lineno=entry.compute.where.line, col_offset=entry.compute.where.col - 1))
    return Formula(text, tree, entry.compute.where, derived=True)
