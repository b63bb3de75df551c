"""Checks of the calls that an entry gives as samples and hard points."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..spec.keys import DTYPES
from ..spec.model import Problem, Sample
from ..spec.suggest import did_you_mean
from .context import Context
from .sample_tensors import MAKERS, tensor_fault
from .sample_types import type_fault

CONSTANTS = ("inf", "nan", "pi", *DTYPES)


def check_samples(context: Context) -> Iterator[Problem]:
    """Every sample, whether an entry that needs samples has them, and what holds at kinks."""
    entry = context.entry
    formulas = [f for f in entry.gradients.values() if f.tree is not None]
    if len(entry.kink) not in (1, len(formulas)):
        message = f"one word, or one for each of the {len(formulas)} gradient formulas, is wanted here"
        yield context.problem(entry.key_places["kink"], message, "kink")
    for key, samples in (("samples", entry.samples), ("hard", entry.hard)):
        for sample in samples:
            yield from check_sample(context, key, sample)
    loose = [a for a in entry.schema.arguments if a.default is None and not a.type.is_tensor]
    if (entry.compute.kind != "elementwise" or loose) and "samples" not in entry.key_places:
        yield context.problem(entry.where, "there are no samples to verify the op with", "samples")
    elif "samples" in entry.key_places:
        yield from _check_optional(context)


def _check_optional(context: Context) -> Iterator[Problem]:
    """An optional tensor that no sample gives has never been computed with."""
    entry = context.entry
    given = {
        name
        for sample in (*entry.samples, *entry.hard)
        for name, value in sample.arguments.items()
        if not (isinstance(value, ast.Constant) and value.value is None)
    }
    for argument in entry.schema.arguments:
        optional = argument.type.is_tensor and argument.type.optional
        if optional and argument.name not in {*given, *entry.unvaried, *entry.ignores}:
            message = f"no sample gives '{argument.name}': add one, or say under `unvaried` why there is none"
            yield context.problem(entry.key_places["samples"], message, "samples")


def check_sample(context: Context, key: str, sample: Sample) -> Iterator[Problem]:
    """Arguments the op has, all those it requires, and values made of known names."""
    arguments = context.entry.schema.arguments
    known = [a.name for a in arguments]
    for name, value in sample.arguments.items():
        if name not in known:
            message = f"the op has no argument '{name}'{did_you_mean(name, known)}"
            yield context.problem(value, message, key)
        faults = list(_check_value(context, key, value))
        yield from faults or _check_type(context, key, name, value)
    missing = [a.name for a in arguments if a.default is None and a.name not in sample.arguments]
    if missing:
        yield context.problem(sample.where, f"the sample misses {', '.join(missing)}", key)


def _check_type(context: Context, key: str, name: str, value: ast.expr) -> Iterator[Problem]:
    """A value is of its argument's type; for a tensor of an element-wise op, but the first, a number may stand."""
    argument = context.entry.schema.argument(name)
    if argument is not None:
        or_number = context.entry.compute.kind == "elementwise" and argument not in context.entry.tensor_arguments[:1]
        if fault := type_fault(value, argument.type, or_number):
            yield context.problem(value, f"{name}: {fault}", key)


def _check_value(context: Context, key: str, value: ast.expr) -> Iterator[Problem]:
    made = {id(call.func): call for call, _ in context.calls(value)}
    for node in ast.walk(value):
        match node:
            case ast.Name(id=name) if id(node) in made and name not in MAKERS:
                message = f"unknown maker '{name}' (one of {', '.join(MAKERS)})"
                yield context.problem(node, message, key)
            case ast.Name(id=name) if id(node) not in made and name not in CONSTANTS:
                yield context.problem(node, f"unknown name '{name}'{did_you_mean(name, CONSTANTS)}", key)
            case ast.Call(func=ast.Name(id=name), keywords=keywords) if name in MAKERS:
                for keyword in keywords:
                    if keyword.arg not in MAKERS[name]:
                        yield context.problem(keyword, f"{name} has no keyword '{keyword.arg}'", key)
                if fault := tensor_fault(node):
                    yield context.problem(node, fault, key)
