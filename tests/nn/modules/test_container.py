"""Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

from collections import OrderedDict
from typing import Any

import pytest


def _names(container: Any) -> list[str]:
    return [f"{name}:{type(module).__name__}" for name, module in container.named_children()]


def _three(lib: Any, kind: str = "Sequential") -> Any:
    layers = [lib.nn.ReLU(), lib.nn.Tanh(), lib.nn.Sigmoid()]
    return lib.nn.Sequential(*layers) if kind == "Sequential" else lib.nn.ModuleList(layers)


def test_sequential_applies_in_order(lib: Any) -> None:
    """The output of each is the input of the next."""
    net = lib.nn.Sequential(lib.nn.Flatten(0), lib.nn.ReLU())
    assert net(lib.tensor([[-1.0, 2.0]])).tolist() == [0.0, 2.0]
    assert lib.nn.Sequential()(5) == 5


def test_sequential_of_names(lib: Any) -> None:
    """An OrderedDict gives the names; slices keep them."""
    net = lib.nn.Sequential(OrderedDict(a=lib.nn.ReLU(), b=lib.nn.Tanh(), c=lib.nn.ReLU()))
    assert _names(net) == ["a:ReLU", "b:Tanh", "c:ReLU"]
    assert _names(net[1:]) == ["b:Tanh", "c:ReLU"] and net[-1] is net.c


@pytest.mark.parametrize("kind", ["Sequential", "ModuleList"])
def test_list_operations(lib: Any, kind: str) -> None:
    """Children can be read, replaced, added and removed by position, and are numbered again."""
    m = _three(lib, kind)
    assert len(m) == 3 and isinstance(m[-1], lib.nn.Sigmoid)
    assert [type(x).__name__ for x in m] == ["ReLU", "Tanh", "Sigmoid"]
    m[1] = lib.nn.ELU()
    del m[0]
    assert _names(m) == ["0:ELU", "1:Sigmoid"]
    assert m.append(lib.nn.ReLU()) is m
    m.insert(1, lib.nn.Tanh())
    assert _names(m) == ["0:ELU", "1:Tanh", "2:Sigmoid", "3:ReLU"]
    assert isinstance(m.pop(1), lib.nn.Tanh)
    assert m.extend([lib.nn.GELU()]) is m
    assert _names(m) == ["0:ELU", "1:Sigmoid", "2:ReLU", "3:GELU"]
    del m[1:3]
    assert _names(m) == ["0:ELU", "1:GELU"]
    assert type(m[:1]) is type(m) and len(m[:1]) == 1


@pytest.mark.parametrize("kind", ["Sequential", "ModuleList"])
def test_bad_index(lib: Any, kind: str) -> None:
    """A position that is not there is an IndexError."""
    with pytest.raises(IndexError, match="index 3 is out of range"):
        _three(lib, kind)[3]
    with pytest.raises(IndexError):
        _three(lib, kind)[-4]
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        _three(lib, kind).append(3)


def test_sequential_arithmetic(lib: Any) -> None:
    """Sequentials join and repeat."""
    m = lib.nn.Sequential(lib.nn.ReLU()) + lib.nn.Sequential(lib.nn.Tanh())
    assert _names(m) == ["0:ReLU", "1:Tanh"]
    m += lib.nn.Sequential(lib.nn.ELU())
    assert _names(m) == ["0:ReLU", "1:Tanh", "2:ELU"]
    assert len(m * 2) == 6 and len(2 * m) == 6
    with pytest.raises(ValueError, match="supports only objects of Sequential class"):
        m + [lib.nn.ReLU()]
    with pytest.raises(ValueError, match="Non-positive multiplication factor 0"):
        m * 0


def test_sequential_insert_is_checked(lib: Any) -> None:
    """insert takes modules at positions that are there."""
    with pytest.raises(IndexError, match="Index out of range: 7"):
        _three(lib).insert(7, lib.nn.ReLU())
    with pytest.raises(AssertionError, match="module should be of type"):
        _three(lib).insert(0, 3)


def test_module_list_repr(lib: Any) -> None:
    """Runs of equal children are written once."""
    m = lib.nn.ModuleList([lib.nn.ReLU(), lib.nn.ReLU(), lib.nn.Sequential(lib.nn.Tanh())])
    assert repr(m) == "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Sequential(\n    (0): Tanh()\n  )\n)"
    assert repr(lib.nn.ModuleList()) == "ModuleList()"
    assert len(m + [lib.nn.ReLU()]) == 4
    m += [lib.nn.ReLU()]
    assert len(m) == 4
    with pytest.raises(TypeError, match="should be called with an iterable, but got int"):
        m.extend(3)


def test_module_dict(lib: Any) -> None:
    """A dict whose values are children."""
    m = lib.nn.ModuleDict({"a": lib.nn.ReLU()})
    m["b"] = lib.nn.Linear(1, 1)
    m.update([("c", lib.nn.Tanh())])
    assert list(m) == ["a", "b", "c"] == list(m.keys()) and len(m) == 3 and "b" in m
    assert [name for name, _ in m.named_parameters()] == ["b.weight", "b.bias"]
    assert isinstance(m.pop("a"), lib.nn.ReLU) and [type(v).__name__ for v in m.values()] == ["Linear", "Tanh"]
    del m["b"]
    m.update(lib.nn.ModuleDict({"z": lib.nn.ReLU()}))
    assert _names(m) == ["c:Tanh", "z:ReLU"]
    m.clear()
    assert not len(m)


@pytest.mark.parametrize("kind", ["ModuleDict", "ParameterDict"])
def test_dict_errors(lib: Any, kind: str) -> None:
    """Bad pairs and bad names are named."""
    cls = getattr(lib.nn, kind)
    with pytest.raises(TypeError, match="iterable of key/value pairs, but got int"):
        cls(3)
    with pytest.raises(TypeError, match=f"{kind} update sequence element #0 should be Iterable"):
        cls([3])
    with pytest.raises(ValueError, match=f"{kind} update sequence element #0 has length 1; 2 is required"):
        cls([["b"]])
    value = lib.nn.ReLU() if kind == "ModuleDict" else lib.ones(1)
    with pytest.raises(KeyError, match="attribute 'pop' already exists"):
        cls({"pop": value})


def test_parameter_list(lib: Any) -> None:
    """Tensors become parameters; other values are kept."""
    m = lib.nn.ParameterList([lib.ones(2), 5])
    m.append(lib.zeros(3)).extend([lib.nn.Parameter(lib.ones(1))])
    assert [name for name, _ in m.named_parameters()] == ["0", "2", "3"]
    assert isinstance(m[0], lib.nn.Parameter) and m[1] == 5 and len(m) == 4 and len(list(m[1:])) == 3
    m[0] = lib.nn.Parameter(lib.zeros(2))
    m += [lib.ones(1)]
    assert list(m.state_dict()) == ["0", "2", "3", "4"] and m[0].tolist() == [0.0, 0.0]
    with pytest.raises(IndexError, match="index 9 is out of range"):
        m[9]
    with pytest.raises(TypeError, match="iterable, but got Tensor"):
        m.extend(lib.ones(2))
    with pytest.raises(RuntimeError, match="ParameterList should not be called"):
        m(1)


@pytest.mark.cpu("the text names a device, but not the CPU")
def test_parameter_list_repr(lib: Any) -> None:
    """Each value in a line, with dtype and size."""
    text = repr(lib.nn.ParameterList([lib.ones(2, 3), "a"])).replace("torch", "specgrad")
    assert text == (
        "ParameterList(\n    (0): Parameter containing: [specgrad.float32 of size 2x3]\n    (1): Object of type: str\n)"
    )


def test_parameter_dict(lib: Any) -> None:
    """Tensors become parameters under their names."""
    m = lib.nn.ParameterDict({"a": lib.ones(2)})
    m["b"] = lib.zeros(1)
    m.update({"c": 5})
    assert list(m) == ["a", "b", "c"] and "c" in m and len(m) == 3
    assert [name for name, _ in m.named_parameters()] == ["a", "b"]
    assert m.get("zz", 7) == 7 and m.setdefault("d", lib.ones(1)) is m["d"]
    assert m.pop("c") == 5 and list(m.copy().keys()) == ["a", "b", "d"]
    assert [k for k, _ in m.items()] == ["a", "b", "d"] and len(list(m.values())) == 3
    del m["a"]
    m.clear()
    assert not len(m) and not list(m.parameters())
    with pytest.raises(TypeError, match="cannot be used as a key"):
        m[3] = lib.ones(1)
    with pytest.raises(RuntimeError, match="ParameterDict should not be called"):
        m(1)
