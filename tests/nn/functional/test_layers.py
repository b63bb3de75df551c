"""nn.functional: linear maps, convolution, pooling, padding, embedding and dropout, as PyTorch has them."""

import numpy as np
import pytest

RNG = np.random.default_rng(0)


def randn(*shape):
    return RNG.standard_normal(shape)


def close(tensor, expected, **tolerance):
    found = tensor.detach().numpy()
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, **({"rtol": 1e-12, "atol": 1e-13} | tolerance))


def test_linear_acts_on_the_last_dimension(lib):
    x, w, b = randn(2, 3, 4), randn(5, 4), randn(5)
    tensors = [lib.from_numpy(a) for a in (x, w, b)]
    close(lib.nn.functional.linear(*tensors), x @ w.T + b)
    close(lib.nn.functional.linear(tensors[0][0, 0], tensors[1]), w @ x[0, 0])
    with pytest.raises(RuntimeError, match="linear|mat1 and mat2"):
        lib.nn.functional.linear(tensors[0], lib.ones(5, 3, dtype=lib.float64))


@pytest.mark.filterwarnings("ignore:Using padding=.same. with even kernel")  # PyTorch, of its own way to pad
@pytest.mark.parametrize("name, dims", [("conv1d", 1), ("conv2d", 2)])
def test_convolution_padding_by_name(lib, name, dims):
    """'valid' is no padding; 'same' keeps the size, with the odd zero at the end."""
    conv = getattr(lib.nn.functional, name)
    x, w = lib.from_numpy(randn(2, 3, *(6, 5)[:dims])), lib.from_numpy(randn(4, 3, *(4, 3)[:dims]))
    same = conv(x, w, padding="same", dilation=1)
    pads = [1, 1, 1, 2] if dims == 2 else [1, 2]
    close(same, conv(lib.nn.functional.pad(x, pads), w).numpy())
    assert same.shape[2:] == x.shape[2:]
    close(conv(x, w, padding="valid"), conv(x, w).numpy())
    with pytest.raises(RuntimeError, match="padding='same' is not supported for strided"):
        conv(x, w, stride=2, padding="same")
    with pytest.raises(RuntimeError, match="'full'"):
        conv(x, w, padding="full")


def test_convolution_arguments_may_be_single_numbers_or_lists(lib):
    conv = lib.nn.functional.conv2d
    x, w, b = lib.from_numpy(randn(2, 4, 7, 6)), lib.from_numpy(randn(6, 2, 3, 2)), lib.from_numpy(randn(6))
    expected = conv(x, w, b, (2, 2), (1, 1), (1, 1), 2)
    close(conv(x, w, b, stride=2, padding=1, groups=2), expected.numpy())
    close(conv(x, w, b, stride=[2], padding=[1], groups=2), expected.numpy())
    close(conv(x[0], w, b, 2, 1, 1, 2), expected[0].numpy())


BAD_CONVOLUTIONS = [
    ("expected input.* to have 4 channels, but got 3", (1, 3, 9, 8), (6, 4, 3, 2), {}),
    ("Kernel size can't be greater than actual input size", (1, 4, 2, 2), (6, 4, 3, 3), {}),
    ("input to conv2d, but got input of size", (4, 2), (6, 4, 3, 3), {}),
    ("expected bias to be 1-dimensional with 6 elements", (1, 4, 9, 8), (6, 4, 3, 2), {"bias": (5,)}),
    ("stride", (1, 4, 9, 8), (6, 4, 3, 2), {"stride": 0}),
    ("padding", (1, 4, 9, 8), (6, 4, 3, 2), {"padding": -1}),
    ("dilation", (1, 4, 9, 8), (6, 4, 3, 2), {"dilation": 0}),
    ("groups", (1, 4, 9, 8), (6, 4, 3, 2), {"groups": 0}),
    ("divisible", (1, 4, 9, 8), (5, 2, 3, 2), {"groups": 2}),
    ("kernel size should be greater than zero", (1, 4, 9, 8), (6, 4, 0, 2), {}),
]


@pytest.mark.parametrize("message, x, w, arguments", BAD_CONVOLUTIONS, ids=[case[0] for case in BAD_CONVOLUTIONS])
def test_bad_convolutions(lib, message, x, w, arguments):
    arguments = {k: lib.ones(v) if k == "bias" else v for k, v in arguments.items()}
    with pytest.raises(RuntimeError, match=message):
        lib.nn.functional.conv2d(lib.ones(x), lib.ones(w), **arguments)


def test_max_pooling_with_indices(lib):
    F = lib.nn.functional
    x = lib.from_numpy(randn(2, 3, 6, 5)).requires_grad_()
    values, indices = F.max_pool2d(x, 3, stride=2, padding=1, return_indices=True)
    close(x.flatten(-2).gather(-1, indices.flatten(-2)).reshape(values.shape), values.detach().numpy())
    values.sum().backward()
    assert float(x.grad.sum()) == values.numel()
    line, positions = F.max_pool1d(x[0, 0], 2, return_indices=True)
    close(line, F.max_pool1d(x[0, 0], 2).detach().numpy())
    assert positions.shape == line.shape == (6, 2)


def test_pooling_of_a_line_is_that_of_its_plane(lib):
    F = lib.nn.functional
    x = lib.from_numpy(randn(2, 3, 9))
    close(F.max_pool1d(x, 3, 2, 1), F.max_pool2d(x.unsqueeze(2), (1, 3), (1, 2), (0, 1)).squeeze(2).numpy())
    close(F.avg_pool1d(x, 3, 2, 1), F.avg_pool2d(x.unsqueeze(2), (1, 3), (1, 2), (0, 1)).squeeze(2).numpy())


def test_average_pooling(lib):
    F = lib.nn.functional
    x = randn(2, 3, 4, 6)
    t = lib.from_numpy(x)
    close(F.avg_pool2d(t, 2), x.reshape(2, 3, 2, 2, 3, 2).mean((3, 5)))
    close(F.adaptive_avg_pool2d(t, (None, 3)), x.reshape(2, 3, 4, 3, 2).mean(4))
    close(F.avg_pool2d(t, 2, divisor_override=1), x.reshape(2, 3, 2, 2, 3, 2).sum((3, 5)))


@pytest.mark.parametrize("arguments", [(7,), (2, 0), (2, 1, 2), ((2, 2, 2),), (0,)])
@pytest.mark.parametrize("name", ["max_pool2d", "avg_pool2d"])
def test_bad_pooling(lib, name, arguments):
    with pytest.raises(RuntimeError):
        getattr(lib.nn.functional, name)(lib.ones(1, 2, 4, 4), *arguments)


def test_padding_with_a_constant(lib):
    x = randn(2, 3)
    padded = lib.nn.functional.pad(lib.from_numpy(x), (1, 2, 0, 1), value=7.0)
    close(padded, np.pad(x, ((0, 1), (1, 2)), constant_values=7))
    close(lib.nn.functional.pad(lib.from_numpy(x), (-1, 1)), np.pad(x[:, 1:], ((0, 0), (0, 1))))
    with pytest.raises(NotImplementedError):
        lib.nn.functional.pad(lib.from_numpy(x), (1, 1), mode="nonsense")


def test_embedding_gives_padding_no_gradient(lib):
    F = lib.nn.functional
    weight = lib.from_numpy(randn(5, 3)).requires_grad_()
    F.embedding(lib.tensor([[0, 4], [4, 2]]), weight, padding_idx=-1).sum().backward()
    assert [float(g) for g in weight.grad[:, 0]] == [1, 0, 1, 0, 0]
    weight.grad = None
    F.embedding(lib.tensor([1, 1, 3]), weight, scale_grad_by_freq=True).sum().backward()
    assert [float(g) for g in weight.grad[:, 0]] == [0, 1, 0, 1, 0]
    with pytest.raises(AssertionError, match="within num_embeddings"):
        F.embedding(lib.tensor([0]), weight, padding_idx=5)


@pytest.mark.cpu("a device says later which index was out of range")
def test_embedding_has_no_such_row(lib):
    with pytest.raises(IndexError, match="out of range"):
        lib.nn.functional.embedding(lib.tensor([5]), lib.from_numpy(randn(5, 3)))


def test_embedding_limits_the_norms_of_used_rows(lib):
    table = np.array([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    weight = lib.from_numpy(table.copy())
    found = lib.nn.functional.embedding(lib.tensor([0, 1, 0]), weight, max_norm=1.0)
    close(found, [[0.6, 0.8], [0.3, 0.4], [0.6, 0.8]], rtol=1e-6)
    close(weight, [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-6)


def test_one_hot(lib):
    one_hot = lib.nn.functional.one_hot
    assert one_hot(lib.tensor([[1, 0], [2, 1]])).tolist() == [[[0, 1, 0], [1, 0, 0]], [[0, 0, 1], [0, 1, 0]]]
    assert one_hot(lib.tensor(1), 2).tolist() == [0, 1] and one_hot(lib.tensor(1)).dtype == lib.int64
    for bad, classes in [([3], 2), ([-1], -1), ([1.0], -1), ([], -1)]:
        with pytest.raises(RuntimeError):
            one_hot(lib.tensor(bad), classes)


def test_dropout_scales_what_it_keeps(lib):
    F = lib.nn.functional
    lib.manual_seed(0)
    x = lib.ones(100, 100, requires_grad=True)
    y = F.dropout(x, 0.2)
    assert set(y.detach().numpy().reshape(-1).tolist()) == {0.0, 1.25}
    assert abs(float(y.detach().mean()) - 1) < 0.02
    y.sum().backward()
    assert (x.grad == y.detach()).all()
    assert F.dropout(x, 0.2, training=False) is x
    assert not F.dropout(x, 1.0).detach().numpy().any()
    z = lib.ones(4)
    assert F.dropout(z, 1.0, inplace=True) is z and not z.numpy().any()
    with pytest.raises(ValueError, match="between 0 and 1, but got 1.5"):
        F.dropout(x, 1.5)
