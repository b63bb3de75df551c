"""Activations against their formulas; how layers print; what they say about wrong arguments."""

from typing import Any

import numpy as np
import pytest

from specgrad import nn


@pytest.mark.parametrize(
    ("name", "arguments", "function"),
    [
        ("ReLU", (), lambda x: np.maximum(x, 0)),
        ("LeakyReLU", (0.2,), lambda x: np.where(x > 0, x, 0.2 * x)),
        ("ELU", (1.5,), lambda x: np.where(x > 0, x, 1.5 * np.expm1(x))),
        ("SiLU", (), lambda x: x / (1 + np.exp(-x))),
        ("Softplus", (2.0,), lambda x: np.log1p(np.exp(2 * x)) / 2),
        ("Hardtanh", (-0.5, 2.0), lambda x: np.clip(x, -0.5, 2.0)),
        ("Sigmoid", (), lambda x: 1 / (1 + np.exp(-x))),
        ("Tanh", (), np.tanh),
        ("LogSigmoid", (), lambda x: -np.log1p(np.exp(-x))),
        ("Softmax", (0,), lambda x: np.exp(x) / np.exp(x).sum(0)),
        ("LogSoftmax", (1,), lambda x: x - np.log(np.exp(x).sum(1, keepdims=True))),
        ("GELU", ("tanh",), lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
    ],
)
def test_activations(lib: Any, name: str, arguments: tuple[Any, ...], function: Any) -> None:
    """Each activation is its formula."""
    x = np.linspace(-3, 3, 12).reshape(3, 4)
    found = getattr(lib.nn, name)(*arguments)(lib.from_numpy(x))
    np.testing.assert_allclose(found.numpy(), function(x), rtol=1e-12)


@pytest.mark.parametrize("name", ["ReLU", "LeakyReLU", "ELU", "SiLU", "Hardtanh"])
def test_inplace_activations(lib: Any, name: str) -> None:
    """With inplace the result is the input."""
    x = lib.tensor([-2.0, 0.5, 3.0])
    expected = getattr(lib.nn, name)()(x)
    assert getattr(lib.nn, name)(inplace=True)(x) is x
    assert (x == expected).all()


@pytest.mark.filterwarnings("ignore:Implicit dimension choice")
@pytest.mark.parametrize(("ndim", "dim"), [(1, 0), (2, 1), (3, 0), (4, 1)])
def test_softmax_without_dim(lib: Any, ndim: int, dim: int) -> None:
    """Without a dimension one is chosen by the number of dimensions, with a warning."""
    x = lib.randn([2] * ndim)
    assert (lib.nn.Softmax()(x) == lib.nn.Softmax(dim)(x)).all()
    assert (lib.nn.LogSoftmax()(x) == lib.nn.LogSoftmax(dim)(x)).all()


def test_hardtanh_interval(lib: Any) -> None:
    """The interval must not be empty."""
    with pytest.raises(AssertionError, match=r"max_val \(1\) must be greater than min_val \(2\)"):
        lib.nn.Hardtanh(2, 1)


KERNEL_SOURCES = {
    "Linear(2, 3, False)": "Linear(in_features=2, out_features=3, bias=False)",
    "Conv2d(2, 4, 3)": "Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1))",
    "Conv2d(2, 4, 3, padding='same', dilation=2, groups=2, bias=False)": (
        "Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1), padding=same, dilation=(2, 2), groups=2, bias=False)"
    ),
    "Conv1d(4, 4, 3, padding=1)": "Conv1d(4, 4, kernel_size=(3,), stride=(1,), padding=(1,))",
    "MaxPool2d((2, 3), 1)": "MaxPool2d(kernel_size=(2, 3), stride=1, padding=0, dilation=1, ceil_mode=False)",
    "MaxPool1d(2)": "MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)",
    "AvgPool1d(2, 1)": "AvgPool1d(kernel_size=(2,), stride=(1,), padding=(0,))",
    "AdaptiveAvgPool2d((1, None))": "AdaptiveAvgPool2d(output_size=(1, None))",
    "AvgPool2d(2)": "AvgPool2d(kernel_size=2, stride=2, padding=0)",
    "LayerNorm((3, 4), bias=False)": "LayerNorm((3, 4), eps=1e-05, elementwise_affine=True, bias=False)",
    "BatchNorm2d(2)": ("BatchNorm2d(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"),
    "Dropout()": "Dropout(p=0.5, inplace=False)",
    "Embedding(3, 4, padding_idx=-1, max_norm=2.0, norm_type=1, scale_grad_by_freq=True)": (
        "Embedding(3, 4, padding_idx=2, max_norm=2.0, norm_type=1, scale_grad_by_freq=True)"
    ),
    "Flatten()": "Flatten(start_dim=1, end_dim=-1)",
    "Unflatten(1, (2, 3))": "Unflatten(dim=1, unflattened_size=(2, 3))",
    "ReLU()": "ReLU()",
    "ReLU(True)": "ReLU(inplace=True)",
    "LeakyReLU(0.2, True)": "LeakyReLU(negative_slope=0.2, inplace=True)",
    "ELU()": "ELU(alpha=1.0)",
    "GELU('tanh')": "GELU(approximate='tanh')",
    "Softplus()": "Softplus(beta=1.0, threshold=20.0)",
    "Hardtanh(-2, 2, True)": "Hardtanh(min_val=-2, max_val=2, inplace=True)",
    "Softmax(1)": "Softmax(dim=1)",
    "CrossEntropyLoss()": "CrossEntropyLoss()",
    "Identity(5)": "Identity()",
}


@pytest.mark.parametrize("code", KERNEL_SOURCES)
def test_repr(lib: Any, code: str) -> None:
    """Layers print what they were made with."""
    assert repr(eval(f"nn.{code}", {"nn": lib.nn})) == KERNEL_SOURCES[code]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Linear("2", 3), r"Linear\(\): argument 'in_features' must be int, not str"),
        (lambda: nn.Embedding(None, 3), r"Embedding\(\): argument 'num_embeddings' must be int, not NoneType"),
        (lambda: nn.Conv2d(1, 2.5, 3), r"Conv2d\(\): argument 'out_channels' must be int, not float"),
        (lambda: nn.Conv1d(1, 1, "3"), r"Conv1d\(\): argument 'kernel_size' must be tuple of ints, not str"),
        (lambda: nn.LayerNorm(2.5), r"LayerNorm\(\): argument 'normalized_shape' must be tuple of ints, not float"),
        (lambda: nn.BatchNorm1d((3,)), r"BatchNorm1d\(\): argument 'num_features' must be int, not tuple"),
        (lambda: nn.Dropout("half"), r"Dropout\(\): argument 'p' must be float, not str"),
        (lambda: nn.Hardtanh("a", 1), r"Hardtanh\(\): argument 'min_val' must be Number, not str"),
        (lambda: nn.Unflatten("a", (1, 2)), r"Unflatten: argument 'dim' must be int, not str"),
        (lambda: nn.Buffer([1.0]), r"Buffer\(\): argument 'data' must be Tensor, not list"),
    ],
)
def test_arguments_of_the_wrong_type(make: Any, message: str) -> None:
    """The message names the layer, the argument, and what came."""
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize("name", ["Flatten", "Softmax", "LogSoftmax", "Sigmoid", "Tanh", "ReLU", "GELU", "Dropout"])
def test_input_of_the_wrong_type(name: str) -> None:
    """A layer that is called with something else says that it needs a Tensor."""
    with pytest.raises(TypeError, match="must be Tensor, not list"):
        getattr(nn, name)()([1.0])
