"""state_dict and load_state_dict."""

import copy
import io
from collections import OrderedDict
from typing import Any

import pytest

import specgrad as sg


def _net(lib: Any) -> Any:
    return lib.nn.Sequential(OrderedDict(fc=lib.nn.Linear(2, 3), norm=lib.nn.BatchNorm1d(3)))


KEYS = ["fc.weight", "fc.bias", "norm.weight", "norm.bias"]
KEYS += ["norm.running_mean", "norm.running_var", "norm.num_batches_tracked"]


def test_keys_and_versions(lib: Any) -> None:
    """Parameters, then persistent buffers, of each module in turn; versions stand in _metadata."""
    state = _net(lib).state_dict()
    assert type(state) is OrderedDict
    assert list(state) == KEYS
    assert dict(state._metadata) == {"": {"version": 1}, "fc": {"version": 1}, "norm": {"version": 2}}  # type: ignore[attr-defined]


def test_values_are_detached_and_shared(lib: Any) -> None:
    """The tensors share memory with the parameters without being them, but for keep_vars."""
    net = _net(lib)
    state = net.state_dict()
    assert not state["fc.weight"].requires_grad
    state["fc.bias"].fill_(7)
    assert net.fc.bias.tolist() == [7.0] * 3
    assert net.state_dict(keep_vars=True)["fc.weight"] is net.fc.weight


def test_prefix_and_destination(lib: Any) -> None:
    """Names get the prefix and go to the given dict."""
    mine: dict[str, Any] = {"x": 1}
    assert lib.nn.Linear(1, 1).state_dict(destination=mine, prefix="a.") is mine
    assert list(mine) == ["x", "a.weight", "a.bias"]


def test_round_trip(lib: Any) -> None:
    """Loading what another module saved gives equal values."""
    a, b = _net(lib), _net(lib)
    a(lib.randn(8, 2))
    result = b.load_state_dict(a.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    assert all((x == y).all() for x, y in zip(a.state_dict().values(), b.state_dict().values(), strict=True))


def test_loading_copies_in_place(lib: Any) -> None:
    """Parameters stay the objects they were; with assign they become the given values' parameters."""
    net = _net(lib)
    weight = net.fc.weight
    given = {name: value.clone() for name, value in net.state_dict().items()}
    net.load_state_dict(given)
    assert net.fc.weight is weight
    net.load_state_dict(given, assign=True)
    assert net.fc.weight is not weight
    assert isinstance(net.fc.weight, lib.nn.Parameter) and net.fc.weight.requires_grad
    given["fc.weight"].fill_(5)
    assert net.fc.weight.tolist() == [[5.0, 5.0]] * 3
    assert net.norm.running_mean is given["norm.running_mean"]


def test_errors_are_listed_together(lib: Any) -> None:
    """One message names all missing and unexpected keys and wrong shapes."""
    given = {"fc.weight": lib.ones(2), "fc.bias": 3, "extra": lib.ones(1), "fc.more": 1, "norm.a.b": 2}
    with pytest.raises(RuntimeError) as caught:
        _net(lib).load_state_dict(given)
    text = str(caught.value).replace("torch.", "").replace("specgrad.", "")
    assert text == (
        "Error(s) in loading state_dict for Sequential:\n"
        '\tMissing key(s) in state_dict: "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var". \n'
        '\tUnexpected key(s) in state_dict: "extra", "fc.more", "norm.a.b". \n'
        "\tsize mismatch for fc.weight: copying a param with shape Size([2]) from checkpoint, the shape in current "
        "model is Size([3, 2]).\n"
        '\tWhile copying the parameter named "fc.bias", expected Tensor or Tensor-like object from checkpoint but '
        "received <class 'int'>"
    )


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "module._orig_mod."])
def test_prefixes_of_wrappers(prefix: str) -> None:
    """The error's last sentence names the call that strips what wrappers put before names; it does so."""
    source = _net(sg)
    state = OrderedDict((prefix + name, value) for name, value in source.state_dict().items())
    call = f'torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, "{prefix}")'
    with pytest.raises(RuntimeError) as caught:
        _net(sg).load_state_dict(state)
    *_, unexpected, last = str(caught.value).split("\n\t")
    assert unexpected.startswith(f'Unexpected key(s) in state_dict: "{prefix}fc.weight", ')
    assert last == f'The names in the state_dict begin with "{prefix}": {call} strips it.'
    exec(call, {"torch": sg, "state_dict": state})
    net = _net(sg)
    net.load_state_dict(state)
    assert net.fc.weight.tolist() == source.fc.weight.tolist()


def test_not_strict(lib: Any) -> None:
    """Without strict, keys may differ and are reported; shapes may not."""
    net = _net(lib)
    missing, unexpected = net.load_state_dict({"fc.bias": lib.zeros(3), "x": 1}, strict=False)
    assert missing == [key for key in KEYS if key not in ("fc.bias", "norm.num_batches_tracked")]
    assert unexpected == ["x"]
    assert net.fc.bias.tolist() == [0.0] * 3
    with pytest.raises(RuntimeError, match="size mismatch for fc.bias"):
        net.load_state_dict({"fc.bias": lib.zeros(4)}, strict=False)
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like"):
        net.load_state_dict([1])


def test_old_batch_norm_without_counter(lib: Any) -> None:
    """States from before num_batches_tracked load; with the new version the counter is missed."""
    state = _net(lib).state_dict()
    del state["norm.num_batches_tracked"]
    net = _net(lib)
    with pytest.raises(RuntimeError, match="num_batches_tracked"):
        net.load_state_dict(state)
    state._metadata["norm"]["version"] = 1  # type: ignore[attr-defined]
    net.load_state_dict(state)


def test_zero_dim_from_one_dim(lib: Any) -> None:
    """A 0-d parameter takes the value of a tensor with one element."""
    m = lib.nn.Module()
    m.scale = lib.nn.Parameter(lib.tensor(1.0))
    m.load_state_dict({"scale": lib.tensor([3.0])})
    assert m.scale.item() == 3


def test_extra_state(lib: Any) -> None:
    """What get_extra_state returns is saved and given back to set_extra_state."""

    class Counter(lib.nn.Module):  # type: ignore[name-defined, misc]
        count = 0

        def get_extra_state(self) -> Any:
            return {"count": self.count}

        def set_extra_state(self, state: Any) -> None:
            self.count = state["count"]

    a, b = Counter(), Counter()
    a.count = 5
    assert a.state_dict() == {"_extra_state": {"count": 5}}
    b.load_state_dict(a.state_dict())
    assert b.count == 5
    with pytest.raises(RuntimeError, match="Missing key.*_extra_state"):
        b.load_state_dict({})
    with pytest.raises(RuntimeError, match="Unexpected key.*_extra_state"):
        lib.nn.Module().load_state_dict(a.state_dict())


def test_state_dict_hooks(lib: Any) -> None:
    """Pre-hooks run before a module writes its state, post-hooks after; a private hook may replace the dict."""
    net = _net(lib)
    order: list[Any] = []
    net.fc.register_state_dict_pre_hook(lambda module, prefix, keep_vars: order.append(("pre", prefix, keep_vars)))

    def post(module: Any, state: Any, prefix: str, metadata: Any) -> None:
        order.append(("post", prefix, metadata["version"]))
        del state[prefix + "bias"]

    net.fc.register_state_dict_post_hook(post)
    assert "fc.bias" not in net.state_dict()
    assert order == [("pre", "fc.", False), ("post", "fc.", 1)]
    net._register_state_dict_hook(lambda module, state, prefix, metadata: {"only": 1})
    assert net.state_dict() == {"only": 1}
    net.register_state_dict_post_hook(lambda *args: 3)
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        net.state_dict()


def test_load_hooks(lib: Any) -> None:
    """Pre-hooks may change what is loaded, post-hooks which keys count as missing or unexpected."""
    net = _net(lib)

    def pre(module: Any, state: Any, prefix: str, *rest: Any) -> None:
        state[prefix + "bias"] = state.pop(prefix + "old_bias")

    net.fc.register_load_state_dict_pre_hook(pre)
    state = net.state_dict()
    state["fc.old_bias"] = lib.zeros(3)
    del state["fc.bias"]
    state["extra"] = 1
    handle = net.register_load_state_dict_post_hook(lambda module, keys: keys.unexpected_keys.clear())
    net.load_state_dict(state)
    assert net.fc.bias.tolist() == [0.0] * 3
    handle.remove()
    net.register_load_state_dict_post_hook(lambda module, keys: 3)
    with pytest.raises(AssertionError, match="not expected to return new values"):
        net.load_state_dict(state)


def test_loading_converts_dtype(lib: Any) -> None:
    """Values are converted to the parameter's dtype."""
    net = _net(lib).double()
    net.load_state_dict(_net(lib).state_dict())
    assert net.fc.weight.dtype == lib.float64


def test_deepcopy(lib: Any) -> None:
    """A deep copy has parameters of its own, equal in value, shared where they were shared."""
    net = lib.nn.Sequential(lib.nn.Linear(2, 2), lib.nn.Linear(2, 2))
    net[1].weight = net[0].weight
    again = copy.deepcopy(net)
    assert again[0].weight is again[1].weight is not net[0].weight
    again[0].weight.data.fill_(3)
    assert (net[0].weight != 3).all()


def test_saved_state_loads(lib: Any) -> None:
    """A state_dict written by save and read by load gives equal predictions."""
    net, other = _net(lib).eval(), _net(lib).eval()
    file = io.BytesIO()
    lib.save(net.state_dict(), file)
    file.seek(0)
    other.load_state_dict(lib.load(file))
    x = lib.randn(4, 2)
    assert (net(x) == other(x)).all()
