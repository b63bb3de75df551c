"""`jit`, `compile` and their relatives: what is compiled in PyTorch is here the Python function or module itself."""

import copy
import importlib
import pickle
import typing
import warnings
from typing import Any

import pytest

import specgrad as sg

pytestmark = pytest.mark.cpu("nothing is computed")


def double(x: Any) -> Any:
    """A function of one tensor."""
    return 2 * x


def test_scripted_is_the_same() -> None:
    """Functions, modules and classes come back."""
    layer = sg.nn.Linear(2, 2)
    jit = sg.jit
    for value in (double, layer, type("Own", (), {})):
        assert jit.script(value) is value and jit.export(value) is value and jit.unused(value) is value
        assert jit.interface(value) is value and jit.script_if_tracing(value) is value
    assert jit.trace(double, sg.ones(2)) is double and jit.trace_module(layer, {"forward": sg.ones(2)}) is layer
    assert jit.ignore(double) is double and jit.ignore(drop=True)(double) is double
    assert jit.freeze(layer.eval()) is layer and jit.optimize_for_inference(layer) is layer
    assert not isinstance(layer, (jit.ScriptModule, jit.ScriptFunction, jit.RecursiveScriptModule))
    assert not jit.is_scripting() and not jit.is_tracing()


def test_what_a_compiler_would_be_told(lib: Any) -> None:
    """Values with types are the values; `isinstance` looks into containers."""
    jit = lib.jit
    assert jit.annotate(typing.List[int], [1]) == [1] and jit.Attribute(3, int).value == 3  # noqa: UP006
    assert jit.isinstance([1, 2], typing.List[int]) and not jit.isinstance(["a"], typing.List[int])  # noqa: UP006
    assert jit.isinstance({"a": (1, 2.0)}, typing.Dict[str, typing.Tuple[int, float]])  # noqa: UP006
    assert jit.isinstance(None, typing.Optional[int]) and not jit.isinstance("a", typing.Optional[int])  # noqa: UP045
    assert jit._unwrap_optional(3) == 3 and jit.Final is typing.Final
    with pytest.raises(AssertionError):
        jit._unwrap_optional(None)


def test_calls_for_later() -> None:
    """A forked call gives a Future, with its value or its error."""
    assert sg.jit.wait(sg.jit.fork(double, sg.ones(2))).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError):
        sg.wait(sg.fork(double))


def test_modules_of_programs() -> None:
    """A ScriptModule is a Module with `script_method`s."""

    class Own(sg.jit.ScriptModule):
        def __init__(self) -> None:
            super().__init__()
            self.inner = sg.nn.Linear(1, 1)

        @sg.jit.script_method
        def forward(self, x: Any) -> Any:
            return self.inner(x)

    assert Own()(sg.ones(1, 1)).shape == (1, 1) and len(list(Own().parameters())) == 2


class Vector(sg.nn.Module):
    """A module that makes demands: one argument, a vector, a known key."""

    def forward(self, x: Any, key: str = "two") -> Any:
        """The vector times a number by name."""
        assert x.dim() == 1, "expected a vector"
        return {"two": 2}[key] * x


@pytest.mark.parametrize("compiled", ["script", "trace", "trace_module", "copy", "pickle", "inside"])
@pytest.mark.parametrize(
    ("args", "kind", "message"),
    [
        ((), TypeError, "missing 1 required positional argument: 'x'"),
        ((sg.ones(2, 2),), AssertionError, "expected a vector"),
        ((sg.ones(2), "three"), KeyError, "three"),
        ((sg.ones(2), []), TypeError, "unhashable"),
    ],
)
def test_errors_of_compiled_modules(compiled: str, args: tuple[Any, ...], kind: type, message: str) -> None:
    """They are RuntimeErrors, `jit.Error`, and still of the class and with the text that Python gives them."""
    jit = sg.jit
    module = {
        "script": lambda: jit.script(Vector()),
        "trace": lambda: jit.trace(Vector(), (sg.ones(2),)),
        "trace_module": lambda: jit.trace_module(Vector(), {"forward": sg.ones(2)}),
        "copy": lambda: copy.deepcopy(jit.script(Vector())),
        "pickle": lambda: pickle.loads(pickle.dumps(jit.script(Vector()))),
        "inside": lambda: sg.nn.ModuleList([jit.script(Vector())])[0],
    }[compiled]()
    assert module(sg.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(jit.Error, match=message) as raised:
        module(*args)
    assert isinstance(raised.value, kind) and type(raised.value).__name__ == kind.__name__
    with pytest.raises(kind, match=message) as plain:
        Vector()(*args)
    assert not isinstance(plain.value, RuntimeError) and plain.value.args == raised.value.args


def test_errors_that_pass_through_compiled_modules() -> None:
    """What is a RuntimeError already stays the object that it is; attributes of an error are kept."""
    refused = RuntimeError("as it is")
    notified = ValueError("with more")
    notified.more = 3  # type: ignore[attr-defined]

    class Raising(sg.nn.Module):
        def forward(self, error: Exception) -> None:
            raise error

    module = sg.jit.script(sg.nn.Sequential(sg.jit.script(Raising())))
    for error, same in ((refused, True), (notified, False)):
        with pytest.raises(RuntimeError) as raised:
            module(error)
        assert (raised.value is error) is same and vars(raised.value).get("more") == (None if same else 3)
    with pytest.raises(AssertionError, match="written") as raised_by_own:
        _Own()(sg.ones(1))
    assert isinstance(raised_by_own.value, sg.jit.Error)


def test_errors_that_are_explained() -> None:
    """What specgrad says of an accident inside its own layers is what a compiled one raises, a RuntimeError of both."""

    class Layer(sg.nn.Linear):
        pass

    for wrong in ("text", None, [1.0]):
        with pytest.raises(TypeError) as plain:
            Layer(2, 2)(wrong)  # type: ignore[arg-type]
        with pytest.raises(sg.jit.Error) as raised:
            sg.jit.script(Layer(2, 2))(wrong)  # type: ignore[arg-type]
        assert isinstance(raised.value, type(plain.value)) and str(raised.value) == str(plain.value)


class _Own(sg.jit.ScriptModule):
    @sg.jit.script_method
    def forward(self, x: Any) -> Any:
        raise AssertionError("written for TorchScript")


@pytest.mark.parametrize("call", ["jit.save", "jit.load", "_dynamo.export", "jit.RecursiveScriptModule"])
def test_refusals(call: str) -> None:
    """What would need a compiled program says so."""
    module, name = call.split(".")
    with pytest.raises(RuntimeError, match="specgrad"):
        getattr(importlib.import_module(f"specgrad.{module}"), name)(None, "file")


def test_modules_in_training_are_not_frozen() -> None:
    """Freezing is for evaluation."""
    with pytest.raises(RuntimeError, match="training"):
        sg.jit.freeze(sg.jit.script(sg.nn.Linear(1, 1)))


def test_compile_says_once_that_it_does_nothing() -> None:
    """The argument comes back, with a warning the first time; as a decorator too."""
    from specgrad.runtime import errors

    errors._error_message.clear()
    with pytest.warns(UserWarning, match="returns its argument"):
        assert sg.compile(double) is double
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sg.compile(mode="reduce-overhead", fullgraph=True)(double) is double
        assert sg._dynamo.optimize("inductor")(double) is double
        layer = sg.nn.Linear(1, 1)
        assert sg.compile(layer, dynamic=True, backend="eager") is layer
        counter = sg._dynamo.testing.CompileCounter()
        assert sg.compile(double, backend=counter)(2) == double(2) and not sg._dynamo.is_dynamo_supported()
        assert (counter.frame_count, counter.op_count) == (0, 0)
    with pytest.raises(RuntimeError, match="mode"):
        sg.compile(double, mode="default", options={})
    with pytest.raises(RuntimeError, match="Unrecognized mode"):
        sg.compile(double, mode="fastest")


def test_marks() -> None:
    """Marks for a compiler leave functions as they are."""
    compiler = sg.compiler
    assert compiler.disable(double) is double and compiler.disable(recursive=False)(double) is double
    assert compiler.allow_in_graph(double) is double and not compiler.is_compiling()
    compiler.cudagraph_mark_step_begin()
    with compiler.set_stance("force_eager"):
        assert compiler.set_stance("default")(double) is double
    sg._dynamo.config.suppress_errors = True
    sg._dynamo.mark_dynamic(sg.ones(1), 0)
    assert not isinstance(double, sg._dynamo.OptimizedModule)
    with pytest.raises(AssertionError):
        compiler.allow_in_graph(3)


def test_sizes_are_numbers(lib: Any) -> None:
    """What computes with sizes that a compiler would not know computes with numbers."""
    assert (lib.sym_int(2.7), lib.sym_float(2), lib.sym_max(1, 2.0), lib.sym_min(1, 2)) == (2, 2.0, 2.0, 1)
    assert isinstance(lib.sym_max(3, 2.0), float) and lib.sym_ite(True, 1, 2) == 1 and lib.sym_not(False)
    assert not isinstance(3, (lib.SymInt, lib.SymFloat, lib.SymBool)) and lib.sym_sum([1, 2]) == 3


def test_conditions_and_loops() -> None:
    """They are Python's, of bools or of tensors with one element."""
    x = sg.tensor(3.0, requires_grad=True)
    sg.cond(x > 0, lambda t: t * 2, lambda t: -t, (x,)).backward()
    assert x.grad.item() == 2.0
    assert [t.item() for t in sg.while_loop(lambda n: n < 10, lambda n: (n * 2,), (sg.tensor(1),))] == [16]
