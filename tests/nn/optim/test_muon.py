"""Muon: steps of orthogonal matrices, computed in bfloat16."""

from typing import Any

import numpy as np
import pytest

RNG = np.random.default_rng(4)
GRADS = [RNG.standard_normal((6, 3)).astype(np.float32) for _ in range(4)]


def _orthogonalized(u: Any) -> Any:
    """The iteration of the paper in float64."""
    x = u / np.linalg.norm(u)
    for _ in range(5):
        gram = x @ x.T
        x = 3.4445 * x - 4.775 * gram @ x + 2.0315 * gram @ gram @ x
    return x


@pytest.mark.parametrize("nesterov", [True, False])
@pytest.mark.parametrize("kind", [None, "match_rms_adamw"])
@pytest.mark.parametrize("tall", [True, False])
def test_rule(lib: Any, tall: bool, kind: str | None, nesterov: bool) -> None:
    """Four steps agree with the formula as far as bfloat16 allows; the state is the momentum."""
    grads = GRADS if tall else [g.T.copy() for g in GRADS]
    rows, columns = grads[0].shape
    p, expected, buffer = lib.zeros(rows, columns).requires_grad_(), np.zeros((rows, columns)), 0.0
    optimizer = lib.optim.Muon([p], lr=0.1, weight_decay=0.5, momentum=0.8, nesterov=nesterov, adjust_lr_fn=kind)
    scale = 0.2 * np.sqrt(6) if kind else np.sqrt(max(1, rows / columns))
    for g in grads:
        p.grad = lib.from_numpy(g)
        optimizer.step()
        buffer = 0.8 * buffer + 0.2 * g
        direction = 0.8 * buffer + 0.2 * g if nesterov else buffer
        expected = expected * (1 - 0.1 * 0.5) - 0.1 * scale * _orthogonalized(direction.astype(np.float64))
    np.testing.assert_allclose(p.detach().numpy(), expected, atol=0.02)
    assert list(optimizer.state_dict()["state"][0]) == ["momentum_buffer"]


def test_refused(lib: Any) -> None:
    """Only matrices, known scales, three coefficients, and fewer than a hundred iterations."""
    p = lib.ones(2, 2, requires_grad=True)
    p.grad = lib.ones(2, 2)
    with pytest.raises(ValueError, match="Muon only supports 2D parameters"):
        lib.optim.Muon([lib.ones(2, requires_grad=True)])
    with pytest.raises(ValueError, match="Adjust learning rate function adam is not supported"):
        lib.optim.Muon([p], adjust_lr_fn="adam")
    with pytest.raises(ValueError, match="Coefficients must be a tuple of exactly 3 values"):
        lib.optim.Muon([p], ns_coefficients=(1.0, 2.0)).step()
    with pytest.raises(ValueError, match="Number of steps must be less than 100"):
        lib.optim.Muon([p], ns_steps=100).step()
