"""Forward mode: from the keyword or formula of an output to the lines that compute its tangent.

In these every argument is a local variable, `x_t` is the tangent of x or None, and `result` the output or a tuple.
"""

import ast

from ..spec.definitions import locals_of, substituted
from ..spec.formula import names_in
from ..spec.model import Argument, Entry, Formula, output_names
from .saved_tensors import Calls, differentiable_formulas, rewrite, share


def forward_lines(entry: Entry, calls: Calls) -> list[str] | None:
    if not entry.forward:
        return None
    lines = [f"{name} = {_source(entry, name)}" for name in _outputs_read(entry)]
    formulas: dict[str, Formula] = {}
    for index, output in enumerate(entry.schema.returns):
        formula = entry.forward.get(output.name) or (entry.forward.get("result") if index == 0 else None)
        if formula is not None and formula.keyword != "zero" and entry.output_differentiability[index]:
            formulas[f"tangent{index}"] = formula
    why = next((formula.why for formula in formulas.values() if formula.keyword == "not_implemented"), None)
    if why is not None:
        return [f"raise NotDifferentiableError({f'{entry.name}(): no forward mode: {why}'!r})"]
    own = locals_of(entry, {name: formula for name, formula in formulas.items() if formula.tree is not None})
    used = names_in(*(formula.tree for formula in formulas.values() if formula.tree is not None))
    missing = [f"zeros_if_missing({a.name}_t, {a.name})" if f"{a.name}_t" in used else "" for a in _inputs(entry)]
    lines += [f"{a.name}_t = {zeros}" for a, zeros in zip(_inputs(entry), missing, strict=True) if zeros]
    lines += [f"{name} = {_respelt(tree, entry, calls)}" for name, tree in own.definitions.items()]
    general = {name: _general(entry, each, calls) for name, each in formulas.items() if each.tree is None}
    written = {name: _respelt(tree, entry, calls) for name, tree in own.formulas.items()}
    expressions, shared = share({name: (general | written)[name] for name in formulas})
    tangents = [name if (name := f"tangent{i}") in expressions else "None" for i in range(len(entry.schema.returns))]
    lines += [f"{call.name} = {call.source}" for call in shared]
    lines += [f"{name} = {expression}" for name, expression in expressions.items()]
    gives_list = entry.schema.returns[0].type.is_list
    lines.append(f"return {tangents[0]}" if gives_list else f"return ({', '.join(tangents)},)")
    return lines


def _source(entry: Entry, name: str) -> str:
    return f"result[{output_names(entry)[name]}]" if len(entry.schema.returns) > 1 else "result"


def _outputs_read(entry: Entry) -> list[str]:
    formulas = list(entry.forward.values())
    if any(f.keyword == "auto_element_wise" for f in formulas):
        formulas += entry.gradients.values()
    used = names_in(*(f.tree for f in formulas if f.tree is not None))
    if any(f.keyword == "auto_select" for f in entry.forward.values()):
        used.add("result1")
    single = len(entry.schema.returns) == 1
    return [n for n in output_names(entry) if n in used and not (single and n == "result")]


def _general(entry: Entry, formula: Formula, calls: Calls) -> str:
    if formula.keyword == "auto_element_wise":
        return _total(_gradient_terms(entry, calls))
    if formula.keyword == "auto_linear":
        return _linear(entry, calls)
    if formula.keyword == "auto_multilinear":
        return _total([(a.name, _call(entry, calls, {a.name})) for a in _inputs(entry)])
    assert formula.keyword == "auto_select"
    argument = _inputs(entry)[0].name
    dim = "dim" if entry.schema.argument("dim") else "None"
    keepdim = "keepdim" if entry.schema.argument("keepdim") else "True"
    return f"select_tangent({argument}_t, {dim}, {keepdim}, result1)"


def _respelt(tree: ast.expr, entry: Entry, calls: Calls) -> str:
    primals = {f"{a.name}_p": ast.Name(a.name, ast.Load()) for a in entry.schema.arguments}
    return rewrite(substituted(tree, primals), calls)


def _inputs(entry: Entry) -> list[Argument]:
    formulas = differentiable_formulas(entry)
    return [a for a in entry.schema.arguments if a.name in formulas]


def _gradient_terms(entry: Entry, calls: Calls) -> list[tuple[str, str]]:
    """(argument, its part of the tangent): the reverse formula with the tangent's conjugate for `grad`, conjugated."""
    terms = []
    for name in differentiable_formulas(entry):
        tangent = ast.parse(f"{name}_t.conj()", mode="eval").body
        conjugated = ast.Attribute(substituted(entry.formulas[name], {"grad": tangent}), "conj", ast.Load())
        terms.append((name, rewrite(ast.Call(conjugated, [], []), calls)))
    return terms


def _total(terms: list[tuple[str, str]]) -> str:
    if len(terms) == 1:
        return terms[0][1]
    parts = ", ".join(f"None if {name}_t is None else {source}" for name, source in terms)
    return f"total({parts})"


def _linear(entry: Entry, calls: Calls) -> str:
    """The op itself on the tangents: missing ones count as zeros."""
    inputs = _inputs(entry)
    if len(inputs) == 1 and not inputs[0].type.is_list:
        return _call(entry, calls, {inputs[0].name})
    return _call(entry, calls, {a.name for a in inputs}, zeros=True)


def _call(entry: Entry, calls: Calls, replaced: set[str], zeros: bool = False) -> str:
    parts = []
    for argument in entry.schema.arguments:
        value = argument.name
        if value in replaced:
            value = f"zeros_if_missing({value}_t, {value})" if zeros else f"{value}_t"
        parts.append(f"{argument.python_name}={value}" if argument.keyword_only else value)
    return f"op.{calls.functions[entry.name]}({', '.join(parts)})"
