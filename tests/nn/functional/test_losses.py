"""nn.functional: losses, softmax, norms and activations, as PyTorch has them."""

import numpy as np
import pytest
import scipy.special

RNG = np.random.default_rng(0)


def randn(*shape):
    return RNG.standard_normal(shape)


def close(tensor, expected, **tolerance):
    np.testing.assert_allclose(tensor.detach().numpy(), expected, **({"rtol": 1e-11, "atol": 1e-12} | tolerance))


def reduced(losses, total, reduction):
    return {"none": losses, "sum": losses.sum(), "mean": losses.sum() / total}[reduction]


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("positions", [None, (), (2, 3)])
def test_cross_entropy_of_classes(lib, positions, weighted, smoothing, reduction):
    shape = (4,) if positions is None else (5, 4, *positions)
    x, w = randn(*shape), np.abs(randn(4)) if weighted else np.ones(4)
    target = np.asarray(RNG.integers(0, 4, () if positions is None else (5, *positions)))
    target[target == 2] = 1
    ignored = 1 if positions else -100
    scores = np.moveaxis(scipy.special.log_softmax(x, 0 if positions is None else 1), 0 if positions is None else 1, -1)
    used = np.where(target == ignored, 0.0, w[target])
    one_hot = np.eye(4)[target]
    smooth = (1 - smoothing) * w[target] * (one_hot * scores).sum(-1) + smoothing / 4 * (w * scores).sum(-1)
    losses = -np.where(target == ignored, 0.0, smooth)
    found = lib.nn.functional.cross_entropy(
        lib.from_numpy(x),
        lib.from_numpy(target),
        lib.from_numpy(w) if weighted else None,
        ignore_index=ignored,
        reduction=reduction,
        label_smoothing=smoothing,
    )
    close(found, reduced(losses, used.sum(), reduction))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("shape", [(4,), (5, 4), (5, 4, 2)])
def test_cross_entropy_of_probabilities(lib, shape, smoothing, reduction):
    x, p, w = randn(*shape), np.abs(randn(*shape)), np.abs(randn(4))
    dim = min(len(shape), 2) - 1
    seen = w.reshape(-1, *(1,) * (len(shape) - dim - 1))
    losses = -(scipy.special.log_softmax(x, dim) * (p * (1 - smoothing) + smoothing / 4) * seen).sum(dim)
    tensors = [lib.from_numpy(a) for a in (x, p, w)]
    found = lib.nn.functional.cross_entropy(*tensors, reduction=reduction, label_smoothing=smoothing)
    close(found, reduced(losses, losses.size, reduction))


def test_bad_class_losses(lib):
    F, x = lib.nn.functional, lib.ones(4, 3)
    bad = [
        (ValueError, "batch_size .4. to match target batch_size .5.", lib.zeros(5, dtype=lib.int64), {}),
        (IndexError, "Target 3 is out of bounds", lib.tensor([0, 1, 2, 3]), {}),
        (RuntimeError, "target", lib.ones(4), {}),
        (RuntimeError, "weight", lib.tensor([0, 1, 2, 0]), {"weight": lib.ones(4)}),
        (ValueError, "'?often'? is not a valid value for reduction", lib.tensor([0, 1, 2, 0]), {"reduction": "often"}),
    ]
    for error, message, target, arguments in bad:
        with pytest.raises(error, match=message):
            F.nll_loss(x, target, **arguments).item()  # on a device it tells when the program waits
    with pytest.raises(RuntimeError, match="label_smoothing"):
        F.cross_entropy(x, x, label_smoothing=2.0)
    with pytest.raises(RuntimeError, match="floating point type for target with class probabilities"):
        F.cross_entropy(x, lib.zeros(4, 3, dtype=lib.int64))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("name", ["mse_loss", "l1_loss"])
def test_losses_of_differences(lib, name, reduction):
    x, t, w = randn(3, 4), randn(3, 4), np.abs(randn(3, 4))
    losses = (x - t) ** 2 if name == "mse_loss" else np.abs(x - t)
    loss = getattr(lib.nn.functional, name)
    tensors = [lib.from_numpy(a) for a in (x, t)]
    close(loss(*tensors, reduction=reduction), reduced(losses, 12, reduction))
    weighted = loss(*tensors, reduction=reduction, weight=lib.from_numpy(w))
    close(weighted, reduced(losses * w, w.sum(), reduction))
    with pytest.warns(UserWarning, match="different to the input size"):
        close(loss(tensors[0], tensors[1][:1]), ((x - t[:1]) ** 2 if name == "mse_loss" else np.abs(x - t[:1])).mean())
    with pytest.warns(UserWarning, match="size_average and reduce args will be deprecated"):
        close(loss(*tensors, size_average=False), losses.sum())


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_binary_cross_entropies_agree(lib, reduction):
    F = lib.nn.functional
    x, t, w = (lib.from_numpy(a) for a in (randn(3, 4), RNG.uniform(0, 1, (3, 4)), np.abs(randn(4))))
    close(
        F.binary_cross_entropy_with_logits(x, t, w, reduction=reduction),
        F.binary_cross_entropy(x.sigmoid(), t, w, reduction=reduction).numpy(),
    )
    positive = F.binary_cross_entropy_with_logits(x, t, reduction="none", pos_weight=w)
    p = scipy.special.expit(x.numpy())
    close(positive, -(w.numpy() * t.numpy() * np.log(p) + (1 - t.numpy()) * np.log1p(-p)))
    with pytest.raises(ValueError, match="[Tt]arget size"):
        F.binary_cross_entropy_with_logits(x, t[:2])


def test_batch_norm_updates_the_running_statistics(lib):
    x, mean, var = randn(4, 3, 5), randn(3), np.abs(randn(3))
    running = [lib.from_numpy(a.copy()) for a in (mean, var)]
    y = lib.nn.functional.batch_norm(lib.from_numpy(x), *running, training=True, momentum=0.3, eps=0.1)
    scale = np.sqrt(x.var((0, 2), keepdims=True) + 0.1)
    close(y, (x - x.mean((0, 2), keepdims=True)) / scale)
    close(running[0], 0.7 * mean + 0.3 * x.mean((0, 2)))
    close(running[1], 0.7 * var + 0.3 * x.var((0, 2), ddof=1))
    y = lib.nn.functional.batch_norm(lib.from_numpy(x), *running, eps=0.1)
    close(y, (x - running[0].numpy()[:, None]) / np.sqrt(running[1].numpy() + 0.1)[:, None])


def test_bad_norms(lib):
    F = lib.nn.functional
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        F.batch_norm(lib.ones(1, 3), None, None, training=True)
    with pytest.raises(RuntimeError, match="running_mean should contain 3 elements not 4"):
        F.batch_norm(lib.ones(2, 3), lib.ones(4), lib.ones(4))
    with pytest.raises(RuntimeError, match="running_mean"):
        F.batch_norm(lib.ones(2, 3), None, None)
    with pytest.raises(RuntimeError, match=r"expected input with shape \[\*, 5\]"):
        F.layer_norm(lib.ones(2, 3), [5])
    with pytest.raises(RuntimeError, match="Expected weight to be of same shape as normalized_shape"):
        F.layer_norm(lib.ones(2, 3), [3], lib.ones(2))


def test_layer_norm(lib):
    x, w, b = randn(4, 5, 6), randn(5, 6), randn(5, 6)
    y = lib.nn.functional.layer_norm(lib.from_numpy(x), (5, 6), lib.from_numpy(w), lib.from_numpy(b), 1e-3)
    expected = (x - x.mean((1, 2), keepdims=True)) / np.sqrt(x.var((1, 2), keepdims=True) + 1e-3) * w + b
    close(y, expected)


def test_softmax_without_dim_warns(lib):
    x = randn(3, 4)
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
        close(lib.nn.functional.softmax(lib.from_numpy(x)), scipy.special.softmax(x, 1))
    close(lib.nn.functional.softmin(lib.from_numpy(x), 0), scipy.special.softmax(-x, 0))
    half = lib.nn.functional.log_softmax(lib.from_numpy(x).half(), -1, dtype=lib.float32)
    assert half.dtype == lib.float32


@pytest.mark.parametrize(
    "name, arguments", [("relu", ()), ("leaky_relu", (0.2,)), ("elu", (0.7,)), ("silu", ()), ("hardtanh", (-0.5, 0.7))]
)
def test_activations_in_place(lib, name, arguments):
    function = getattr(lib.nn.functional, name)
    x = lib.from_numpy(randn(3, 4))
    expected = function(x, *arguments)
    assert function(x, *arguments, inplace=True) is x
    close(x, expected.numpy())
