"""L-BFGS, and steps along a direction that meet the strong Wolfe conditions: low enough, and flat enough."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ...generated.ops import cat, stack
from ...generated.tensor import Tensor
from ...runtime.ops.creation import zeros_like
from ...runtime.tensor.grad_mode import enable_grad, no_grad
from .optimizer import Closure, Optimizer, ParamsT, checked

_MAX_STEPS = 25


class Rule(NamedTuple):
    """When a step is good enough."""

    sufficient: float = 1e-4  # how much of the slope at the start the loss must fall by
    flat: float = 0.9  # how much of the slope at the start may be left
    min_width: float = 1e-9  # of an interval that is searched on


COMMON = Rule()


class Point(NamedTuple):
    """A point on the line: step length, loss, gradient, and derivative along the direction."""

    step: float
    loss: float
    grad: Tensor
    directional_derivative: float


Look = Callable[[float], Point]


def strong_wolfe(
    look: Look, start: Point, first: float, length: float, allowed: int, rule: Rule = COMMON
) -> tuple[Point, int]:
    """The point found, and at how many points the loss was computed, at most `allowed` after the first.

    `look` computes the point at a step, `length` is the greatest component of the direction.
    Source: Nocedal and Wright, Numerical optimization (2006), algorithms 3.5 and 3.6.
    """
    max_norm = min(allowed, _MAX_STEPS)
    bracket, tried, result = _bracket(look, start, first, max_norm, rule)
    unsure = False
    while not result and tried <= max_norm:
        if abs(bracket[1].step - bracket[0].step) * length < rule.min_width:
            break
        step, unsure = _inside(bracket, unsure)
        new = look(step)
        tried += 1
        bracket, result = _narrowed(bracket, new, start, rule)
    return min(bracket, key=lambda point: point.loss), tried


def _bracket(look: Look, start: Point, step: float, max_norm: int, rule: Rule) -> tuple[list[Point], int, bool]:
    before, point = start, look(step)
    for tried in range(1, max_norm + 1):
        if _too_high(point, start, rule) or (tried > 2 and point.loss >= before.loss):
            return [before, point], tried, False
        if _flat_enough(point, start, rule):
            return [point], tried, True
        if point.directional_derivative >= 0:
            return [before, point], tried, False
        bounds = point.step + 0.01 * (point.step - before.step), 10 * point.step
        before, point = point, look(_lowest(before, point, bounds))
    return [start, point], max_norm + 1, False


def _too_high(point: Point, start: Point, rule: Rule) -> bool:
    return point.loss > start.loss + rule.sufficient * point.step * start.directional_derivative


def _flat_enough(point: Point, start: Point, rule: Rule) -> bool:
    return abs(point.directional_derivative) <= -rule.flat * start.directional_derivative


def _inside(bracket: list[Point], unsure: bool) -> tuple[float, bool]:
    low, high = sorted(point.step for point in bracket)
    step = _lowest(bracket[0], bracket[1], (low, high))
    margin = 0.1 * (high - low)
    if min(high - step, step - low) >= margin:
        return step, False
    if not (unsure or step >= high or step <= low):
        return step, True
    return (high - margin if abs(step - high) < abs(step - low) else low + margin), False


def _narrowed(bracket: list[Point], new: Point, start: Point, rule: Rule) -> tuple[list[Point], bool]:
    first_is_low = bracket[0].loss <= bracket[1].loss
    low, high = bracket if first_is_low else bracket[::-1]
    result = False
    if _too_high(new, start, rule) or new.loss >= low.loss:
        high = new
    else:
        result = _flat_enough(new, start, rule)
        if not result and new.directional_derivative * (high.step - low.step) >= 0:
            high = low
        low = new
    return [low, high] if first_is_low else [high, low], result


def _lowest(a: Point, b: Point, bounds: tuple[float, float]) -> float:
    """Where the cubic with both points' losses and slopes is lowest, within bounds; their middle if nowhere."""
    left, right = (a, b) if a.step <= b.step else (b, a)
    if left.step == right.step:
        return (bounds[0] + bounds[1]) / 2
    bend = (
        left.directional_derivative
        + right.directional_derivative
        - 3 * (left.loss - right.loss) / (left.step - right.step)
    )
    squared = bend * bend - left.directional_derivative * right.directional_derivative
    if not squared >= 0:
        return (bounds[0] + bounds[1]) / 2
    root = math.sqrt(squared)
    divisor = right.directional_derivative - left.directional_derivative + 2 * root
    if divisor == 0:  # a line, which is lowest at an end
        return bounds[1] if left.directional_derivative < 0 else bounds[0]
    share = (right.directional_derivative + root - bend) / divisor
    return min(max(right.step - (right.step - left.step) * share, bounds[0]), bounds[1])


# ---- under the names that optimizers of other libraries import from PyTorch's file -----------------------------------


def _strong_wolfe(
    obj_func: Callable[[Any, float, Any], tuple[Any, Tensor]],
    x: Any,
    t: float,
    d: Tensor,
    f: Any,
    g: Tensor,
    gtd: Any,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[Any, Tensor, float, int]:
    """Loss, gradient and step of a point that meets the conditions, and at how many points the loss was computed.

    The line begins at x in direction d, where loss, gradient and slope are f, g and gtd; t is tried first, and at most
    max_ls more. `obj_func(x, step, d)` gives loss and gradient. c1, c2 and tolerance_change say how far the loss falls,
    how flat it is, and the least width.
    """

    def look(step: float) -> Point:
        loss, grad = obj_func(x, step, d)
        return Point(step, loss, grad, grad.dot(d))  # type: ignore[arg-type]

    length = float(d.abs().max()) if d.numel() else 0.0
    start = Point(0.0, f, g.clone(), gtd)
    result, tried = strong_wolfe(look, start, t, length, max_ls, Rule(c1, c2, tolerance_change))
    return result.loss, result.grad, result.step, tried


def _cubic_interpolate(
    x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple[Any, Any] | None = None
) -> Any:
    a, b = Point(x1, f1, g1, g1), Point(x2, f2, g2, g2)
    return _lowest(a, b, (min(x1, x2), max(x1, x2)) if bounds is None else bounds)


class LBFGS(Optimizer):
    """Newton's method with the curvature guessed from the last gradients; one step makes several iterations.

    Formula: d = -H grad, where H is the inverse Hessian of BFGS from the last history_size pairs of changes of
    parameters and gradient;  p = p + t d, with t = lr or from a line search

    All parameters are one vector, so there is one group. `step` needs a closure, which is called many times.

    Args:
        params: tensors, or pairs of a name and a tensor.
        lr: length of an iteration along the direction.
        max_iter: most iterations in a step.
        max_eval: most calls of the closure in a step; 1.25 max_iter when left out.
        tolerance_grad: gradients below it end the step.
        tolerance_change: changes of parameters or loss below it end the step.
        history_size: how many pairs are kept.
        line_search_fn: "strong_wolfe", or None for no line search.

    Raises:
        ValueError: lr is negative, or there are several groups.
        RuntimeError: another line search is named, in the first step.

    Source: Liu and Nocedal, On the limited memory BFGS method for large scale optimization (1989).

    Example:
        >>> w = sg.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = sg.optim.LBFGS([w], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = ((w - 3) ** 2).sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure)
        tensor(29., grad_fn=<SumBackward0>)
        >>> w
        tensor([3.0000, 3.0000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(params, checked(locals(), "lr"))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self) -> list[Tensor]:
        return self.param_groups[0]["params"]

    @no_grad()
    def step(self, closure: Closure) -> Any:
        """Iterate until nothing changes, or as often as the group allows; what the closure returned first.

        The `closure` computes the loss again, and its gradients.
        """
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        recorded = enable_grad()(closure)
        group, state = self.param_groups[0], self.state[self._params[0]]
        first, is_new = recorded(), "d" not in state
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        state["func_evals"] += 1
        loss, grad, evaluated = float(first), self._flat_grad(), 1
        if _max_abs(grad) <= group["tolerance_grad"]:
            return first
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            way = state["d"] = direction(state, grad, group["history_size"])
            state["prev_flat_grad"], state["prev_loss"] = grad.clone(), loss
            lr = group["lr"].item() if isinstance(group["lr"], Tensor) else group["lr"]
            state["t"] = lr * min(1.0, float(1 / grad.abs().sum())) if state["n_iter"] == 1 else lr
            directional_derivative = float(grad.dot(way))
            if directional_derivative > -group["tolerance_change"]:
                break
            is_last, now = iteration == group["max_iter"], Point(state["t"], loss, grad, directional_derivative)
            if group["line_search_fn"] is None:
                result, looked = self._move(recorded, way, now, is_last)
            else:
                result, looked = self._search(recorded, way, now, group["max_eval"] - evaluated)
            state["t"], loss, grad, _ = result
            state["func_evals"] += looked
            evaluated += looked
            if is_last or evaluated >= group["max_eval"] or _is_done(group, state, loss, grad):
                break
        if is_new:
            _put_in_order(state)
        return first

    def _move(self, closure: Closure, way: Tensor, now: Point, is_last: bool) -> tuple[Point, int]:
        self._add(now.step, way)
        if is_last:
            return now, 0
        return Point(now.step, float(closure()), self._flat_grad(), 0.0), 1

    def _search(self, closure: Closure, way: Tensor, now: Point, allowed: int) -> tuple[Point, int]:
        if self.param_groups[0]["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        start = [param.clone() for param in self._params]

        def look(step: float) -> Point:
            self._add(step, way)
            loss, grad = float(closure()), self._flat_grad()
            for param, value in zip(self._params, start, strict=True):
                param.copy_(value)
            return Point(step, loss, grad, float(grad.dot(way)))

        result, looked = strong_wolfe(look, now._replace(step=0.0), now.step, _max_abs(way), allowed)
        self._add(result.step, way)
        return result, looked

    def _flat_grad(self) -> Tensor:
        grads = [zeros_like(param) if param.grad is None else param.grad.to_dense() for param in self._params]
        return cat([(stack([grad.real, grad.imag], -1) if grad.is_complex() else grad).reshape(-1) for grad in grads])

    def _add(self, step: float, way: Tensor) -> None:
        start = 0
        for param in self._params:
            shape = (*param.shape, 2) if param.is_complex() else param.shape
            end = start + param.numel() * (2 if param.is_complex() else 1)
            piece = way[start:end].reshape(shape)
            param.add_(piece[..., 0] + piece[..., 1] * 1j if param.is_complex() else piece, alpha=step)
            start = end


def _put_in_order(state: dict[str, Any]) -> None:
    for name in ("al", "d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss"):
        if name in state:
            state[name] = state.pop(name)


def _max_abs(t: Tensor) -> float:
    return float(t.abs().max()) if t.numel() else 0.0


def _is_done(group: dict[str, Any], state: dict[str, Any], loss: float, grad: Tensor) -> bool:
    if _max_abs(grad) <= group["tolerance_grad"]:
        return True
    if _max_abs(state["d"]) * abs(state["t"]) <= group["tolerance_change"]:
        return True
    return abs(loss - state["prev_loss"]) < group["tolerance_change"]


_MIN_CURVATURE = 1e-10  # below it a pair would make the guess of the Hessian indefinite


def direction(state: dict[str, Any], grad: Tensor, history_size: int) -> Tensor:
    """-H grad, with the change that the last step made among what H is guessed from; at first -grad.

    `state` has the last direction, step and gradient, and the pairs that are known, at most `history_size`.
    """
    if state["n_iter"] == 1:
        state["old_dirs"], state["old_stps"], state["ro"], state["H_diag"] = [], [], [], 1
        return -grad
    shares = state.setdefault("al", [])  # kept, and as long as the history may become, as in PyTorch
    shares.extend([None] * (history_size - len(shares)))
    _remember(state, grad - state["prev_flat_grad"], state["d"] * state["t"], history_size)
    return _product(state, -grad)


def _remember(state: dict[str, Any], of_grad: Tensor, of_params: Tensor, history_size: int) -> None:
    curvature = of_grad.dot(of_params)
    if not curvature > _MIN_CURVATURE:
        return
    pairs = ("old_dirs", of_grad), ("old_stps", of_params), ("ro", 1.0 / curvature)
    for name, value in pairs:
        state[name] = [*state[name], value][-history_size:]
    state["H_diag"] = curvature / of_grad.dot(of_grad)


def _product(state: dict[str, Any], vector: Tensor) -> Tensor:
    """H times a vector: with the latest pair first on the way in, and last on the way out."""
    pairs = list(zip(state["old_dirs"], state["old_stps"], state["ro"], strict=True))
    shares = state["al"]
    for number, (of_grad, of_params, inverse) in reversed([*enumerate(pairs)]):
        shares[number] = of_params.dot(vector) * inverse
        vector = vector.add(of_grad, alpha=-shares[number].item())
    vector = vector * state["H_diag"]
    for share, (of_grad, of_params, inverse) in zip(shares, pairs, strict=False):
        vector = vector.add(of_params, alpha=(share - of_grad.dot(vector) * inverse).item())
    return vector
