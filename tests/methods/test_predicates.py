"""What tensors say of themselves, and methods that are functions too."""

import warnings
from typing import Any

import numpy as np
import pytest

PREDICATES = [
    "is_sparse",
    "is_sparse_csr",
    "is_quantized",
    "is_mkldnn",
    "is_xla",
    "is_xpu",
    "is_mps",
    "is_ipu",
    "is_maia",
]
PREDICATES += ["is_meta", "is_mtia", "is_nested", "is_vulkan", "volatile"]


@pytest.mark.parametrize("name", PREDICATES)
def test_kinds_of_tensors(lib: Any, name: str) -> None:
    """An ordinary tensor is of none of these kinds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert getattr(lib.ones(2), name) is False and getattr(lib.nn.Parameter(lib.ones(2)), name) is False


def test_methods_as_functions(lib: Any) -> None:
    """Functions give what methods give."""
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    assert not lib.detach(y).requires_grad and lib.detach_(y) is y and y.is_leaf
    assert lib.is_signed(x) and not lib.is_signed(x.to(lib.uint8)) and not lib.is_inference(x)
    assert not lib.is_distributed(x) and not x.is_inference() and x.name is None
    z = lib.ones(6)
    assert lib.resize_as_(z, x) is z and z.shape == (2,)
    assert lib.fill(x, 3.0).tolist() == [3.0, 3.0] and x.tolist() == [1.0, 1.0]


@pytest.mark.cpu("names of classes are those of the CPU")
def test_names_of_classes(lib: Any) -> None:
    """The name of what an object is."""
    assert lib.typename(lib.ones(1)) == f"{lib.__name__}.FloatTensor" and lib.typename(3) == "int"
    assert lib.typename(lib.nn.ReLU()).endswith("ReLU") and lib.get_device(lib.ones(1)) == -1


@pytest.mark.parametrize("arguments", [(3,), (1, 4), (0, 1, 0.25), (5, 1, -2)])
def test_ranges_with_their_end(lib: Any, arguments: Any) -> None:
    """The end is one of the numbers, with a warning."""
    start, end, step = (0, *arguments, 1) if len(arguments) == 1 else (*arguments, 1)[:3]
    expected = [start + step * n for n in range(int((end - start) / step) + 1)]
    with pytest.warns(UserWarning, match="deprecated"):
        found = lib.range(start, end, step)
    np.testing.assert_allclose(found.cpu().numpy(), expected)
    assert found.dtype is lib.float32


def test_ranges_that_lead_away(lib: Any) -> None:
    """A step of 0, or in the other direction, is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for step in (0, -1):
            with pytest.raises(RuntimeError, match="step"):
                lib.range(0, 3, step)


@pytest.mark.parametrize("dim", [-1, 0, 1, 2])
@pytest.mark.parametrize("power", [1, 2])
def test_norms_of_slices(lib: Any, dim: int, power: int) -> None:
    """The norm of all but one dimension, which stays."""
    x = np.sin(np.arange(24.0)).reshape(2, 3, 4)
    axes = tuple(d for d in range(3) if d != dim)
    expected = (abs(x) ** power).sum(axes, keepdims=True) ** (1 / power)
    found = lib.norm_except_dim(lib.tensor(x), power, dim)
    np.testing.assert_allclose(found.cpu().numpy(), expected if dim >= 0 else expected.reshape(()), rtol=1e-12)


def test_the_default_by_its_tensor_class(lib: Any) -> None:
    """The default dtype is chosen by the name of a class."""
    before = lib.get_default_dtype()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lib.set_default_tensor_type(lib.DoubleTensor)
            assert lib.ones(1).dtype is lib.float64
            lib.set_default_tensor_type(f"{lib.__name__}.FloatTensor")
        assert lib.ones(1).dtype is lib.float32
    finally:
        lib.set_default_dtype(before)


def test_functions_of_layers(lib: Any) -> None:
    """Functions of PyTorch's top level give what those of `nn.functional` give."""
    F = lib.nn.functional
    x, mean, var = lib.rand(4, 6, 2), lib.zeros(6), lib.ones(6)
    weight, bias = lib.rand(6), lib.rand(6)
    pairs = [
        (lib.batch_norm(x, weight, bias, mean, var, False, 0.1, 1e-5, False), F.batch_norm(x, mean, var, weight, bias)),
        (lib.layer_norm(x, (2,)), F.layer_norm(x, (2,))),
        (lib.group_norm(x, 3, weight, bias), F.group_norm(x, 3, weight, bias)),
        (
            lib.instance_norm(x, weight, bias, None, None, True, 0.1, 1e-5, False),
            F.instance_norm(x, None, None, weight, bias),
        ),
        (lib.rms_norm(x, (2,)), F.rms_norm(x, (2,))),
        (lib.dropout(x, 0.5, False), x),
    ]
    for found, expected in pairs:
        np.testing.assert_array_equal(found.cpu().numpy(), expected.cpu().numpy())
