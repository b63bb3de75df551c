"""Element-wise entries without formulas: the slopes are derived, and run in forward mode and at kinks as they are."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..spec.model import Argument, Entry, Formula
from .boundaries import POLICIES
from .derive import GRAD, derived
from .numbers import Unknown
from .proof import WRONG, Comparison
from .slope import ONE, NoSlope, slope, times


def completed(entry: Entry) -> Entry:
    """The entry with the formulas that it leaves out; as it is where none can be derived."""
    missing = without_formula(entry)
    if not missing or missing_slope(entry):
        return entry
    own = {argument.name: _formula(entry, argument) for argument in missing}
    order = [argument.name for argument in entry.schema.arguments]
    gradients = dict(sorted((entry.gradients | own).items(), key=lambda item: order.index(item[0])))
    found = replace(entry, gradients=gradients, forward=entry.forward or _forward(entry))
    return found if "kink" in entry.key_places else replace(found, kink=_policies(found))


def as_written(entry: Entry) -> Entry:
    """The entry without what was derived for it: `completed` gives it back."""
    gradients = {name: formula for name, formula in entry.gradients.items() if not formula.derived}
    if len(gradients) == len(entry.gradients):
        return entry
    forward = {name: formula for name, formula in entry.forward.items() if not formula.derived}
    kink = entry.kink if "kink" in entry.key_places else ("average",)
    return replace(entry, gradients=gradients, forward=forward, kink=kink)


def without_formula(entry: Entry) -> list[Argument]:
    """The differentiable arguments of an element-wise entry of which nothing is said."""
    wanted = entry.compute.kind == "elementwise" and entry.compute.tree is not None
    if not wanted or not any(entry.output_differentiability):
        return []
    return [argument for argument in entry.tensor_arguments if argument.name not in entry.gradients]


def missing_slope(entry: Entry) -> str:
    """Why no formula can be derived for what an entry leaves out; empty where one can."""
    try:
        for argument in without_formula(entry):
            _derived(entry, argument)
    except NoSlope as error:
        return str(error)
    return ""


def _derived(entry: Entry, argument: Argument) -> ast.expr:
    assert entry.compute.tree is not None
    return derived(entry.schema, entry.compute.tree, argument, "complex" in entry.dtypes, entry.functions)


def _formula(entry: Entry, argument: Argument) -> Formula:
    tree = _derived(entry, argument)
    return Formula(ast.unparse(tree), tree, entry.compute.where, derived=True)


def _forward(entry: Entry) -> dict[str, Formula]:
    """The tangent by the gradient formulas."""
    word = "auto_element_wise"
    rule = Formula(word, None, entry.compute.where, keyword=word, derived=True)
    return {output.name: rule for output in entry.schema.returns}


def _policies(entry: Entry) -> tuple[str, ...]:
    """Which slope each formula takes at kinks."""
    names = [name for name, formula in entry.gradients.items() if formula.tree is not None]
    found = tuple(_policy(entry, name) for name in names)
    return found[:1] if len(set(found)) == 1 else found


def _policy(entry: Entry, argument: str) -> str:
    assert entry.compute.tree is not None
    written = times(GRAD, slope(entry.compute.tree, {argument: ONE}, entry.functions))
    try:
        for policy in sorted(POLICIES, key=("average", "left", "right").__contains__, reverse=True):  # for any numbers
            if Comparison(replace(entry, kink=(policy,)), argument, written, None).verdict().state != WRONG:
                return policy
    except Unknown:  # of a user's function that is no expression: it is not run while a spec is read
        pass
    return "average"
