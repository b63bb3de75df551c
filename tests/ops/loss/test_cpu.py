"""The CPU kernels of losses against plain formulas in float64."""

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated import ops
from specgrad.runtime.ops.loss import cpu as class_loss

RNG = np.random.default_rng(0)


def randn(*shape):
    return np.asarray(RNG.standard_normal(shape))


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("positions", [None, (), (3,), (2, 3)])
def test_nll_loss_and_its_gradient(positions, weighted, reduction):
    classes, ignored = 4, 2
    shape = (classes,) if positions is None else (5, classes, *positions)
    x, w = randn(*shape), np.abs(randn(classes)) if weighted else None
    target = RNG.integers(0, classes, () if positions is None else (5, *positions))
    loss_value, total = class_loss.nll_loss(x, target, w, reduction, ignored)
    rows = x.reshape(1, classes) if positions is None else np.moveaxis(x, 1, -1).reshape(-1, classes)
    weights = (np.ones(classes) if w is None else w) * (np.arange(classes) != ignored)
    flat = target.reshape(-1)
    each = -weights[flat] * rows[np.arange(len(flat)), flat]
    scale = weights[flat].sum() if reduction == 1 else 1.0
    if scale == 0:
        assert np.isnan(loss_value)
        return
    expected = each.reshape(target.shape) if reduction == 0 else each.sum() / scale
    np.testing.assert_allclose(loss_value, expected, rtol=1e-12)
    g = randn(*loss_value.shape)
    back = class_loss.nll_loss_backward(g, target, w, total, x.shape, reduction, ignored)
    assert (back * x).sum() == pytest.approx((g * loss_value).sum())


def test_nll_loss_refuses_targets_that_are_no_class():
    for bad in (-1, 3):
        with pytest.raises(IndexError, match=f"Target {bad} is out of bounds"):
            class_loss.nll_loss(randn(2, 3), np.array([0, bad]))


def naive_losses(name, x, t, pos_weight):
    if name == "mse_loss":
        return (x - t) ** 2
    if name == "binary_cross_entropy":
        return -(t * np.log(x) + (1 - t) * np.log1p(-x))
    return pos_weight * t * np.log1p(np.exp(-x)) + (1 - t) * np.log1p(np.exp(x))


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("name", ["mse_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"])
def test_pointwise_losses_and_their_gradients(name, weighted, reduction):
    x, t = RNG.uniform(0.1, 0.9, (3, 4)), RNG.uniform(0, 1, (3, 4))
    w, p = (np.abs(randn(4)), np.abs(randn(4))) if weighted else (None, None)
    extra = {"mse_loss": (), "binary_cross_entropy": (w,), "binary_cross_entropy_with_logits": (w, p)}[name]

    def reference(x):
        each = naive_losses(name, x, t, 1 if p is None else p) * (w if extra and weighted else 1)
        return [each, each.mean(), each.sum()][reduction]

    weights = [None if each is None else sg.tensor(each) for each in extra]
    leaf = sg.tensor(x).requires_grad_()
    found = getattr(ops, name)(leaf, sg.tensor(t), *weights, reduction)
    np.testing.assert_allclose(found.detach().numpy(), reference(x), rtol=1e-12)
    g, along, step = randn(*found.shape), randn(3, 4), 1e-6
    found.backward(sg.tensor(g))
    derivative = (g * (reference(x + step * along) - reference(x - step * along))).sum() / (2 * step)
    assert (leaf.grad.numpy() * along).sum() == pytest.approx(derivative, rel=1e-6)


def test_pointwise_losses_at_the_edges():
    ends = sg.tensor([0.0, 1.0, 0.0, 1.0])
    t = sg.tensor([0.0, 1.0, 1.0, 0.0])
    np.testing.assert_array_equal(ops.binary_cross_entropy(ends, t, None, 0).numpy(), [0, 0, 100, 100])
    large = sg.tensor([1e4, -1e4])
    losses = ops.binary_cross_entropy_with_logits(large, sg.zeros(2), None, None, 0)
    np.testing.assert_array_equal(losses.numpy(), [1e4, 0])
    assert np.isnan(ops.mse_loss(sg.zeros(0), sg.zeros(0)).item()) and ops.mse_loss(sg.zeros(0), sg.zeros(0), 2) == 0
    for x, t, name in [(1.5, 0.0, "input"), (0.5, -0.1, "target"), (np.nan, 0.5, "input")]:
        with pytest.raises(RuntimeError, match=f"elements of {name} should be between 0 and 1"):
            ops.binary_cross_entropy(sg.tensor([x]), sg.tensor([t]))


@pytest.mark.parametrize("name", ["mse_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"])
def test_threads_change_no_bit_of_losses_of_values(name):
    """Sums are taken of chunks, whatever threads compute them."""
    rng = np.random.default_rng(0)
    x, target = (sg.tensor(rng.uniform(0.01, 0.99, 300_001).astype(np.float32)) for _ in range(2))
    found, threads = [], sg.get_num_threads()
    for count in (1, 2):
        sg.set_num_threads(count)
        leaf = x.detach().requires_grad_()
        loss = getattr(sg.nn.functional, name)(leaf, target)
        loss.backward()
        found.append((loss.item(), leaf.grad.numpy()))
    sg.set_num_threads(threads)
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])
