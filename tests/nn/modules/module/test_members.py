"""Assigning parameters, buffers and modules to a Module."""

import pickle
from typing import Any

import pytest

import specgrad as sg


def _scale(lib: Any) -> Any:
    class Scale(lib.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.factor = lib.nn.Parameter(lib.ones(2))
            self.register_buffer("mean", lib.zeros(2))
            self.inner = lib.nn.Linear(2, 3)
            self.plain = lib.ones(1)

        def forward(self, x: Any) -> Any:
            return x * self.factor

    return Scale()


def test_assignment_registers(lib: Any) -> None:
    """Parameters, buffers and modules go to their tables, other values to the instance."""
    m = _scale(lib)
    assert list(m._parameters) == ["factor"]
    assert list(m._buffers) == ["mean"]
    assert list(m._modules) == ["inner"]
    assert "plain" in m.__dict__ and "factor" not in m.__dict__


def test_assignment_moves_between_tables(lib: Any) -> None:
    """A name stands for one thing: assigning another kind removes the first."""
    m = _scale(lib)
    m.plain = lib.nn.Parameter(lib.ones(1))
    m.mean = lib.nn.ReLU()
    m.inner = lib.nn.Parameter(lib.ones(1))
    assert list(m._parameters) == ["factor", "plain", "inner"]
    assert list(m._modules) == ["mean"]
    assert not m._buffers and "plain" not in m.__dict__


def test_none_keeps_the_name(lib: Any) -> None:
    """A parameter, buffer or module set to None is still known by name and left out of walks."""
    m = _scale(lib)
    m.factor = None
    m.mean = None
    m.inner = None
    assert (m.factor, m.mean, m.inner) == (None, None, None)
    assert not list(m.parameters()) and not list(m.buffers()) and not list(m.children())
    assert not m.state_dict()


def test_buffer_class(lib: Any) -> None:
    """An assigned Buffer is registered; a tensor assigned to a buffer's name stays a buffer."""
    m = lib.nn.Module()
    m.retained = lib.nn.Buffer(lib.ones(1))
    m.passing = lib.nn.Buffer(lib.ones(1), persistent=False)
    m.retained = lib.zeros(1)
    assert list(m._buffers) == ["retained", "passing"]
    assert list(m.state_dict()) == ["retained"]
    assert isinstance(m.passing, lib.nn.Buffer) and not isinstance(lib.ones(1), lib.nn.Buffer)


@pytest.mark.parametrize("value", ["parameters", "module", "buffer"])
def test_init_was_not_called(lib: Any, value: str) -> None:
    """Without super().__init__() an assignment says what is missing."""

    class Forgetful(lib.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            made = {
                "parameters": lambda: lib.nn.Parameter(lib.ones(1)),
                "module": lib.nn.ReLU,
                "buffer": lambda: lib.nn.Buffer(lib.ones(1)),
            }
            self.x = made[value]()

    with pytest.raises(AttributeError, match=rf"cannot assign {value} before Module.__init__\(\) call"):
        Forgetful()


def test_call_without_init() -> None:
    """A module that was never initialised says so when it is called or asked for an attribute."""

    class Forgetful(sg.nn.Module):
        def __init__(self) -> None:
            pass

    with pytest.raises(AttributeError, match=r"Module.__init__\(\) has not been called"):
        Forgetful()(1)


def test_unknown_attribute(lib: Any) -> None:
    """The message names the class and the attribute."""
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'wieght'"):
        getattr(lib.nn.Linear(1, 1), "wieght")  # noqa: B009


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("", KeyError, "can't be empty"),
        ("a.b", KeyError, "can't contain"),
        ("forward", KeyError, "attribute 'forward' already exists"),
        (3, TypeError, "name should be a string. Got int"),
    ],
)
@pytest.mark.parametrize("kind", ["parameter", "buffer", "module"])
def test_bad_names(lib: Any, kind: str, name: Any, error: type, message: str) -> None:
    """Names that could not be found again are refused."""
    with pytest.raises(error) as caught:
        getattr(lib.nn.Linear(1, 1), f"register_{kind}")(name, None)
    assert message in caught.value.args[0]


@pytest.mark.parametrize(
    ("name", "kind"), [("factor", "parameter"), ("mean", "buffer"), ("inner", "child module"), ("factor", "parameter")]
)
def test_wrong_type_for_a_member(lib: Any, name: str, kind: str) -> None:
    """A name that is registered takes its own kind and None only."""
    with pytest.raises(TypeError, match=f"cannot assign 'int' as {kind} '{name}'"):
        setattr(_scale(lib), name, 3)


def test_tensor_is_no_parameter(lib: Any) -> None:
    """A plain tensor cannot take a parameter's place, nor be registered as one."""
    m = _scale(lib)
    with pytest.raises(TypeError, match="as parameter 'factor'"):
        m.factor = lib.ones(2)
    with pytest.raises(TypeError, match="object to parameter 'other'"):
        m.register_parameter("other", lib.ones(2))
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        m.add_module("other", 3)


def test_delete(lib: Any) -> None:
    """del removes a member from its table, and another attribute from the instance."""
    m = _scale(lib)
    for name in ("factor", "mean", "inner", "plain"):
        delattr(m, name)
        assert not hasattr(m, name)
    with pytest.raises(AttributeError):
        del m.missing


def test_dir_lists_members(lib: Any) -> None:
    """dir() shows members that are names, and no numbers of containers."""
    assert {"factor", "mean", "inner", "plain", "forward"} <= set(dir(_scale(lib)))
    assert "0" not in dir(lib.nn.Sequential(lib.nn.ReLU()))


def test_unexpected_arguments(lib: Any) -> None:
    """Module itself takes no arguments, and says which one it was given."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'size'"):
        lib.nn.Module(size=3)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        lib.nn.Module(3)


def test_forward_is_missing(lib: Any) -> None:
    """Calling a module without forward names its class."""
    with pytest.raises(NotImplementedError, match='Module \\[ModuleList\\] is missing the required "forward" function'):
        lib.nn.ModuleList()(1)


def test_registration_hooks() -> None:
    """Global registration hooks see what is registered and may replace it."""
    from specgrad.nn.modules.module import hooks as g

    seen: list[tuple[str, type]] = []
    other = sg.nn.Parameter(sg.zeros(1))

    def hook(module: Any, name: str, value: Any) -> Any:
        seen.append((name, type(value)))
        return other if name == "p" else None

    register = [
        g.register_module_parameter_registration_hook,
        g.register_module_buffer_registration_hook,
        g.register_module_module_registration_hook,
    ]
    handles = [r(hook) for r in register]
    m = sg.nn.Module()
    m.p = sg.nn.Parameter(sg.ones(1))
    m.b = sg.nn.Buffer(sg.ones(1))
    m.m = sg.nn.ReLU()
    for handle in handles:
        handle.remove()
    m.q = sg.nn.Parameter(sg.ones(1))
    assert seen == [("p", sg.nn.Parameter), ("b", sg.Tensor), ("m", sg.nn.ReLU)]
    assert m.p is other


def test_pickle(lib: Any) -> None:
    """A pickled module comes back with its values, mode and class; tables that old pickles lack are made."""
    m = lib.nn.Sequential(lib.nn.Linear(2, 3), lib.nn.BatchNorm1d(3)).eval()
    again = pickle.loads(pickle.dumps(m))
    assert repr(again) == repr(m) and not again.training
    for (name, a), (_, b) in zip(m.state_dict().items(), again.state_dict().items(), strict=True):
        assert (a == b).all(), name
    state = dict(m.__dict__)
    del state["_forward_hooks_with_kwargs"]
    old = lib.nn.Sequential.__new__(lib.nn.Sequential)
    old.__setstate__(state)
    assert not old._forward_hooks_with_kwargs
