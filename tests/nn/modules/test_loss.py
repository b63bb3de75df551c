"""Losses as modules."""

from typing import Any

import numpy as np
import pytest

RNG = np.random.default_rng(1)
SCORES = RNG.standard_normal((5, 3))
CLASSES = np.array([0, 2, 1, 1, 0])
LOG_P = SCORES - np.log(np.exp(SCORES).sum(1, keepdims=True))
P = RNG.uniform(0.1, 0.9, (5, 3))
T = RNG.uniform(0, 1, (5, 3))
W = np.array([1.0, 2.0, 0.5])


def _binary(p: Any) -> Any:
    return -(T * np.log(p) + (1 - T) * np.log(1 - p))


CASES: dict[str, tuple[Any, Any, Any]] = {
    "L1Loss": (P, T, np.abs(P - T)),
    "MSELoss": (P, T, (P - T) ** 2),
    "NLLLoss": (LOG_P, CLASSES, -LOG_P[np.arange(5), CLASSES]),
    "CrossEntropyLoss": (SCORES, CLASSES, -LOG_P[np.arange(5), CLASSES]),
    "BCELoss": (P, T, _binary(P)),
    "BCEWithLogitsLoss": (SCORES, T, _binary(1 / (1 + np.exp(-SCORES)))),
}


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", CASES)
def test_formula(lib: Any, name: str, reduction: str) -> None:
    """Each loss is its formula, reduced as asked."""
    input, target, expected = CASES[name]
    found = getattr(lib.nn, name)(reduction=reduction)(lib.from_numpy(input), lib.from_numpy(target))
    reduced = {"mean": np.mean, "sum": np.sum, "none": np.asarray}[reduction](expected)
    np.testing.assert_allclose(found.numpy(), reduced, rtol=1e-10)


@pytest.mark.parametrize("name", ["NLLLoss", "CrossEntropyLoss"])
def test_class_weights(lib: Any, name: str) -> None:
    """The weight of a class scales its samples, and the mean divides by the sum of the weights."""
    input, target, expected = CASES[name]
    m = getattr(lib.nn, name)(weight=lib.from_numpy(W), ignore_index=1)
    assert list(m.state_dict()) == ["weight"]
    w = np.where(CLASSES == 1, 0, W[CLASSES])
    found = m(lib.from_numpy(input), lib.from_numpy(target))
    np.testing.assert_allclose(found.item(), (expected * w).sum() / w.sum(), rtol=1e-10)


def test_label_smoothing(lib: Any) -> None:
    """Smoothing moves a share of the target to all classes alike."""
    found = lib.nn.CrossEntropyLoss(label_smoothing=0.3)(lib.from_numpy(SCORES), lib.from_numpy(CLASSES))
    target = 0.7 * np.eye(3)[CLASSES] + 0.3 / 3
    np.testing.assert_allclose(found.item(), -(target * LOG_P).sum(1).mean(), rtol=1e-10)


def test_binary_weights(lib: Any) -> None:
    """weight scales elements, pos_weight the positive part; both are part of the state."""
    m = lib.nn.BCEWithLogitsLoss(weight=lib.from_numpy(W), pos_weight=lib.from_numpy(2 * W))
    assert list(m.state_dict()) == ["weight", "pos_weight"]
    p = 1 / (1 + np.exp(-SCORES))
    expected = -(2 * W * T * np.log(p) + (1 - T) * np.log(1 - p)) * W
    found = m(lib.from_numpy(SCORES), lib.from_numpy(T))
    np.testing.assert_allclose(found.item(), expected.mean(), rtol=1e-10)
    found = lib.nn.BCELoss(weight=lib.from_numpy(W))(lib.from_numpy(P), lib.from_numpy(T))
    np.testing.assert_allclose(found.item(), (_binary(P) * W).mean(), rtol=1e-10)


@pytest.mark.parametrize(
    ("flags", "reduction"),
    [((None, False), "none"), ((False, None), "sum"), ((True, None), "mean"), ((False, False), "none")],
)
def test_old_flags(lib: Any, flags: tuple[Any, Any], reduction: str) -> None:
    """size_average and reduce still work, with a warning."""
    with pytest.warns(UserWarning, match=f"please use reduction='{reduction}'"):
        assert lib.nn.MSELoss(*flags).reduction == reduction
