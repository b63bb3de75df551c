"""Attributes of modules: parameters, buffers and modules are found in their tables, after what Python finds first."""

from typing import Any

import pytest


def _layer(lib: Any, base: type | None = None) -> Any:
    layer = (base or lib.nn.Linear)(2, 3)
    layer(lib.ones(1, 2))  # from then on native code may look up attributes
    return layer


def test_members_are_found(lib: Any) -> None:
    """In the tables that they are in at that moment, also where these were changed from outside."""
    layer = _layer(lib)
    layer.register_buffer("scale", lib.ones(1))
    layer.inner = lib.nn.ReLU()
    for name, table in (("weight", "_parameters"), ("scale", "_buffers"), ("inner", "_modules")):
        assert getattr(layer, name) is getattr(layer, table)[name]
    other = lib.nn.Parameter(lib.zeros(3, 2))
    layer._parameters["weight"] = other
    assert layer.weight is other
    del layer._parameters["weight"]
    assert not hasattr(layer, "weight")


def test_what_python_finds_comes_first(lib: Any) -> None:
    """Attributes of the instance, and of its class."""
    layer = _layer(lib)
    layer.__dict__["bias"] = "its own"
    assert layer.bias == "its own"
    del layer.__dict__["bias"]
    assert layer.bias is layer._parameters["bias"]

    class Named(lib.nn.Linear):  # type: ignore[name-defined, misc]
        weight_norm = property(lambda self: "computed")
        size = 7

    named = _layer(lib, Named)
    named._buffers["size"] = lib.ones(1)
    assert (named.weight_norm, named.size) == ("computed", 7)


def test_missing_names(lib: Any) -> None:
    """The error names class and attribute; a property that fails is asked once, and then `__getattr__`."""
    layer = _layer(lib)
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'absent'"):
        _ = layer.absent
    calls = []

    class Failing(lib.nn.Linear):  # type: ignore[name-defined, misc]
        @property
        def broken(self) -> Any:
            calls.append(1)
            raise AttributeError("inside")

    with pytest.raises(AttributeError, match="'Failing' object has no attribute 'broken'"):
        _ = _layer(lib, Failing).broken
    assert calls == [1]


def test_a_subclass_may_look_elsewhere(lib: Any) -> None:
    """Its `__getattr__` is asked for members too, and so is one that is put there later, until it is taken away."""
    requested = []

    class Curious(lib.nn.Linear):  # type: ignore[name-defined, misc]
        def __getattr__(self, name: str) -> Any:
            requested.append(name)
            return super().__getattr__(name)

    class Later(lib.nn.Linear):  # type: ignore[name-defined, misc]
        pass

    class Below(Later):
        pass

    assert _layer(lib, Curious).weight.shape == (3, 2) and "weight" in requested
    below = _layer(lib, Below)
    assert below.weight.shape == (3, 2)
    Later.__getattr__ = lambda self, name: f"no {name}"
    assert (below.weight, below.absent) == ("no weight", "no absent")
    del Later.__getattr__
    assert below.weight.shape == (3, 2) and not hasattr(below, "absent")
    Later.__getattribute__ = lambda self, name: "all"
    assert below.weight == "all"


def test_before_init(lib: Any) -> None:
    """A module that was not initialised has no members."""

    class Bare(lib.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            pass

    _layer(lib)
    assert not hasattr(Bare(), "weight")
