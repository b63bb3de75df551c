"""Check 2: forward mode against reverse by the adjoint identity Re<v, J u> = Re<J^T v, u>, which needs no step size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from specgrad.runtime.autograd.forward.dual import dual_level, make_dual, unpack_dual
from specgrad.runtime.modes.grad_mode import no_grad

from ..point import Point, adopt, gradients, joined, real
from ..report import Finding, Report, both, forward_formula, place_of

RELATIVE = 1e-10  # of the sum of the magnitudes that add up to the product
SECOND = 1e-8


def has_forward(op: Any) -> bool:
    """Whether tangents pass through the op: its node knows how, or it is made of ops that do."""
    return op.kind == "composite" or hasattr(op.node, "tangent")


def tangents(point: Point, tensors: Sequence[Any], along: Sequence[Any]) -> list[Any]:
    """J u: the tangents of the outputs, zeros where there is none; inputs along None carry no tangent."""
    with dual_level():
        duals = [t if u is None else make_dual(t, u) for t, u in zip(tensors, along, strict=True)]
        outputs = point.outputs(duals)
        found = [unpack_dual(o).tangent for o in outputs]
    missing = [adopt(np.zeros(o.shape, o._dtype.np)) for o in outputs]
    return [m if t is None else t for t, m in zip(found, missing, strict=True)]


def check_forward(point: Point, report: Report) -> None:
    """All inputs with tangents, then each alone; only by inputs whose reverse formula has been found right."""
    op = point.op
    if not has_forward(op) or not point.leaves:
        return
    tensors = point.tensors()
    outputs = point.outputs(tensors)
    seeds = point.seeds(outputs)
    found = gradients(outputs, tensors, seeds)
    along = [adopt(point.random(t)) for t in tensors]
    right = [not report.has(op.name, f"gradient of {leaf.argument}") for leaf in point.leaves]
    for chosen in _choices(right):
        report.checks += 1
        given = [u if yes else None for u, yes in zip(along, chosen, strict=True)]
        with no_grad():
            moved = tangents(point, point.tensors(), given)
        forward = _products(seeds, moved)
        reverse = _products(
            [g for g, yes in zip(found, chosen, strict=True) if yes], [u for u in given if u is not None]
        )
        _compare(point, chosen, forward, reverse, report)


def _choices(right: Sequence[bool]) -> list[list[bool]]:
    """Which inputs carry tangents: all that may, and each of them alone."""
    alone = [[i == k for i in range(len(right))] for k, yes in enumerate(right) if yes]
    return [list(right), *alone] if len(alone) > 1 else alone


def _products(left: Sequence[Any], right: Sequence[Any]) -> np.ndarray:
    """The real products that add up to Re<left, right>; none where the left side is zero."""
    a, b = joined([t.detach() for t in left]), joined([t.detach() for t in right])
    return np.where(a == 0, 0, a * b)


def _compare(point: Point, chosen: Sequence[bool], forward: np.ndarray, reverse: np.ndarray, report: Report) -> None:
    if not np.isfinite(reverse).all():
        return  # an infinite slope: check 1 has looked at it
    a, b = float(forward.sum()), float(reverse.sum())
    scale = float(np.abs(forward).sum() + np.abs(reverse).sum())
    if scale < np.inf and abs(a - b) <= RELATIVE * scale + 1e-14:
        return
    names = " and ".join(leaf.label for leaf, yes in zip(point.leaves, chosen, strict=True) if yes)
    got, want = both(a, b)
    text = (
        f"at {point}, along a tangent of {names}, <v, J u> is {got} by forward mode but <J^T v, u> = {want} in reverse"
    )
    subject = "forward mode"
    formula = forward_formula(point.op)
    report.add(Finding(place_of(point.op, formula), point.op.name, subject, text, abs(a - b) / (scale + 1e-300)))


def check_forward_again(point: Point, report: Report) -> None:
    """Differentiate forward mode: <w, J u> must have the gradient of <J^T w, u> by x, and J^T w by u."""
    op = point.op
    if not has_forward(op) or not point.leaves or report.has(op.name, "forward mode"):
        return
    report.checks += 1
    tensors = point.tensors()
    outputs = point.outputs(tensors)
    seeds = point.seeds(outputs)
    along = [adopt(point.random(t)).requires_grad_() for t in tensors]
    once = gradients(outputs, tensors, seeds, create=True)
    found = [*gradients(once, tensors, [u.detach() for u in along]), *(g.detach() for g in once)]
    reverse = joined(found)
    forward = joined(gradients(tangents(point, tensors, along), [*tensors, *along], seeds))
    compared = np.isfinite(reverse)
    error = np.where(compared, np.abs(forward - reverse), 0)
    scale = np.where(compared & np.isfinite(forward), np.abs(forward) + np.abs(reverse), 0)
    if error.size and not (error <= SECOND * (scale + scale.max())).all():
        _report_again(point, forward, reverse, int(np.argmax(np.nan_to_num(error, nan=np.inf))), report)


def check_forward_over_reverse(point: Point, report: Report) -> None:
    """Tangents of the gradients: Re<w, dG[u]> by forward mode is Re<d<w, G>, u> by reverse mode twice."""
    op = point.op
    if not has_forward(op) or not point.leaves or report.has(op.name, "forward mode"):
        return
    report.checks += 1
    tensors = point.tensors()
    outputs = point.outputs(tensors)
    seeds = point.seeds(outputs)
    along = [adopt(point.random(t)) for t in tensors]
    once = gradients(outputs, tensors, seeds, create=True)
    weights = [adopt(np.where(np.isfinite(g.detach().array), point.random(g), 0)) for g in once]
    reverse = _products(gradients(once, tensors, weights), along)
    with dual_level():
        duals = [make_dual(t, u) for t, u in zip(point.tensors(), along, strict=True)]
        found = [unpack_dual(g).tangent for g in gradients(point.outputs(duals), duals, seeds)]
    forward = _products(weights, [w * 0 if t is None else t for t, w in zip(found, weights, strict=True)])
    a, b = float(forward.sum()), float(reverse.sum())
    scale = float(np.abs(forward).sum() + np.abs(reverse).sum())
    if np.isfinite(reverse).all() and not (scale < np.inf and abs(a - b) <= SECOND * scale + 1e-14):
        got, want = both(a, b)
        text = f"at {point} the tangent of the gradients is {got} along a direction, their gradient gives {want}"
        place = place_of(op, forward_formula(op))
        size = abs(a - b) / (scale + 1e-300)
        report.add(Finding(place, op.name, "forward mode over reverse", text, size, level=3))


def _report_again(point: Point, forward: np.ndarray, reverse: np.ndarray, worst: int, report: Report) -> None:
    labels = [leaf.label for leaf in point.leaves for _ in range(real(leaf.array).size)]
    labels += [f"the tangent of {label}" for label in labels]
    got, want = both(forward[worst], reverse[worst])
    text = f"at {point} its derivative by {labels[worst]} is {got}, that of the gradients is {want}"
    subject = "forward mode differentiated"
    place = place_of(point.op, forward_formula(point.op))
    size = abs(forward[worst] - reverse[worst]) / (abs(forward[worst]) + abs(reverse[worst]) + 1e-300)
    report.add(Finding(place, point.op.name, subject, text, float(size), level=3))
