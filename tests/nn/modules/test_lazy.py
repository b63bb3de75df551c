"""Lazy modules: sizes come from the first input, or from what is loaded."""

import copy
import pickle
from typing import Any

import pytest

from tests.examples import array, reals

LAYERS: dict[str, tuple[tuple[Any, ...], dict[str, Any], tuple[int, ...], str]] = {
    "LazyLinear": ((3,), {}, (2, 5), "Linear(in_features=5, out_features=3, bias=True)"),
    "LazyLinear alone": ((3,), {"bias": False}, (5,), "Linear(in_features=5, out_features=3, bias=False)"),
    "LazyConv1d": ((4, 3), {}, (2, 3, 6), "Conv1d(3, 4, kernel_size=(3,), stride=(1,))"),
    "LazyConv2d": (
        (4, 3),
        {"padding": 1, "groups": 2, "bias": False},
        (2, 2, 5, 5),
        "Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), groups=2, bias=False)",
    ),
    "LazyConv2d unbatched": ((4, 3), {}, (3, 5, 5), "Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1))"),
    "LazyConv3d": ((4, 2), {}, (2, 3, 3, 3, 3), "Conv3d(3, 4, kernel_size=(2, 2, 2), stride=(1, 1, 1))"),
    "LazyConvTranspose1d": ((4, 3, 2), {}, (2, 3, 6), "ConvTranspose1d(3, 4, kernel_size=(3,), stride=(2,))"),
    "LazyConvTranspose2d": ((4, 3), {}, (2, 3, 5, 5), "ConvTranspose2d(3, 4, kernel_size=(3, 3), stride=(1, 1))"),
    "LazyConvTranspose3d": (
        (4, 2),
        {},
        (2, 3, 3, 3, 3),
        "ConvTranspose3d(3, 4, kernel_size=(2, 2, 2), stride=(1, 1, 1))",
    ),
    "LazyBatchNorm1d": (
        (),
        {},
        (4, 3),
        "BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
    ),
    "LazyBatchNorm2d": (
        (1e-3,),
        {"affine": False},
        (4, 3, 2, 2),
        "BatchNorm2d(3, eps=0.001, momentum=0.1, affine=False, bias=False, track_running_stats=True)",
    ),
    "LazyBatchNorm3d": (
        (),
        {"bias": False},
        (4, 3, 2, 2, 2),
        "BatchNorm3d(3, eps=1e-05, momentum=0.1, affine=True, bias=False, track_running_stats=True)",
    ),
    "LazyInstanceNorm1d": (
        (),
        {},
        (4, 3, 6),
        "InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
    ),
    "LazyInstanceNorm2d": (
        (),
        {"track_running_stats": False},
        (4, 3, 2, 2),
        "InstanceNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=False)",
    ),
    "LazyInstanceNorm3d": (
        (),
        {},
        (4, 3, 2, 2, 2),
        "InstanceNorm3d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_the_first_input_gives_the_sizes(lib: Any, name: str) -> None:
    """The layer is then the one that it stands for, and computes what that one does."""
    arguments, named, shape, text = LAYERS[name]
    layer, plain = (getattr(lib.nn, name.partition(" ")[0])(*arguments, dtype=lib.float64, **named) for _ in range(2))
    becomes = layer.cls_to_become
    assert layer.has_uninitialized_params() and {str(p) for p in layer.parameters()} <= {"<UninitializedParameter>"}
    kinds = [type(p).__name__ for p in layer.state_dict().values()]
    assert set(kinds) <= {"UninitializedParameter", "UninitializedBuffer", "Tensor"}
    x = reals(lib, *shape)
    layer(x)
    assert str(layer) == text and type(layer) is becomes
    assert not layer._forward_pre_hooks and all(p.dtype is lib.float64 for p in layer.parameters())
    plain(x)
    plain.load_state_dict(layer.state_dict())
    assert lib.equal(plain.eval()(x), layer.eval()(x))


@pytest.mark.parametrize("name", [name for name in LAYERS if "Instance" not in name])  # where PyTorch finds no sizes
def test_a_state_gives_the_sizes(lib: Any, name: str) -> None:
    """Loaded before the first call; nothing is drawn again then."""
    arguments, named, shape, _ = LAYERS[name]
    one, other = (getattr(lib.nn, name.partition(" ")[0])(*arguments, dtype=lib.float64, **named) for _ in range(2))
    assert str(other.load_state_dict(one.state_dict())) == "<All keys matched successfully>"
    x = reals(lib, *shape)
    one.eval()(x)
    assert str(other.load_state_dict(one.state_dict())) == "<All keys matched successfully>"
    assert not other.has_uninitialized_params()
    assert lib.equal(other.eval()(x), one(x))


def test_sizes_that_are_not_known(lib: Any) -> None:
    """Nothing can be computed with such a parameter; dtype, mode and copies are known."""
    layer = lib.nn.LazyLinear(3)
    weight = layer.weight
    for use in (lambda: weight + 1, lambda: weight.sum(), lambda: weight.numel(), lambda: weight.clone()):
        with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
            use()
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        print(weight.shape)
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
        layer.forward(lib.ones(2, 3))
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        lib.nn.Linear(5, 3).load_state_dict(layer.state_dict())
    assert weight.requires_grad and weight.is_leaf and weight.dtype is lib.float32
    assert weight.device == lib.ones(1).device
    assert isinstance(weight, lib.nn.Parameter) and lib.nn.parameter.is_lazy(weight)
    for other in (pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer)):
        assert other(lib.ones(2, 4)).shape == (2, 3) and layer.has_uninitialized_params()
    assert layer.double().weight.dtype is lib.float64
    assert lib.nn.LazyBatchNorm1d().double().running_mean.dtype is lib.float64


def test_materialize(lib: Any) -> None:
    """A size, and perhaps another dtype."""
    parameter = lib.nn.UninitializedParameter(requires_grad=False, dtype=lib.float64)
    parameter.materialize((2, 3), dtype=lib.float32)
    assert type(parameter) is lib.nn.Parameter and parameter.shape == (2, 3)
    assert parameter.dtype is lib.float32 and not parameter.requires_grad
    buffer = lib.nn.UninitializedBuffer()
    assert str(buffer) == "<UninitializedBuffer>"
    buffer.materialize((2,))
    assert type(buffer) is lib.Tensor and buffer.shape == (2,)


def test_optimizers_hold_parameters_before_they_have_a_size(lib: Any) -> None:
    """The parameter stays the same object."""
    model = lib.nn.Sequential(lib.nn.LazyLinear(4), lib.nn.ReLU(), lib.nn.LazyLinear(1))
    optimizer = lib.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(lib.ones(3, 2)).sum().backward()
    before = array(model[0].weight.detach().clone())
    optimizer.step()
    assert model[0].weight.shape == (4, 2) and (array(model[2].bias.detach()) != 0).all()
    assert before.shape == (4, 2)


def test_lazy_modules_of_ones_own(lib: Any) -> None:
    """initialize_parameters gets what forward gets, and must give all sizes."""

    class Scale(lib.nn.modules.lazy.LazyModuleMixin, lib.nn.Module):  # type: ignore[misc]
        """Factors, one for each feature."""

        def __init__(self) -> None:
            super().__init__()
            self.factors = lib.nn.UninitializedParameter()

        def forward(self, x: Any, start: float = 1.0) -> Any:
            """The product."""
            return self.factors * x

    with pytest.raises(NotImplementedError, match="initialize_parameters is not implemented for Scale"):
        Scale()(lib.ones(2))
    Scale.initialize_parameters = lambda self, x, start=1.0: None
    with pytest.raises(RuntimeError, match="module Scale has not been fully initialized"):
        Scale()(lib.ones(2))

    def initialize(self: Any, x: Any, start: float = 1.0) -> None:
        self.factors.materialize(x.shape)
        self.factors.data.fill_(start)

    Scale.initialize_parameters = initialize
    scale = Scale()
    assert scale(lib.ones(2), start=3.0).tolist() == [3, 3] and type(scale) is Scale


def test_inputs_that_do_not_fit(lib: Any) -> None:
    """Images of other dimensions, and channels that the groups do not divide."""
    with pytest.raises(RuntimeError, match=r"Expected 3D \(unbatched\) or 4D \(batched\) input to LazyConv2d"):
        lib.nn.LazyConv2d(4, 3)(lib.ones(5, 5))
    with pytest.raises(ValueError, match="in_channels must be divisible by groups"):
        lib.nn.LazyConv2d(3, 3, groups=3)(lib.ones(2, 4, 5, 5))
