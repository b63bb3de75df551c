"""Group, instance, RMS and local response normalisation, and batch norm of volumes, against NumPy and PyTorch."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg

F = sg.nn.functional
rng = np.random.default_rng(0)


def draw(*shape: int) -> np.ndarray:
    return np.asarray(rng.standard_normal(shape))


def as_leaf(values: Any) -> Any:
    return None if values is None else sg.tensor(values, requires_grad=True)


def per_channel(values: np.ndarray | None, ndim: int, neutral: float) -> Any:
    return neutral if values is None else values.reshape(1, -1, *(1,) * (ndim - 2))


def grouped(x: np.ndarray, groups: int, weight: Any, bias: Any, eps: float) -> np.ndarray:
    """Group normalisation by its definition."""
    rows = x.reshape(x.shape[0], groups, -1)
    normal = (rows - rows.mean(2, keepdims=True)) / np.sqrt(rows.var(2, keepdims=True) + eps)
    return normal.reshape(x.shape) * per_channel(weight, x.ndim, 1) + per_channel(bias, x.ndim, 0)


@pytest.mark.parametrize("shape", [(3, 6), (2, 6, 5), (2, 6, 3, 2), (1, 6, 2, 2, 2)])
@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize("affine", [True, False])
def test_group_norm_is_its_definition(shape: tuple[int, ...], groups: int, affine: bool) -> None:
    """Values, and gradients by differences along a direction."""
    values = [draw(*shape), draw(6) if affine else None, draw(6) if affine else None]
    leaves = [as_leaf(v) for v in values]
    y = F.group_norm(leaves[0], groups, leaves[1], leaves[2], 1e-3)
    np.testing.assert_allclose(y.detach().numpy(), grouped(*with_groups(values, groups)), rtol=1e-10, atol=1e-12)
    seed, step = draw(*shape), 1e-6
    y.backward(sg.tensor(seed))
    for which, leaf in enumerate(leaves):
        if leaf is not None:
            along = draw(*leaf.shape)
            low, high = ([*values[:which], values[which] + s * along, *values[which + 1 :]] for s in (-step, step))
            change = grouped(*with_groups(high, groups)) - grouped(*with_groups(low, groups))
            assert (leaf.grad.numpy() * along).sum() == pytest.approx((change * seed).sum() / (2 * step), 1e-6, 1e-7)


def with_groups(values: list[Any], groups: int) -> tuple[Any, ...]:
    """The arguments of `grouped`."""
    return values[0], groups, values[1], values[2], 1e-3


def test_instance_norm_is_group_norm_of_single_channels() -> None:
    """With the input's own statistics; and running statistics follow the means over the samples."""
    x, w, b = draw(3, 4, 5), draw(4), draw(4)
    mean, var = sg.zeros(4, dtype=sg.float64), sg.ones(4, dtype=sg.float64)
    y = F.instance_norm(sg.tensor(x), mean, var, sg.tensor(w), sg.tensor(b), True, 0.25, 1e-3)
    np.testing.assert_allclose(y.numpy(), grouped(x, 4, w, b, 1e-3), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(mean.numpy(), 0.25 * x.mean(2).mean(0))
    np.testing.assert_allclose(var.numpy(), 0.75 + 0.25 * x.var(2, ddof=1).mean(0))
    y = F.instance_norm(sg.tensor(x), mean, var, sg.tensor(w), sg.tensor(b), False, eps=1e-3)
    m, v = (per_channel(t.numpy(), 3, 0) for t in (mean, var))
    np.testing.assert_allclose(y.numpy(), (x - m) / np.sqrt(v + 1e-3) * w[:, None] + b[:, None])


@pytest.mark.parametrize("shape, last", [((4, 6), 1), ((2, 3, 4), 2), ((5,), 1)])
def test_rms_norm_is_its_definition(shape: tuple[int, ...], last: int) -> None:
    """Division by the root mean square of the last dimensions; eps is the dtype's own unless given."""
    x, w = draw(*shape), draw(*shape[-last:])
    dims = tuple(range(-last, 0))
    for eps, used in ((0.1, 0.1), (None, np.finfo(np.float64).eps)):
        expected = x / np.sqrt((x * x).mean(dims, keepdims=True) + used) * w
        y = F.rms_norm(sg.tensor(x), shape[-last:], sg.tensor(w), eps)
        np.testing.assert_allclose(y.numpy(), expected, rtol=1e-12)
    small = F.rms_norm(sg.zeros(2, 3), (3,))
    assert small.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_local_response_norm_is_its_definition() -> None:
    """Each channel over the mean square of its neighbours; beyond the ends there are zeros."""
    x, size = draw(2, 5, 3), 4
    y = F.local_response_norm(sg.tensor(x), size, alpha=0.5, beta=0.75, k=2.0).numpy()
    for c in range(5):
        small_value = x[:, max(c - size // 2, 0) : c + (size - 1) // 2 + 1]
        expected = x[:, c] / (2.0 + 0.5 * (small_value**2).sum(1) / size) ** 0.75
        np.testing.assert_allclose(y[:, c], expected, rtol=1e-12)


def test_what_norms_refuse() -> None:
    """Sizes that do not fit, statistics of a single value, and inputs of the wrong number of dimensions."""
    with pytest.raises(RuntimeError, match=r"divisible by num_groups, but got input of shape \[2, 5\]"):
        F.group_norm(sg.randn(2, 5), 2)
    with pytest.raises(RuntimeError, match="Expected weight to be a vector of size equal to the number of channels"):
        F.group_norm(sg.randn(2, 4, 3), 2, sg.randn(3))
    with pytest.raises(ValueError, match="more than 1 value per channel"):
        F.group_norm(sg.randn(1, 2), 2)
    with pytest.raises(ValueError, match="num_channels .4. must be divisible by num_groups .3."):
        sg.nn.GroupNorm(3, 4)
    with pytest.raises(ValueError, match="more than 1 spatial element"):
        F.instance_norm(sg.randn(2, 3, 1))
    with pytest.raises(ValueError, match="expected 3D or 4D input .got 2D input."):
        sg.nn.InstanceNorm2d(3)(sg.randn(2, 4))
    with pytest.raises(ValueError, match="dim=1 to match num_features .3., but got: 4"):
        sg.nn.InstanceNorm1d(3, affine=True)(sg.randn(2, 4, 5))
    with pytest.warns(UserWarning, match="does not match num_features"):
        sg.nn.InstanceNorm1d(3)(sg.randn(2, 4, 5))
    with pytest.raises(RuntimeError, match=r"normalized_shape=\[2\], expected input with shape \[\*, 2\]"):
        F.rms_norm(sg.randn(2, 3), (2,))
    with pytest.raises(ValueError, match="Expected 3D or higher"):
        F.local_response_norm(sg.randn(2, 3), 2)
    with pytest.raises(ValueError, match="expected 5D input"):
        sg.nn.BatchNorm3d(3)(sg.randn(2, 3, 4, 4))


MODULES = [
    ("GroupNorm", (2, 6), {}, (3, 6, 4, 5)),
    ("GroupNorm", (3, 6), {"affine": False, "eps": 1e-2}, (3, 6)),
    ("GroupNorm", (3, 6), {"bias": False}, (3, 6, 2)),
    ("InstanceNorm1d", (3,), {}, (2, 3, 5)),
    ("InstanceNorm1d", (3,), {"affine": True}, (3, 5)),
    ("InstanceNorm2d", (3,), {"affine": True, "track_running_stats": True}, (2, 3, 4, 5)),
    ("InstanceNorm3d", (3,), {"momentum": 0.3}, (2, 3, 2, 3, 2)),
    ("RMSNorm", (5,), {}, (4, 5)),
    ("RMSNorm", ([4, 5],), {"eps": 1e-3, "elementwise_affine": False}, (2, 4, 5)),
    ("LocalResponseNorm", (3,), {"alpha": 0.1, "k": 2.0}, (2, 5, 3, 3)),
    ("BatchNorm3d", (3,), {}, (2, 3, 2, 3, 2)),
]


@pytest.mark.parametrize("name, args, options, shape", MODULES, ids=lambda v: str(v))
def test_modules_are_those_of_pytorch(name: str, args: Any, options: Any, shape: tuple[int, ...]) -> None:
    """The same state_dict, text, values and gradients, in training and in evaluation."""
    torch = pytest.importorskip("torch")
    ours, theirs = getattr(sg.nn, name)(*args, **options), getattr(torch.nn, name)(*args, **options)
    assert repr(ours) == repr(theirs)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for value in theirs.state_dict().values():
        if value.is_floating_point():
            value.copy_(torch.tensor(rng.uniform(0.5, 1.5, tuple(value.shape))))
    ours.load_state_dict({k: sg.tensor(v.numpy()) for k, v in theirs.state_dict().items()})
    x, seed = draw(*shape).astype(np.float32), draw(*shape).astype(np.float32)
    for training in (True, False):
        ours.train(training), theirs.train(training)
        a, b = sg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
        y, z = ours(a), theirs(b)
        np.testing.assert_allclose(y.detach().numpy(), z.detach().numpy(), rtol=1e-4, atol=1e-5)
        y.backward(sg.tensor(seed))
        z.backward(torch.tensor(seed))
        np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-3, atol=1e-5)
    for (key, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=1e-3, atol=1e-4, err_msg=key)
    for key, value in theirs.state_dict().items():
        np.testing.assert_allclose(ours.state_dict()[key].numpy(), value.numpy(), rtol=1e-5, err_msg=key)


def test_instance_norm_refuses_statistics_that_it_does_not_track() -> None:
    """A state of before 0.4 had them always: loading says so."""
    state = {"running_mean": sg.zeros(3), "running_var": sg.ones(3)}
    with pytest.raises(RuntimeError, match="Unexpected running stats buffer"):
        sg.nn.InstanceNorm1d(3).load_state_dict(state)
