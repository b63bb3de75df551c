"""Check 2: forward mode against reverse by the adjoint identity Re<v, J u> = Re<J^T v, u>, which needs no step size."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from specgrad.runtime.autograd.dual import dual_level, make_dual, unpack_dual
from specgrad.runtime.tensor.grad_mode import no_grad

from ..calls.findings import Report, both, forward_formula, relative_error
from ..calls.point import Point, adopt, concatenated, gradients, real, recording

RELATIVE = 1e-10  # of the sum of the magnitudes that add up to the product
SECOND = 1e-8


def has_forward(op: Any) -> bool:
    return op.kind == "composite" or (op.node.tangent is not None and not hasattr(op.node, "refuses_tangents"))


def tangents(point: Point, tensors: Sequence[Any], along: Sequence[Any]) -> list[Any]:
    with dual_level():
        duals = [t if u is None else make_dual(t, u) for t, u in zip(tensors, along, strict=True)]
        return tangents_of(point.outputs(duals))


def tangents_of(outputs: Sequence[Any]) -> list[Any]:
    pairs = [(output, unpack_dual(output).tangent) for output in outputs]
    return [o.new_zeros(o.shape) if t is None else t for o, t in pairs]


def check_forward(point: Point, report: Report) -> None:
    """All inputs with tangents, then each alone; only by inputs whose reverse formula has been found right."""
    op = point.op
    if not has_forward(op) or not point.leaves:
        return
    tensors, outputs, seeds = point.recorded()
    result = gradients(outputs, tensors, seeds)
    along = [adopt(point.random(t)) for t in tensors]
    right = [not report.has(op.name, f"gradient of {leaf.argument}") for leaf in point.leaves]
    alone = [[i == k for i in range(len(right))] for k, yes in enumerate(right) if yes]
    for chosen in [list(right), *alone] if len(alone) > 1 else alone:
        report.checks += 1
        args = [u if yes else None for u, yes in zip(along, chosen, strict=True)]
        with no_grad():
            moved = tangents(point, point.tensors(), args)
        forward = _products(seeds, moved)
        differentiable = [(g, u) for g, u in zip(result, args, strict=True) if u is not None]
        reverse = _products([g for g, _ in differentiable], [u for _, u in differentiable])
        names = " and ".join(leaf.label for leaf, yes in zip(point.leaves, chosen, strict=True) if yes)
        text = f"along a tangent of {names}, <v, J u> is {{}} by forward mode but <J^T v, u> = {{}} in reverse"
        _compare(point, "forward mode", forward, reverse, f"at {point}, {text}", report)


def _products(left: Sequence[Any], right: Sequence[Any]) -> np.ndarray:
    """The real products that add up to Re<left, right>; none where the left side is zero."""
    a, b = concatenated([t.detach() for t in left]), concatenated([t.detach() for t in right])
    return np.where(a == 0, 0, a * b)


def _compare(
    point: Point, subject: str, forward: np.ndarray, reverse: np.ndarray, text: str, report: Report, level: int = 1,
    size: float = 1.0,
) -> None:  # fmt: skip
    """`size`: that of what was differentiated, whose rounding is left where all of a derivative cancels."""
    a, b = float(forward.sum()), float(reverse.sum())
    scale, relative = float(np.abs(forward).sum() + np.abs(reverse).sum()), RELATIVE if level == 1 else SECOND
    if np.isfinite(reverse).all() and not (scale < np.inf and abs(a - b) <= relative * scale + 1e-14 * size):
        error = abs(a - b) / (scale + 1e-300)
        report.find(point.op, forward_formula(point.op), text.format(*both(a, b)), subject, error, level)


def check_forward_again(point: Point, report: Report) -> None:
    """Differentiate forward mode: <w, J u> must have the gradient of <J^T w, u> by x, and J^T w by u."""
    if not _can_go_on(point, report):
        return
    tensors, outputs, seeds = point.recorded()
    along = recording([adopt(point.random(t)) for t in tensors])
    once = gradients(outputs, tensors, seeds, create=True)
    reverse = concatenated([*gradients(once, tensors, [u.detach() for u in along]), *(g.detach() for g in once)])
    forward = concatenated(gradients(tangents(point, tensors, along), [*tensors, *along], seeds))
    compared = np.isfinite(reverse)
    error = np.where(compared, np.abs(forward - reverse), 0)
    scale = np.where(compared & np.isfinite(forward), np.abs(forward) + np.abs(reverse), 0)
    if error.size and not (error <= SECOND * (scale + scale.max())).all():
        worst = int(np.argmax(np.nan_to_num(error, nan=np.inf)))
        labels = [leaf.label for leaf in point.leaves for _ in range(real(leaf.array).size)]
        labels += [f"the tangent of {label}" for label in labels]
        got, want = both(forward[worst], reverse[worst])
        text = f"at {point} its derivative by {labels[worst]} is {got}, that of the gradients is {want}"
        size = relative_error(forward[worst], reverse[worst])
        report.find(point.op, forward_formula(point.op), text, "forward mode differentiated", size, level=3)


def check_forward_over_reverse(point: Point, report: Report) -> None:
    """Tangents of the gradients: Re<w, dG[u]> by forward mode is Re<d<w, G>, u> by reverse mode twice."""
    if not _can_go_on(point, report):
        return
    tensors, outputs, seeds = point.recorded()
    along = [adopt(point.random(t)) for t in tensors]
    once = gradients(outputs, tensors, seeds, create=True)
    weights = [adopt(np.where(np.isfinite(g.detach().array), point.random(g), 0)) for g in once]
    reverse = _products(gradients(once, tensors, weights), along)
    with dual_level():
        duals = [make_dual(t, u) for t, u in zip(point.tensors(), along, strict=True)]
        matches = [unpack_dual(g).tangent for g in gradients(point.outputs(duals), duals, seeds)]
    forward = _products(weights, [w * 0 if t is None else t for t, w in zip(matches, weights, strict=True)])
    text = f"at {point} the tangent of the gradients is {{}} along a direction, their gradient gives {{}}"
    differentiated = np.abs(_products(weights, once))
    size = max(1.0, float(differentiated[np.isfinite(differentiated)].sum()))
    _compare(point, "forward mode over reverse", forward, reverse, text, report, 3, size)


def _can_go_on(point: Point, report: Report) -> bool:
    if not has_forward(point.op) or not point.leaves or report.has(point.op.name, "forward mode"):
        return False
    report.checks += 1
    return True
