"""Whether a changed formula of an element-wise op is another way to write the same: no check can tell such a mutant."""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from specgrad.runtime.kernels.compile.scalar_library import cpu_library

from ..emit.kernel_code import is_plain_number, number_arguments, tensor_names
from ..emit.savings import output_names
from ..emit.scalar_code import Inliner, NotElementwise, functions_in
from ..spec.model import Entry, Formula

POINTS = 2000
RELATIVE = 1e-13  # of the larger of two values
HARD = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1e-8, -1e-8, 1e-300, 20.0, -20.0, 1e8, -1e8, math.inf, -math.inf)

Function = Callable[..., Any]


def equivalent(entry: Entry, original: ast.expr, mutated: ast.expr, inliner: Inliner) -> str | None:
    """Why two expressions of an element-wise entry are equal; None where they differ, or nothing is known.

    Both are brought to scalar form and computed at many points: hard ones in all pairs, random ones in the domain and
    far outside; where the op takes complex numbers, complex ones as well, and integers where it takes nothing else.
    """
    if entry.compute.kind != "elementwise":
        return None
    names = [*tensor_names(entry), *(a.name for a in number_arguments(entry)), *dict.fromkeys(output_names(entry))]
    names += ["grad", *(f"{n}_{kind}" for n in tensor_names(entry) for kind in "pt")]
    try:
        scope = {name: ast.Name(name, ast.Load()) for name in names}
        pair = [ast.unparse(ast.fix_missing_locations(inliner.scalar(tree, scope))) for tree in (original, mutated)]
    except NotElementwise:
        return None
    if pair[0] == pair[1]:
        return "the same scalar expression"
    real = np.float64 if {"float", "complex"} & set(entry.dtypes) else np.int64
    count = 0
    for kind in [real, np.complex128] if "complex" in entry.dtypes and entry.complex else [real]:
        number = _equal_points(entry, pair, kind)
        if number is None:
            return None
        count += number
    return f"equal at {count} points"


def tangent(entry: Entry, formula: Formula) -> ast.expr | None:
    """The tangent that a forward rule of an element-wise entry stands for, as an expression; None where it has none."""
    inputs = [name for name, own in entry.gradients.items() if own.tree is not None]
    expression = entry.compute.tree
    match formula.keyword:
        case None:
            return formula.tree
        case "auto_element_wise":
            terms = [_slope_term(entry, name) for name in inputs]
        case "auto_multilinear" if expression is not None:
            terms = [put(expression, {name: f"{name}_t"}) for name in inputs]
        case "auto_linear" if expression is not None:
            terms = [put(expression, {name: f"{name}_t" for name in inputs})]
        case _:
            return None
    return functools.reduce(lambda a, b: ast.BinOp(a, ast.Add(), b), terms) if terms else None


def _slope_term(entry: Entry, name: str) -> ast.expr:
    """The gradient formula of an argument along its tangent."""
    tree = entry.gradients[name].tree
    assert tree is not None
    return _conjugate(put(tree, {"grad": _conjugate(ast.Name(f"{name}_t", ast.Load()))}))


def _conjugate(tree: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(tree, "conj", ast.Load()), [], [])


def put(tree: ast.expr, given: Mapping[str, str | ast.expr]) -> ast.expr:
    """A copy of an expression with others in the place of names."""

    class Given(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            other = given.get(node.id, node)
            return ast.Name(other, ast.Load()) if isinstance(other, str) else other

    return Given().visit(copy.deepcopy(tree))


def _equal_points(entry: Entry, pair: Sequence[str], kind: type) -> int | None:
    """At how many points both are equal; None where they are not, or where one cannot be computed."""
    assert entry.compute.tree is not None
    functions = [_compiled(source, kind is np.complex128) for source in pair]
    as_result = bool if entry.result_dtype[0] == "bool" else complex
    forward = _compiled(ast.unparse(entry.compute.tree), kind is np.complex128)
    count = 0
    with np.errstate(all="ignore"):
        for values in itertools.islice(_points(entry, kind), POINTS):
            try:
                if any(name in source for source in pair for name in output_names(entry)):
                    values |= dict.fromkeys(output_names(entry), forward(values))
                if not _close(*(as_result(function(values)) for function in functions)):
                    return None
            except Exception:  # of whatever kind: nothing is known of an expression that cannot be computed
                return None
            count += 1
    return count


def _close(a: complex, b: complex) -> bool:
    if a == b or (np.isnan(a) and np.isnan(b)):
        return True
    return abs(a - b) <= RELATIVE * max(abs(a), abs(b)) < math.inf


def _compiled(source: str, is_complex: bool) -> Function:
    """An expression as a function of its names' values, over the compiled scalar functions."""
    library = cpu_library(is_complex)
    namespace = {name: library.get(name) for name in functions_in(source) if hasattr(library.module, name)}
    code = compile(source, "<formula>", "eval")
    return lambda values: eval(code, namespace, values)


def _points(entry: Entry, kind: type) -> Iterator[dict[str, Any]]:
    """Values of all names, hard ones first."""
    rng = np.random.default_rng(0)
    tensors = tensor_names(entry)
    is_complex = kind is np.complex128
    make: Any = _rounded if kind is np.int64 else kind
    masks = [name for name, f in entry.gradients.items() if f.keyword == "non_differentiable"]
    hard = itertools.islice(itertools.product(HARD, repeat=len(tensors)), POINTS // 2)
    for spots in itertools.chain(hard, itertools.repeat(None)):
        values: dict[str, Any] = {}
        for number, name in enumerate(tensors):
            low, high = entry.domain.get(name, (-2.0, 2.0))
            value = rng.uniform(low, high) * rng.choice([1, 1, 1, 10]) if spots is None else spots[number]
            values[name] = make(value + 1j * rng.normal()) if is_complex else make(value)
            values[name] = bool(rng.random() < 0.5) if name in masks else values[name]
            values |= {f"{name}_p": values[name], f"{name}_t": make(rng.normal())}
        for argument in number_arguments(entry):
            plain = rng.normal() if is_plain_number(argument) else rng.integers(0, 3)
            values[argument.name] = make(plain) if is_plain_number(argument) else int(plain)
        yield values | {"grad": make(rng.normal() + (1j * rng.normal() if is_complex else 0))}


def _rounded(value: Any) -> np.int64:
    """An integer near a number; what is larger than all integers is the largest."""
    return np.int64(np.clip(np.nan_to_num(10 * value), -(2**62), 2**62))
