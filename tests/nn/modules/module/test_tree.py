"""Walking over a module's tree, and finding things in it by name."""

from typing import Any

import pytest


def _net(lib: Any) -> Any:
    nn = lib.nn
    shared = nn.Linear(2, 2)
    net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(shared, nn.BatchNorm1d(2)), nn.ReLU(), shared)
    net.register_parameter("scale", nn.Parameter(lib.ones(1)))
    return net


def test_named_modules(lib: Any) -> None:
    """Each module once, parents before children, in the order of registration; or everywhere it appears."""
    names = [name for name, _ in _net(lib).named_modules()]
    assert names == ["", "0", "1", "1.0", "1.1", "2"]
    every = [name for name, _ in _net(lib).named_modules(prefix="net", remove_duplicate=False)]
    assert every == ["net", "net.0", "net.1", "net.1.0", "net.1.1", "net.2", "net.3"]


def test_children(lib: Any) -> None:
    """The direct children, each once."""
    net = _net(lib)
    net.add_module("again", net[0])
    assert [name for name, _ in net.named_children()] == ["0", "1", "2", "3"]
    assert len(list(net.children())) == 4
    assert len(list(net.modules())) == 6


def test_named_parameters(lib: Any) -> None:
    """The module's own first, then the children's; shared ones once unless asked otherwise."""
    net = _net(lib)
    expected = ["scale", "0.weight", "0.bias", "1.0.weight", "1.0.bias", "1.1.weight", "1.1.bias"]
    assert [name for name, _ in net.named_parameters()] == expected
    assert [name for name, _ in net.named_parameters("p")] == [f"p.{name}" for name in expected]
    assert [name for name, _ in net.named_parameters(recurse=False)] == ["scale"]
    every = [name for name, _ in net.named_parameters(remove_duplicate=False)]
    assert every == [*expected, "3.weight", "3.bias"]
    assert len(list(net.parameters())) == len(expected)


def test_named_buffers(lib: Any) -> None:
    """Buffers in the order of registration."""
    net = _net(lib)
    expected = ["1.1.running_mean", "1.1.running_var", "1.1.num_batches_tracked"]
    assert [name for name, _ in net.named_buffers()] == expected
    assert len(list(net.buffers())) == 3
    assert not list(net.buffers(recurse=False))


def test_lookup(lib: Any) -> None:
    """Dotted names lead to modules, parameters and buffers."""
    net = _net(lib)
    assert net.get_submodule("") is net
    assert net.get_submodule("1.1") is net[1][1]
    assert net.get_parameter("1.0.weight") is net[1][0].weight
    assert net.get_buffer("1.1.running_mean") is net[1][1].running_mean


@pytest.mark.parametrize(
    ("method", "name", "message"),
    [
        ("get_submodule", "1.7", "Sequential has no attribute `7`"),
        ("get_submodule", "0.weight", "`weight` is not an nn.Module"),
        ("get_parameter", "0", "`0` is not an nn.Parameter"),
        ("get_parameter", "0.wieght", "Linear has no attribute `wieght`"),
        ("get_parameter", "1.1.running_mean", "`running_mean` is not an nn.Parameter"),
        ("get_buffer", "0.weight", "`weight` is not a buffer"),
        ("get_buffer", "5.x", "Sequential has no attribute `5`"),
    ],
)
def test_lookup_errors(lib: Any, method: str, name: str, message: str) -> None:
    """The message names the part of the path that is wrong."""
    with pytest.raises(AttributeError) as caught:
        getattr(_net(lib), method)(name)
    assert message in str(caught.value)


def test_set_submodule(lib: Any) -> None:
    """A module takes the place at a dotted name; strict only where there was one."""
    net = _net(lib)
    net.set_submodule("1.1", lib.nn.Tanh())
    net.set_submodule("1.new", lib.nn.Tanh())
    assert isinstance(net[1][1], lib.nn.Tanh) and isinstance(net[1].new, lib.nn.Tanh)
    with pytest.raises(AttributeError):
        net.set_submodule("1.newer", lib.nn.Tanh(), strict=True)
    with pytest.raises(ValueError, match="without a target name"):
        net.set_submodule("", lib.nn.Tanh())


def test_train_and_eval(lib: Any) -> None:
    """The mode goes to the whole tree; anything but a bool is refused."""
    net = _net(lib)
    assert net.training and net.eval() is net
    assert not any(module.training for module in net.modules())
    assert all(module.training for module in net.train().modules())
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        net.train("yes")


def test_apply(lib: Any) -> None:
    """apply visits children before their parent."""
    order: list[str] = []
    net = lib.nn.Sequential(lib.nn.ReLU(), lib.nn.Sequential(lib.nn.Tanh()))
    assert net.apply(lambda module: order.append(type(module).__name__)) is net
    assert order == ["ReLU", "Tanh", "Sequential", "Sequential"]


def test_repr(lib: Any) -> None:
    """Children stand indented under their parent, and extra_repr comes before them."""

    class Named(lib.nn.Sequential):  # type: ignore[name-defined, misc]
        def extra_repr(self) -> str:
            return "first line\nsecond line"

    net = Named(lib.nn.Linear(2, 3, bias=False), lib.nn.Sequential(lib.nn.ReLU()))
    assert repr(net) == (
        "Named(\n  first line\n  second line\n  (0): Linear(in_features=2, out_features=3, bias=False)\n"
        "  (1): Sequential(\n    (0): ReLU()\n  )\n)"
    )


def test_modules_may_repeat(lib: Any) -> None:
    """A module with two names comes once, or twice with remove_duplicate=False."""
    shared = lib.nn.ReLU()
    net = lib.nn.Sequential(shared, shared)
    assert len(list(net.modules())) == 2
    assert len(list(net.modules(remove_duplicate=False))) == 3
