"""Clear errors for wrong arguments of what is written by hand, found from annotations when a call has failed."""

import copy
import functools
import gc
import inspect
import io
import pickle
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Any, Literal, TypeVar

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.dispatch.errors import reraise
from specgrad.runtime.errors import ArgumentError
from specgrad.runtime.methods.argument_errors import came, fits, misfit, type_phrase

Bound = TypeVar("Bound", bound=int)

FITTING: list[tuple[Any, Any, bool]] = [
    (1, int, True),
    (np.int32(1), int, True),
    (sg.tensor(1), int, True),
    (sg.tensor(1.5), int, False),
    (1.5, int, False),
    ("1", int, False),
    (1, float, True),
    (np.float16(1), float, True),
    (sg.tensor([1.5]), float, True),
    (sg.ones(2), float, False),
    (np.array("a"), float, False),
    (1j, float, False),
    (1j, complex, True),
    (None, int | None, True),
    ("a", int | None, False),
    ((1, 2), tuple[int, ...], True),
    ([1, 2], tuple[int, int], True),
    ((1,), tuple[int, int], False),
    ((1, "a"), Sequence[int], False),
    (sg.Size([1, 2]), Sequence[int], True),
    (sg.ones(2), Sequence[int], True),
    (iter([1]), Iterable[int], True),
    (5, Iterable[Any], False),
    ({"a": 1}, Mapping[str, int], True),
    ({1: 1}, Mapping[str, int], False),
    (5, dict[str, Any], False),
    (len, Callable[..., Any], True),
    (5, Callable[..., Any], False),
    (sg.nn.Linear, type[sg.nn.Module], True),
    (int, type[sg.nn.Module], False),
    ("a", Literal["a", "b"], True),
    ("c", Literal["a", "b"], False),
    (float, sg.dtype, True),
    ("float", sg.dtype, False),
    (sg.ones(1), sg.Tensor, True),
    (np.ones(1), sg.Tensor, False),
    ("a", Bound, False),
    (io.BytesIO(), IO[bytes], True),
    (io.StringIO(), str | IO[str], True),
    (b"a", IO[bytes], False),
    (object(), Any, True),
]

PHRASES: list[tuple[Any, str]] = [
    (int | None, "int or None"),
    (int | float | None, "int, float or None"),
    (Sequence[int], "Sequence of int"),
    (tuple[int, ...], "tuple of int"),
    (tuple[float, float], "tuple of (float, float)"),
    (Callable[..., Any], "a callable"),
    (Literal["a", "b"], "one of 'a', 'b'"),
    (type[sg.nn.Module], "a subclass of Module"),
    (sg.Tensor | None, "Tensor or None"),
    (Iterable[Any], "Iterable"),
    (Bound, "int"),
]


def _parameter() -> Any:
    return sg.ones(3, requires_grad=True)


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "function": (
        lambda: sg.nn.init.xavier_uniform_(5),
        r"xavier_uniform_\(\): argument 'tensor' must be Tensor, not int",
    ),
    "decorated": (
        lambda: sg.nn.utils.clip_grad_norm_(None, 1.0),
        r"clip_grad_norm_\(\): argument 'parameters' must be",
    ),
    "of a list": (
        lambda: sg.nn.utils.parameters_to_vector([5, sg.ones(2)]),
        r"parameters_to_vector\(\): argument 'parameters' must be Iterable of Tensor, not list of \(int, Tensor\)",
    ),
    "constructor": (lambda: sg.optim.SGD(5), r"SGD\(\): argument 'params' must be Iterable of .*, not int"),
    "of a layer": (lambda: sg.nn.TransformerEncoderLayer(8, "a"), r"Layer\(\): argument 'nhead' must be int, not str"),
    "method": (lambda: sg.nn.Linear(2, 3).get_submodule(5), r"Linear.get_submodule\(\): argument 'target' must be str"),
    "call of a layer": (lambda: sg.nn.LSTM(2, 3)(None), r"LSTM\(\): argument 'input' must be Tensor or PackedSequence"),
    "layer inside": (lambda: sg.nn.Sequential(sg.nn.LSTM(2, 3))(5), r"LSTM\(\): argument 'input' must be Tensor or"),
    "step": (lambda: sg.optim.SGD([_parameter()]).step(5), r"SGD.step\(\): argument 'closure' must be a callable or"),
    "transform": (
        lambda: sg.autograd.functional.jacobian(5, sg.ones(2)),
        r"^jacobian\(\): argument 'func' must be",
    ),
    "checkpoint": (
        lambda: sg.utils.checkpoint.checkpoint(5, 3, use_reentrant=False),
        r"checkpoint\(\): argument 'function' must be a callable, not int",
    ),
    "index": (
        lambda: sg.nn.TransformerEncoder(sg.nn.TransformerEncoderLayer(8, 2), sg.ones(2)),
        "'num_layers' must be",
    ),
}


@pytest.mark.parametrize("value,hint,expected", FITTING)
def test_fits(value: Any, hint: Any, expected: bool) -> None:
    """Python's, NumPy's and 0-d numbers are numbers; lists are looked into; what cannot be decided fits."""
    assert fits(value, hint) is expected


@pytest.mark.parametrize("hint,phrase", PHRASES)
def test_in_words(hint: Any, phrase: str) -> None:
    """An annotation reads as a user would say it."""
    assert type_phrase(hint) == phrase


def test_came() -> None:
    """A list says what is in it, other values their type."""
    assert (came(5), came([1, "a"]), came(np.ones(1))) == ("int", "list of (int, str)", "numpy.ndarray")


@pytest.mark.parametrize("name", CALLS)
def test_names_function_argument_expected_and_given(name: str) -> None:
    """A wrong argument is a TypeError that says all four."""
    call, message = CALLS[name]
    with pytest.raises(TypeError, match=message):
        call()


def _raises(*_: Any, **__: Any) -> Any:
    raise KeyError("the user's")


class Broken:
    """A data set, a module's part and an argument that fail when they are used."""

    __len__ = __iter__ = __getitem__ = __call__ = __float__ = _raises


class BrokenModule(sg.nn.Module):
    """A module of the user's with a mistake in it."""

    def forward(self, x: int) -> Any:
        return x.shape.nothing  # type: ignore[attr-defined]


def _hooked() -> Any:
    module = sg.nn.Linear(2, 2)
    module.register_forward_hook(_raises)
    return module(sg.ones(2))


@pytest.mark.parametrize(
    "call,cls",
    [
        (lambda: next(iter(sg.utils.data.DataLoader(Broken(), sampler=[0]))), KeyError),  # type: ignore[arg-type]
        (lambda: sg.autograd.functional.jacobian(_raises, sg.ones(2)), KeyError),
        (lambda: sg.autograd.functional.jacobian(lambda x: x.nothing, sg.ones(2)), AttributeError),
        (lambda: sg.utils.checkpoint.checkpoint(_raises, sg.ones(2), use_reentrant=False), KeyError),
        (lambda: sg.optim.SGD([_parameter()]).step(_raises), KeyError),
        (lambda: sg.optim.SGD(Broken()), KeyError),
        (lambda: sg.nn.Sequential(BrokenModule())(sg.ones(2)), AttributeError),
        (lambda: sg.nn.Linear(2, 2).apply(_raises), KeyError),
        (_hooked, KeyError),
    ],
)
def test_errors_of_the_user_pass(call: Callable[[], Any], cls: type[Exception]) -> None:
    """What a callback, a data set, a hook or a module of the user's raises arrives as it was raised."""
    with pytest.raises(cls) as caught:
        call()
    assert type(caught.value) is cls
    assert caught.value.__cause__ is None


def test_arguments_that_fit() -> None:
    """Where every argument is what the signature says, the call and its arguments are named, and the cause is kept."""
    with pytest.raises(RuntimeError, match=r"SGD.load_state_dict\(\).*state_dict=\{\}.*'param_groups'") as caught:
        sg.optim.SGD([_parameter()]).load_state_dict({})
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_key_that_the_user_asked_for() -> None:
    """It stays a KeyError, as of any mapping."""
    with pytest.raises(KeyError, match="nothing"):
        sg.nn.ModuleDict({"a": sg.nn.ReLU()}).pop("nothing")


def test_missing_and_unknown_arguments() -> None:
    """Python's own words pass: they name the function and the argument."""
    with pytest.raises(TypeError, match=r"Linear.__init__\(\) missing 1 required positional argument: 'out_features'"):
        sg.nn.Linear(3)
    with pytest.raises(TypeError, match=r"ones_\(\) got an unexpected keyword argument 'nothing'"):
        sg.nn.init.ones_(sg.ones(1), nothing=1)


def test_the_first_misfit_is_named_flags_last() -> None:
    """Any object may be a flag, so a flag is blamed only when nothing else is wrong."""

    def function(flag: bool, count: int) -> None: ...

    assert "'count' must be int" in str(misfit(function, {"flag": "yes", "count": "b"}))
    assert "'flag' must be bool" in str(misfit(function, {"flag": "yes", "count": 1}))
    assert misfit(function, {"flag": 1, "count": 1}) is None


@pytest.mark.parametrize("function", [sg.nn.init.xavier_uniform_, sg.nn.utils.clip_grad_norm_, sg.func.vmap, sg.save])
def test_guarded_functions_are_functions(function: Any) -> None:
    """They have name, signature and documentation, and are pickled and copied by name."""
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function
    assert function.__doc__ == inspect.unwrap(function).__doc__
    assert inspect.signature(function) == inspect.signature(inspect.unwrap(function))


def test_one_function_under_all_names() -> None:
    """What two modules offer is the same object."""
    assert sg.nn.init.xavier_uniform_ is __import__("specgrad.nn.init", fromlist=["init"]).xavier_uniform_
    assert sg.vmap is sg.func.vmap
    assert sg.autograd.functional.jacobian.__name__ == "jacobian"


def test_an_error_keeps_nothing_alive() -> None:
    """Arguments of a call that has failed are freed by counting references alone."""
    gc.collect()
    gc.disable()
    try:
        given = _parameter()
        seen = weakref.ref(given)
        with pytest.raises(TypeError):
            sg.optim.lr_scheduler.StepLR(sg.optim.SGD([given]), "a")  # type: ignore[arg-type]
        del given
        assert seen() is None
    finally:
        gc.enable()


def test_error_classes() -> None:
    """A wrong type is the project's TypeError."""
    with pytest.raises(ArgumentError):
        sg.nn.init.zeros_("a")  # type: ignore[arg-type]


def test_what_cannot_be_imported_is_no_wrong_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the files of specgrad cannot be read any more: the error is Python's, whatever the arguments are."""
    monkeypatch.setitem(sys.modules, "specgrad.runtime.extensions.serialization.zip_archive", None)
    with pytest.raises(ModuleNotFoundError):
        sg.load(Lines())  # type: ignore[arg-type]
    with pytest.raises(ModuleNotFoundError):
        reraise("exp", ModuleNotFoundError("none"), (sg.ones(2),))
    with pytest.raises(RuntimeError, match=r"exp.*: cannot be computed for .*float32 tensor"):
        reraise("exp", ZeroDivisionError("none"), (sg.ones(2),))


class Lines(io.BytesIO):
    """A file that is no `IO` of `typing`'s."""


@pytest.mark.parametrize("name", ["nn.Linear", "optim.Adam", "utils.data.DataLoader", "optim.lr_scheduler.StepLR"])
def test_what_looks_at_parameters_sees_them(lib: Any, name: str) -> None:
    """`getfullargspec` and `signature` give those of the function, whatever stands around it."""
    cls = functools.reduce(getattr, name.split("."), lib)
    parameters = list(inspect.signature(cls).parameters)
    spec = inspect.getfullargspec(cls.__init__)
    assert spec.args[0] == "self" and set(parameters) >= set(spec.args[1:]) and len(spec.args) > 2
    assert list(inspect.signature(cls.__init__).parameters)[1:] == parameters
