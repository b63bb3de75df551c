"""`nn.modules`: layers and the classes that they come from, under PyTorch's paths, as programs derive from them."""

import importlib
import importlib.util
import pkgutil
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import specgrad as sg

BASES = {
    "batchnorm": ["_BatchNorm", "_NormBase"],
    "conv": ["_ConvNd", "_ConvTransposeNd"],
    "dropout": ["_DropoutNd"],
    "instancenorm": ["_InstanceNorm"],
    "loss": ["_Loss", "_WeightedLoss"],
    "padding": ["_CircularPadNd", "_ConstantPadNd"],
    "pooling": ["_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd", "_LPPoolNd", "_MaxPoolNd", "_MaxUnpoolNd"],
    "rnn": ["RNNBase", "RNNCellBase"],
}
NOT_HERE = {"linear_cross_entropy", "linear_cross_entropy_options", "register_module_backward_hook"}


OPTIMIZERS = ["Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD"]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_lie_in_modules_of_their_names(name: str) -> None:
    """`optim.adam.Adam` is `optim.Adam`."""
    module = importlib.import_module(f"specgrad.optim.{name.lower()}")
    assert getattr(module, name) is getattr(sg.optim, name)


def modules_of(lib: ModuleType, name: str) -> Any:
    return importlib.import_module(f"{lib.__name__}.nn.modules.{name}")


def test_paths_of_layers() -> None:
    """Every module of PyTorch's `nn.modules` is there, with every name that it offers; they are the classes of `nn`."""
    modules = pytest.importorskip("torch.nn.modules")
    for found in pkgutil.iter_modules(modules.__path__):
        if found.name in NOT_HERE or found.name.startswith("_"):
            continue
        theirs, ours = (importlib.import_module(f"{lib}.nn.modules.{found.name}") for lib in ("torch", "specgrad"))
        for name in {*theirs.__all__} - NOT_HERE:
            assert getattr(ours, name) is getattr(sg.nn, name, getattr(ours, name)), f"{found.name}.{name}"
    assert all(getattr(sg.nn.modules, name) is getattr(sg.nn, name) for name in modules.__all__ if name[0].isupper())


@pytest.mark.parametrize("name", BASES)
def test_which_layers_have_a_base(name: str) -> None:
    """A layer comes from a base class here exactly if it does in PyTorch."""
    torch = pytest.importorskip("torch")
    for base in BASES[name]:
        theirs, ours = (getattr(modules_of(lib, name), base) for lib in (torch, sg))
        for layer in torch.nn.modules.__all__:
            found = issubclass(getattr(sg.nn, layer), ours), issubclass(getattr(torch.nn, layer), theirs)
            assert found[0] == found[1], f"{layer} and {base}"


def test_which_convolutions_there_are(lib: Any) -> None:
    """Programs that initialise find all convolutions by their base, and nothing else."""
    base, nn = lib.nn.modules.conv._ConvNd, lib.nn
    layers = [nn.Conv1d(1, 1, 1), nn.Conv3d(1, 1, 1), nn.ConvTranspose2d(1, 1, 1), nn.LazyConv2d(1, 1)]
    assert all(isinstance(layer, base) for layer in layers)
    assert not any(isinstance(layer, base) for layer in (nn.Linear(1, 1), nn.BatchNorm1d(1), nn.Unfold(1)))
    assert [layer.transposed for layer in layers] == [False, False, True, False]


@pytest.mark.parametrize(("padding", "mode"), [(1, "zeros"), ("same", "reflect")])
def test_a_convolution_of_ones_own(lib: Any, padding: Any, mode: str) -> None:
    """A class derived from `_ConvNd` has its parameters, sizes and printed form, and can use `_conv_forward`."""
    pair = lib.nn.modules.utils._pair

    class Standardized(lib.nn.modules.conv._ConvNd):  # type: ignore[name-defined, misc]
        def __init__(self, channels: int, out: int, size: Any, padding: Any, bias: bool = True) -> None:
            given = padding if isinstance(padding, str) else pair(padding)
            super().__init__(channels, out, pair(size), pair(1), given, pair(1), False, pair(0), 2, bias, mode)

        def forward(self, input: Any) -> Any:
            weight = self.weight - self.weight.mean(dim=(1, 2, 3), keepdim=True)
            return plain._conv_forward(input, weight, self.bias)

    plain = lib.nn.Conv2d(4, 6, 3, padding=padding, groups=2, padding_mode=mode).double()
    layer = Standardized(4, 6, 3, padding).double()
    assert layer.weight.shape == plain.weight.shape == (6, 2, 3, 3)
    assert layer.bias.shape == (6,) and Standardized(4, 6, 3, 1, bias=False).bias is None
    assert repr(layer) == repr(plain).replace("Conv2d", "Standardized")
    assert [*layer._reversed_padding_repeated_twice] == [1, 1, 1, 1]
    x = lib.tensor(np.sin(np.arange(200.0)).reshape(2, 4, 5, 5))
    with lib.no_grad():
        requested = layer.weight - layer.weight.mean(dim=(1, 2, 3), keepdim=True)
        plain.weight.copy_(requested)
        plain.bias.copy_(layer.bias)
    np.testing.assert_allclose(layer(x).detach().numpy(), plain(x).detach().numpy(), rtol=1e-12)


def test_a_transposed_one(lib: Any) -> None:
    """The weight of a transposed one has the channels of the input first."""
    layer = lib.nn.modules.conv._ConvNd(4, 6, (3,), (1,), (0,), (1,), True, (0,), 2, True, "zeros")
    assert layer.weight.shape == (4, 3, 3) and layer.transposed


def test_wrong_arguments(lib: Any) -> None:
    """The base checks what all convolutions check."""
    base = lib.nn.modules.conv._ConvNd
    for channels, groups, mode in ((3, 2, "zeros"), (4, 0, "zeros"), (4, 2, "mirror")):
        with pytest.raises(ValueError, match="in_channels|groups|padding_mode"):
            base(channels, 6, (3,), (1,), (0,), (1,), False, (0,), groups, True, mode)


def test_losses_of_ones_own(lib: Any) -> None:
    """Losses are derived with a reduction and a weight by name, or with neither."""
    loss = lib.nn.modules.loss
    assert loss._Loss().reduction == "mean" and loss._WeightedLoss(reduction="sum").weight is None
    weighted = loss._WeightedLoss(weight=lib.ones(3))
    assert list(weighted.state_dict()) == ["weight"] and weighted.reduction == "mean"


def test_helpers(lib: Any) -> None:
    """`_pair` and its relatives, and names in a state_dict without a prefix."""
    utils = modules_of(lib, "utils")
    assert utils._pair(3) == (3, 3) and utils._pair([1, 2]) == (1, 2) and utils._single(2) == (2,)
    assert utils._triple(0) == (0, 0, 0) and utils._ntuple(4)("ab") == ("a", "b") and len(utils._quadruple(1)) == 4
    assert utils._reverse_repeat_tuple((1, 2), 2) == (2, 2, 1, 1)
    layer = lib.nn.Linear(1, 1)
    state = lib.nn.ModuleDict({"module": layer}).state_dict()
    utils.consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == ["weight", "bias"] and list(state._metadata) == [""]
    layer.load_state_dict(state)


def test_unknown_names(lib: Any) -> None:
    """A name that is neither a module nor a layer is an AttributeError."""
    for name in ("nothing", "Nothing", "_nothing"):
        with pytest.raises(AttributeError):
            getattr(lib.nn.modules, name)
