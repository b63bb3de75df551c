"""L-BFGS: quadratic functions, Rosenbrock's valley, its state and its limits."""

import copy
from typing import Any

import numpy as np
import pytest

import specgrad as sg

START = np.array([-1.2, 1.0, -0.5, 0.8])


def _rosenbrock(p: Any) -> Any:
    return ((1 - p[:-1]) ** 2 + 100 * (p[1:] - p[:-1] ** 2) ** 2).sum()


def _run(lib: Any, function: Any, start: Any, steps: int, **options: Any) -> tuple[Any, Any, list[float]]:
    p = lib.from_numpy(start.copy()).requires_grad_()
    optimizer = lib.optim.LBFGS([p], **options)
    losses = [optimizer.step(_closure(optimizer, p, function)).item() for _ in range(steps)]
    return p, optimizer, losses


def _closure(optimizer: Any, p: Any, function: Any) -> Any:
    def closure() -> Any:
        optimizer.zero_grad()
        loss = function(p)
        loss.backward()
        return loss

    return closure


def test_line_search_follows_the_valley(lib: Any) -> None:
    """With the line search Rosenbrock's minimum is found, and never does a step climb."""
    p, optimizer, losses = _run(lib, _rosenbrock, START, 8, line_search_fn="strong_wolfe")
    np.testing.assert_allclose(p.detach().numpy(), np.ones(4), atol=1e-4)
    assert losses == sorted(losses, reverse=True)
    assert optimizer.state[p]["func_evals"] < 120


def test_quadratic_without_line_search(lib: Any) -> None:
    """In n dimensions about n pairs suffice for a quadratic function; a complex number counts as two."""
    scales = lib.from_numpy(np.arange(1.0, 5.0))
    p, _, _ = _run(lib, lambda p: (scales * (p - 2) ** 2).sum(), START, 1, max_iter=30, max_eval=60)
    np.testing.assert_allclose(p.detach().numpy(), 2 * np.ones(4), atol=1e-6)
    z, _, _ = _run(lib, lambda z: (z.real - 1) ** 2 + 3 * (z.imag + 2) ** 2, np.array(1j), 1, max_iter=30)
    assert z.item() == pytest.approx(1 - 2j, abs=1e-5)


def test_state_continues(lib: Any) -> None:
    """The pairs are part of state_dict, and a loaded optimizer goes on as the saved one; so does a copy."""
    options = {"line_search_fn": "strong_wolfe", "max_iter": 3, "history_size": 2}
    p, optimizer, _ = _run(lib, _rosenbrock, START, 3, **options)
    state = optimizer.state_dict()["state"][0]
    requested = {
        "func_evals",
        "n_iter",
        "d",
        "t",
        "old_dirs",
        "old_stps",
        "ro",
        "H_diag",
        "prev_flat_grad",
        "prev_loss",
    }
    assert requested <= set(state) and len(state["old_dirs"]) == 2
    q = p.detach().clone().requires_grad_()
    other = lib.optim.LBFGS([q], **options)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    optimizer.step(_closure(optimizer, p, _rosenbrock))
    other.step(_closure(other, q, _rosenbrock))
    assert (p == q).all()


def test_limits(lib: Any) -> None:
    """Calls are counted, a flat start ends the step at once, and what cannot be done is refused."""
    _, optimizer, _ = _run(lib, _rosenbrock, START, 1, max_iter=4, lr=1e-3)
    assert next(iter(optimizer.state.values()))["func_evals"] == 4
    p, optimizer, _ = _run(lib, _rosenbrock, np.ones(4), 1)
    assert optimizer.state[p]["n_iter"] == 0
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        _run(lib, _rosenbrock, START, 1, line_search_fn="armijo")
    with pytest.raises(ValueError, match="doesn't support per-parameter options"):
        lib.optim.LBFGS([{"params": [lib.ones(1, requires_grad=True)]} for _ in range(2)])


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize("tolerance", [1e-9, -1.0])
def test_lines_and_minima_divide_by_nothing(search: str | None, tolerance: float) -> None:
    """A linear loss goes down on and on; where the gradient is 0 the parameters stay."""
    for loss, start in ((sg.sum, [1.0, 2.0]), (lambda x: x.abs().sum(), [0.0, 0.0])):
        x = sg.tensor(start, requires_grad=True)
        optimizer = sg.optim.LBFGS([x], line_search_fn=search, tolerance_grad=tolerance, tolerance_change=tolerance)
        optimizer.step(_closure(optimizer, x, loss))
        assert x.isfinite().all() and (x.sum() < 3.0 if any(start) else x.tolist() == start)
