"""Initial values."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats


def _expanded(t: Any) -> tuple[float, float]:
    return t.min().item(), t.max().item()


def test_default_of_layers(lib: Any) -> None:
    """Linear and convolutions start uniform within 1 / sqrt(fan_in), all of that range being used."""
    lib.manual_seed(0)
    for m, fan_in in ((lib.nn.Linear(400, 300), 400), (lib.nn.Conv2d(16, 300, 5, groups=4), 100)):
        bound = 1 / math.sqrt(fan_in)
        for values in (m.weight, m.bias):
            low, high = _expanded(values)
            assert -bound <= low < -0.95 * bound and 0.95 * bound < high <= bound
        np.testing.assert_allclose(m.weight.detach().numpy().std(), bound / math.sqrt(3), rtol=0.02)
    table = lib.nn.Embedding(100, 200).weight.detach().numpy()
    assert abs(table.mean()) < 0.02 and abs(table.std() - 1) < 0.02
    norm = lib.nn.BatchNorm1d(3)
    assert norm.weight.tolist() == [1.0] * 3 and norm.bias.tolist() == [0.0] * 3


def test_constants(lib: Any) -> None:
    """Constants, ones, zeros and the identity; the tensor itself is returned."""
    init = lib.nn.init
    t = lib.empty(2, 3)
    assert init.constant_(t, 2.5) is t and (t == 2.5).all()
    assert (init.ones_(t) == 1).all() and (init.zeros_(t) == 0).all()
    assert init.eye_(t).tolist() == [[1, 0, 0], [0, 1, 0]]
    with pytest.raises(ValueError, match="Only tensors with 2 dimensions"):
        init.eye_(lib.empty(2))


def test_parameters_can_be_filled(lib: Any) -> None:
    """A leaf that requires grad is filled outside any graph."""
    p = lib.nn.Parameter(lib.empty(2, 3))
    lib.nn.init.xavier_normal_(p)
    assert p.requires_grad and p.is_leaf


@pytest.mark.parametrize(
    ("name", "arguments", "std"),
    [
        ("uniform_", (-1.0, 3.0), 4 / math.sqrt(12)),
        ("normal_", (0.0, 2.0), 2.0),
        ("xavier_uniform_", (2.0,), 2 * math.sqrt(2 / 500)),
        ("xavier_normal_", (2.0,), 2 * math.sqrt(2 / 500)),
        ("kaiming_uniform_", (0.5,), math.sqrt(2 / 1.25) / math.sqrt(300)),
        ("kaiming_normal_", (0, "fan_out", "relu"), math.sqrt(2 / 200)),
    ],
)
def test_spread(lib: Any, name: str, arguments: tuple[Any, ...], std: float) -> None:
    """The standard deviation is the one of the formula."""
    lib.manual_seed(1)
    t = getattr(lib.nn.init, name)(lib.empty(200, 300), *arguments)
    np.testing.assert_allclose(t.numpy().std(), std, rtol=0.02)


def test_fans_of_convolutions(lib: Any) -> None:
    """A kernel's size counts for both fans."""
    t = lib.nn.init.kaiming_normal_(lib.empty(50, 40, 5, 5), nonlinearity="linear")
    np.testing.assert_allclose(t.numpy().std(), 1 / math.sqrt(1000), rtol=0.03)
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        lib.nn.init.xavier_uniform_(lib.empty(3))
    with pytest.raises(ValueError, match="Mode other not supported"):
        lib.nn.init.kaiming_uniform_(lib.empty(3, 3), mode="other")


def test_generator(lib: Any) -> None:
    """The same generator state gives the same values."""
    a = lib.nn.init.normal_(lib.empty(5), generator=lib.Generator().manual_seed(3))
    b = lib.nn.init.normal_(lib.empty(5), generator=lib.Generator().manual_seed(3))
    assert (a == b).all()


def test_truncated_normal(lib: Any) -> None:
    """All values lie in the interval, and their mean and spread are those of the truncated distribution."""
    t = lib.nn.init.trunc_normal_(lib.empty(100, 1000), 1.0, 2.0, 0.0, 2.5)
    low, high = _expanded(t)
    assert 0.0 <= low < 0.01 and 2.49 < high <= 2.5
    exact = scipy.stats.truncnorm(-0.5, 0.75, 1.0, 2.0)
    np.testing.assert_allclose([t.numpy().mean(), t.numpy().std()], [exact.mean(), exact.std()], rtol=0.01)


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (4, 3, 2)])
def test_orthogonal(lib: Any, shape: tuple[int, ...]) -> None:
    """Rows or columns, whichever are fewer, are orthonormal up to the gain."""
    m = lib.nn.init.orthogonal_(lib.empty(*shape, dtype=lib.float64), gain=2.0).numpy().reshape(shape[0], -1)
    product = m @ m.T if m.shape[0] <= m.shape[1] else m.T @ m
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-12)
    with pytest.raises(ValueError, match="2 or more dimensions"):
        lib.nn.init.orthogonal_(lib.empty(3))


def test_gain(lib: Any) -> None:
    """Known gains."""
    gain = lib.nn.init.calculate_gain
    assert gain("linear") == gain("conv2d") == gain("sigmoid") == 1
    assert gain("tanh") == 5 / 3 and gain("relu") == math.sqrt(2) and gain("selu") == 0.75
    assert gain("leaky_relu", 0.2) == math.sqrt(2 / 1.04) and gain("leaky_relu") == math.sqrt(2 / 1.0001)
    with pytest.raises(ValueError, match="Unsupported nonlinearity what"):
        gain("what")
    with pytest.raises(ValueError, match="negative_slope x not a valid number"):
        gain("leaky_relu", "x")


@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors")
def test_empty_layers(lib: Any) -> None:
    """Layers without inputs or outputs can be made."""
    assert lib.nn.Linear(0, 3)(lib.ones(2, 0)).shape == (2, 3)
    assert lib.nn.Linear(3, 0)(lib.ones(2, 3)).shape == (2, 0)


def test_fans(lib: Any) -> None:
    """The fans that programs with layers of their own ask for."""
    assert lib.nn.init._calculate_fan_in_and_fan_out(lib.empty(3, 5, 2)) == (10, 6)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("space", [(3,), (3, 4), (1, 2, 3)])
def test_dirac_passes_channels_on(lib: Any, groups: int, space: tuple[int, ...]) -> None:
    """One in the middle for each channel that is passed on, zero everywhere else."""
    w = lib.nn.init.dirac_(lib.empty(6, 2, *space), groups)
    center = tuple(size // 2 for size in space)
    requested = np.zeros((6, 2, *space))
    for group in range(groups):
        for channel in range(2):
            requested[(group * 6 // groups + channel, channel, *center)] = 1
    np.testing.assert_array_equal(w.numpy(), requested)
    with pytest.raises(ValueError, match="Only tensors with 3, 4, or 5 dimensions are supported"):
        lib.nn.init.dirac_(lib.empty(2, 2))
    with pytest.raises(ValueError, match="dim 0 must be divisible by groups"):
        lib.nn.init.dirac_(lib.empty(3, 2, 2), groups=2)


def test_sparse(lib: Any) -> None:
    """In every column the wanted part is zero, rounded up, and the others have the standard deviation."""
    lib.manual_seed(0)
    w = lib.nn.init.sparse_(lib.empty(101, 40), 0.5, std=0.1).numpy()
    assert ((w == 0).sum(0) == 51).all() and abs(w[w != 0].std() - 0.1) < 0.01
    with pytest.raises(ValueError, match="Only tensors with 2 dimensions are supported"):
        lib.nn.init.sparse_(lib.empty(2), 0.5)


def test_old_names(lib: Any) -> None:
    """The names without underscore still work, and say what to write."""
    with pytest.warns(FutureWarning, match="nn.init.constant` is now deprecated in favor of"):
        assert (lib.nn.init.constant(lib.empty(2), 3.0) == 3).all()
    with pytest.raises(AttributeError):
        lib.nn.init.triangle  # noqa: B018
