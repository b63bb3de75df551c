"""Derives the gradient formulas that an element-wise entry leaves out, by the chain rule, as formulas over ops.

`python -m codegen derive EXPRESSION`: an entry for a scalar expression, with the formulas that it does not need.
"""

import argparse
import ast
import sys
import tempfile
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ..language.scalar_functions import NONE, Functions, known_function
from ..spec.formula import functions_in, names_in
from ..spec.formula import names as formula_names
from ..spec.load import EntriesOnDemand, read_spec
from ..spec.model import Argument, Entry, Formula, Problem, Schema, Spec
from .boundaries import POLICIES
from .derivative import ONE, NoDerivative, derivative, is_number, negative, times
from .formulas import Formulas
from .indexed_entries import with_derivatives
from .numbers import CONSTANTS, Unknown
from .program_derivative import program_formulas
from .proof import WRONG, Comparison

COMMAND = __package__.rpartition(".")[0]

GRAD = ast.Name("grad", ast.Load())


def derived(
    schema: Schema,
    expression: ast.expr,
    argument: Argument,
    is_complex: bool,
    own: Functions = NONE,
    result: ast.expr | None = None,
) -> ast.expr:
    """The gradient formula of one argument, conjugated where `is_complex`; NoDerivative where one is not known.

    In it the output stands for the expression `result`.
    """
    tensors = {a.name for a in schema.arguments if a.type.is_tensor}
    if is_complex and (reason := not_analytic(expression, own)):
        raise NoDerivative(reason)
    formula = Formulas(result, tensors, own).formula(derivative(expression, {argument.name: ONE}, own))
    tree = ast.parse(ast.unparse(with_gradient(formula, tensors if is_complex else ())), mode="eval").body
    for node in ast.walk(tree):
        ast.copy_location(node, expression)
    return tree


def not_analytic(tree: ast.expr, own: Functions) -> str:
    no_function = "is no analytic function of complex numbers"
    ordered = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ordered):
            return f"{ast.unparse(node)} {no_function}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            known = known_function(node.func.id, own)
            steps = known is not None and any(text in ("0", "sgn(x)") for text in known.derivatives)
            if steps or node.func.id in ("conj", "real", "imag", "maximum", "minimum", "fmax", "fmin"):
                return f"{node.func.id} {no_function}"
            if node.func.id in own and own[node.func.id].derivative(0) is None:
                value = "give its derivative by @derivatives"
                return f"what {node.func.id} computes is known of real numbers only: {value}"
    return ""


def with_gradient(tree: ast.expr, conjugated: Collection[str]) -> ast.expr:
    """The derivative, conjugated by complex tensors, times `grad`; in a choice the side that is not 0 alone."""
    if is_number(tree, 0):
        return ast.Call(ast.Name("zeros_like", ast.Load()), [GRAD], [])
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "where":
        test, *sides = tree.args
        return ast.Call(tree.func, [test, *(s if is_number(s, 0) else with_gradient(s, conjugated) for s in sides)], [])
    if isinstance(tree, ast.IfExp):
        return ast.IfExp(tree.test, with_gradient(tree.body, conjugated), with_gradient(tree.orelse, conjugated))
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return negative(with_gradient(tree.operand, conjugated))
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div) and is_number(tree.left, 1):
        return ast.BinOp(GRAD, ast.Div(), _conjugate(tree.right, conjugated))
    names = names_in(tree)
    if conjugated and names and not names & {*conjugated, "result"}:  # of plain numbers, which have no conj()
        return _conjugate(times(_conjugate(GRAD, ("grad",)), tree), ("grad",))
    return times(GRAD, _conjugate(tree, conjugated))


def _conjugate(tree: ast.expr, conjugated: Collection[str]) -> ast.expr:
    if not conjugated or isinstance(tree, ast.Constant):
        return tree
    return ast.Call(ast.Attribute(tree, "conj", ast.Load()), [], [])


def completed(entry: Entry) -> Entry:
    with suppress(NoDerivative):
        return with_formulas(entry)
    return entry


def missing_derivative(entry: Entry) -> str:
    try:
        with_formulas(entry)
    except NoDerivative as error:
        return str(error)
    return ""


def with_formulas(entry: Entry) -> Entry:
    """The entry with the formulas that it leaves out; NoDerivative where one is not known."""
    missing = without_formula(entry)
    if not missing:
        return entry
    if entry.indexed is not None:
        return with_derivatives(entry, missing)
    if entry.rows is not None:
        definitions, gradients, forward = program_formulas(entry)
        gradients = {a.name: entry.gradients.get(a.name) or gradients[a.name] for a in entry.tensor_arguments}
        definitions, forward = entry.definitions | definitions, entry.forward or forward
        return replace(entry, definitions=definitions, gradients=gradients, forward=forward)
    where, word = entry.compute.where, "auto_element_wise"
    trees = {argument.name: _derived(entry, argument) for argument in missing}
    own = {name: Formula(ast.unparse(tree), tree, where, derived=True) for name, tree in trees.items()}
    order = [argument.name for argument in entry.schema.arguments]
    gradients = dict(sorted((entry.gradients | own).items(), key=lambda item: order.index(item[0])))
    rule = Formula(word, None, where, keyword=word, derived=True)
    forward = entry.forward or {output.name: rule for output in entry.schema.returns}
    result = replace(entry, gradients=gradients, forward=forward)
    if "kink" in entry.key_locations:
        return result
    policies = tuple(_policy(result, name) for name in result.formulas)
    return replace(result, kink=policies[:1] if len(set(policies)) == 1 else policies)


def load_spec(path: str | Path, shown: str | None = None, own: Functions = NONE) -> tuple[Spec, list[Problem]]:
    """A spec whose entries get the formulas that they leave out: what every command but `derive` works on."""
    return read_spec(path, shown, own, completed)


def load_on_demand(path: Path, own: Functions = NONE) -> EntriesOnDemand:
    return EntriesOnDemand(path, own, completed)


def as_written(entry: Entry) -> Entry:
    gradients = {name: formula for name, formula in entry.gradients.items() if not formula.derived}
    if len(gradients) == len(entry.gradients):
        return entry
    forward = {name: formula for name, formula in entry.forward.items() if not formula.derived}
    kink = entry.kink if "kink" in entry.key_locations else ("average",)
    return replace(entry, gradients=gradients, forward=forward, kink=kink)


def without_formula(entry: Entry) -> list[Argument]:
    expected = entry.compute.kind == "elementwise" and entry.differentiated is not None
    if not (expected or entry.program is not None) or not any(entry.output_differentiability):
        return []
    return [argument for argument in entry.tensor_arguments if argument.name not in entry.gradients]


def _derived(entry: Entry, argument: Argument) -> ast.expr:
    assert entry.differentiated is not None
    result = entry.compute.tree if entry.derivative_of is None else None
    return derived(entry.schema, entry.differentiated, argument, "complex" in entry.dtypes, entry.functions, result)


def _policy(entry: Entry, argument: str) -> str:
    assert entry.differentiated is not None
    written = times(GRAD, derivative(entry.differentiated, {argument: ONE}, entry.functions))
    try:
        for policy in sorted(POLICIES, key=("average", "left", "right").__contains__, reverse=True):  # for any numbers
            if Comparison(replace(entry, kink=(policy,)), argument, written, None).verdict().state != WRONG:
                return policy
    except Unknown:  # of a user's function that is no expression: it is not run while a spec is read
        pass
    return "average"


NAME = "my_op"


def derive_command(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m {COMMAND} derive", description=__doc__)
    parser.add_argument("expression", help='over names of tensors, as in "self * sigmoid(beta * self)"')
    parser.add_argument("--numbers", nargs="*", default=[], metavar="NAME", help="the names that are numbers")
    parser.add_argument("--complex", action="store_true", help="for complex numbers too")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "entry.yaml"
        path.write_text(entry_source(options.expression, options.numbers, options.complex), encoding="utf-8")
        spec, problems = read_spec(path, "expression")
    for problem in problems:
        print(f"derive: {problem.message}", file=sys.stderr)
    return 1 if problems or not spec.entries else shown(completed(spec.entries[0]))


def entry_source(expression: str, numbers: Sequence[str], is_complex: bool) -> str:
    arguments = [f"{'Scalar' if name in numbers else 'Tensor'} {name}" for name in names(expression)]
    kinds = "float, complex" if is_complex else "float"
    body = "\n".join(f"    {line}" for line in expression.splitlines())
    return f"- name: {NAME}({', '.join(arguments)}) -> Tensor\n  dtypes: [{kinds}]\n  elementwise: >-\n{body}\n"


def names(expression: str) -> list[str]:
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        return ["self"]  # what is wrong is said where the entry is read
    other = {*functions_in(tree), *CONSTANTS}
    return list(dict.fromkeys(node.id for node in formula_names(tree) if node.id not in other))


def shown(entry: Entry) -> int:
    if reason := missing_derivative(entry):
        print(f"derive: no formula: {reason}", file=sys.stderr)
        return 1
    lines = [f"- name: {entry.schema.text}", f"  dtypes: [{', '.join(entry.dtypes)}]"]
    lines.append(f"  elementwise: {' '.join(entry.compute.text.split())}")
    lines += [f"  {name}: {formula.text}" for name, formula in entry.gradients.items()]
    lines += [f"  {name}: {formula.text}" for name, formula in entry.forward.items()]
    kinks = entry.kink[0] if len(entry.kink) == 1 else f"[{', '.join(entry.kink)}]"
    lines += [f"  kink: {kinks}"] * (entry.kink != ("average",))
    print("\n".join(lines))
    return 0
