"""Weight and spectral normalization, as parametrizations and in their older form; batch norm fused into layers."""

import copy
from typing import Any

import numpy as np
import pytest

import specgrad as sg

LAYERS: dict[str, Any] = {
    "Linear": lambda lib: lib.nn.Linear(4, 3),
    "Conv2d": lambda lib: lib.nn.Conv2d(2, 3, 2),
    "ConvTranspose1d": lambda lib: lib.nn.ConvTranspose1d(2, 3, 2),
}
OLD = pytest.mark.filterwarnings("ignore:.*nn.utils.weight_norm. is deprecated:FutureWarning")


def _matrix(layer: Any, name: str = "weight") -> Any:
    """The weight of a layer with its outputs as rows."""
    weight = getattr(layer, name).detach().numpy()
    rows = 1 if "Transpose" in type(layer).__name__ else 0
    return np.moveaxis(weight, rows, 0).reshape(weight.shape[rows], -1)


@OLD
@pytest.mark.parametrize("form", ["parametrizations", "utils"])
@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm(lib: Any, form: str, dim: int | None) -> None:
    """The layer computes what it did; then slices have the lengths that are learned, and removal keeps the value."""
    layer, x = LAYERS["Linear"](lib), lib.ones(2, 4)
    before, value = layer(x), layer.weight.detach().numpy().copy()
    utils = lib.nn.utils.parametrizations if form == "parametrizations" else lib.nn.utils
    layer = utils.weight_norm(layer, dim=dim)
    assert lib.allclose(layer(x), before, atol=1e-6)
    lengths = layer.parametrizations.weight.original0 if form == "parametrizations" else layer.weight_g
    axes = None if dim is None else 1 - dim
    requested = np.linalg.norm(value, axis=axes, keepdims=dim is not None)
    np.testing.assert_allclose(lengths.detach().numpy(), requested, rtol=1e-6)
    with lib.no_grad():
        lengths.mul_(2)
    assert lib.allclose(layer(x) - layer.bias, 2 * (before - layer.bias), atol=1e-5)
    if form == "parametrizations":
        lib.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    else:
        lib.nn.utils.remove_weight_norm(layer)
    np.testing.assert_allclose(layer.weight.detach().numpy(), 2 * value, rtol=1e-5)
    assert [name for name, _ in layer.named_parameters()] == ["bias", "weight"]


@OLD
def test_weight_norm_reads_older_state(lib: Any) -> None:
    """What the older form saved can be loaded."""
    old = lib.nn.utils.weight_norm(lib.nn.Linear(4, 3))
    new = lib.nn.utils.parametrizations.weight_norm(lib.nn.Linear(4, 3))
    new.load_state_dict(old.state_dict())
    assert lib.allclose(new.weight, old.weight)


def test_weight_norm_gradient() -> None:
    """Gradients of lengths and directions agree with differences."""
    layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3).double())
    parts = layer.parametrizations.weight
    function = parts[0].forward
    assert sg.autograd.gradcheck(function, (parts.original0, parts.original1))


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("form", ["parametrizations", "utils"])
def test_spectral_norm(lib: Any, form: str, name: str) -> None:
    """After some calls the weight's greatest singular value is one; in evaluation nothing moves."""
    utils = lib.nn.utils.parametrizations if form == "parametrizations" else lib.nn.utils
    lib.manual_seed(0)
    layer = utils.spectral_norm(LAYERS[name](lib), n_power_iterations=200)
    x = lib.ones(*((2, 4) if name == "Linear" else (1, 2, 5, 5) if name == "Conv2d" else (1, 2, 5)))
    layer(x).sum().backward()
    original = "parametrizations.weight.original" if form == "parametrizations" else "weight_orig"
    assert layer.get_parameter(original).grad is not None
    assert np.linalg.svd(_matrix(layer))[1][0] == pytest.approx(1, abs=1e-4)
    layer.eval()
    assert lib.equal(layer(x), layer(x))
    if form == "parametrizations":
        lib.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    else:
        lib.nn.utils.remove_spectral_norm(layer)
    assert np.linalg.svd(_matrix(layer))[1][0] == pytest.approx(1, abs=1e-4)
    assert [n for n, _ in layer.named_parameters()] == ["bias", "weight"] and not dict(layer.named_buffers())


def test_spectral_norm_of_a_vector(lib: Any) -> None:
    """A vector is divided by its length."""
    layer = lib.nn.utils.parametrizations.spectral_norm(lib.nn.LayerNorm(4))
    assert lib.allclose(layer.weight, lib.full((4,), 0.5))


@OLD
def test_refused(lib: Any) -> None:
    """A second normalization in the older form, none to remove, iterations that are none, names that are unknown."""
    utils, layer = lib.nn.utils, lib.nn.Linear(2, 2)
    with pytest.raises(RuntimeError, match="Cannot register two weight_norm hooks on the same parameter weight"):
        utils.weight_norm(utils.weight_norm(lib.nn.Linear(2, 2)))
    with pytest.raises(RuntimeError, match="Cannot register two spectral_norm hooks on the same parameter weight"):
        utils.spectral_norm(utils.spectral_norm(lib.nn.Linear(2, 2)))
    with pytest.raises(ValueError, match="weight_norm of 'weight' not found"):
        utils.remove_weight_norm(layer)
    with pytest.raises(ValueError, match="spectral_norm of 'weight' not found"):
        utils.remove_spectral_norm(layer)
    for form in (utils, utils.parametrizations):
        with pytest.raises(ValueError, match="n_power_iterations to be positive, but got n_power_iterations=0"):
            form.spectral_norm(lib.nn.Linear(2, 2), n_power_iterations=0)
    with pytest.raises(ValueError, match="has no parameter or buffer with name 'scale'"):
        utils.parametrizations.spectral_norm(layer, "scale")
    with pytest.raises(IndexError, match="Dimension out of range"):
        utils.parametrizations.spectral_norm(layer, dim=5)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", [*LAYERS, "ConvTranspose2d"])
def test_fused_batch_norm(lib: Any, name: str, bias: bool) -> None:
    """The fused layer computes what both did, and the layer that was given is as before."""
    sizes = (2, 3) if name == "Linear" else (2, 3, 2)
    layer = getattr(lib.nn, name)(*sizes, bias=bias).eval()
    space = {"Linear": (), "ConvTranspose1d": (5,)}.get(name, (5, 5))
    norm = getattr(lib.nn, "BatchNorm2d" if len(space) == 2 else "BatchNorm1d")(3).eval()
    with lib.no_grad():
        norm.running_mean.copy_(lib.tensor([0.1, -0.4, 0.3]))
        norm.running_var.copy_(lib.tensor([0.5, 2.0, 3.0]))
        norm.weight.copy_(lib.tensor([1.5, -0.5, 2.0]))
        norm.bias.copy_(lib.tensor([0.2, 0.7, -0.3]))
    x = lib.ones(2, 2, *space) * 0.7
    requested, before = norm(layer(x)), copy.deepcopy(layer.weight)
    if name == "Linear":
        fused = lib.nn.utils.fuse_linear_bn_eval(layer, norm)
    else:
        fused = lib.nn.utils.fuse_conv_bn_eval(layer, norm, transpose="Transpose" in name)
    assert lib.allclose(fused(x), requested, atol=1e-5) and lib.equal(layer.weight, before)
    with pytest.raises(AssertionError, match="Fusion only for eval!"):
        lib.nn.utils.fuse_conv_bn_eval(layer.train(), norm)


def test_skip_init(lib: Any) -> None:
    """A layer as its class makes it, without initial values; only classes of modules that take a device."""
    layer = lib.nn.utils.skip_init(lib.nn.Linear, 3, 2, bias=False)
    assert type(layer) is lib.nn.Linear and tuple(layer.weight.shape) == (2, 3) and layer.bias is None
    with pytest.raises(RuntimeError, match="Expected a Module"):
        lib.nn.utils.skip_init(int, 3)
    with pytest.raises(RuntimeError, match="must support a 'device' arg"):
        lib.nn.utils.skip_init(lib.nn.Flatten)


@OLD
@pytest.mark.parametrize("form", ["parametrizations", "utils"])
def test_weights_that_layers_read_themselves(lib: Any, form: str) -> None:
    """Recurrent layers and attention compute with normalized weights too: other lengths give another result.

    Attention reads the weight of its last layer without calling that, so the hook of the older form is not for it.
    """
    normalize = getattr(lib.nn.utils, form).weight_norm if form == "parametrizations" else lib.nn.utils.weight_norm
    x = lib.ones(3, 2, 4)
    cases = [(lib.nn.MultiheadAttention(4, 2), ""), (lib.nn.GRU(4, 3), "")]
    if form == "parametrizations":
        cases.append((lib.nn.MultiheadAttention(4, 2), "out_proj"))
    for layer, name in cases:
        arguments = (x, x, x) if isinstance(layer, lib.nn.MultiheadAttention) else (x,)
        before = layer(*arguments)[0]
        part = layer.get_submodule(name)
        weight = "weight" if name else "in_proj_weight" if len(arguments) == 3 else "weight_hh_l0"
        normalize(part, weight)
        assert lib.allclose(layer(*arguments)[0], before, atol=1e-6)
        lengths = f"parametrizations.{weight}.original0" if form == "parametrizations" else f"{weight}_g"
        with lib.no_grad():
            part.get_parameter(lengths).mul_(2)
        assert not lib.allclose(layer(*arguments)[0], before, atol=1e-6)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", ["mean", "training", "in_features"])
def test_only_a_parameter_is_normalized(name: str) -> None:
    """What is no tensor is refused by its name, and the module is as it was."""
    layer = sg.nn.Linear(2, 3)
    with pytest.raises(AttributeError, match=rf"weight_norm\(\): Linear has no parameter '{name}'"):
        sg.nn.utils.weight_norm(layer, name)
    assert layer.in_features == 2 and layer.training and len(list(layer.parameters())) == 2
