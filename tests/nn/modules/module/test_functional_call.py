"""functional_call: a module as a function of its parameters, and what it leaves of the module afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.examples import array, close, reals


def doubled(lib: Any, module: Any) -> dict[str, Any]:
    """The parameters of a module, times two."""
    return {name: (p * 2).detach() for name, p in module.named_parameters()}


def tied(lib: Any) -> Any:
    """Two layers of one weight, all ones."""
    first, second = lib.nn.Linear(2, 2, bias=False), lib.nn.Linear(2, 2, bias=False)
    second.weight = first.weight
    with lib.no_grad():
        first.weight.fill_(1.0)
    return lib.nn.Sequential(first, second)


def test_parameters_are_replaced_during_the_call(lib: Any) -> None:
    """The given tensors count in the call, the module's own before and after; some may be left out."""
    layer = lib.nn.Linear(3, 2).double()
    x = reals(lib, 4, 3)
    own = {name: array(p).copy() for name, p in layer.named_parameters()}
    found = lib.func.functional_call(layer, doubled(lib, layer), (x,))
    close(found, array(x) @ (2 * own["weight"]).T + 2 * own["bias"])
    found = lib.func.functional_call(layer, {"bias": lib.zeros(2).double()}, x)
    close(found, array(x) @ own["weight"].T)
    found = lib.func.functional_call(
        layer, ({"weight": lib.zeros(2, 3).double()}, {"bias": lib.ones(2).double()}), (x,)
    )
    close(found, np.ones((4, 2)))
    close(lib.func.functional_call(layer, {"bias": None}, (x,)), array(x) @ own["weight"].T)
    assert all(isinstance(p, lib.nn.Parameter) for p in layer.parameters())
    close(layer(x), array(x) @ own["weight"].T + own["bias"])


def scaling(lib: Any) -> Any:
    """A module with a parameter, a buffer that it changes, a plain tensor, and keyword arguments."""

    class Scaling(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = lib.nn.Parameter(lib.ones(2))
            self.register_buffer("count", lib.zeros(1))
            self.shift = lib.zeros(2)

        def forward(self, x: Any, *, times: int = 1, fail: bool = False) -> Any:
            self.count = self.count + 1
            if fail:
                raise KeyError("inside")
            return self.weight * x * times + self.shift

    return Scaling()


def test_arguments_and_buffers(lib: Any) -> None:
    """Keyword arguments; plain tensors by name; what the call assigns to a buffer stays out of the module."""
    module, x = scaling(lib), lib.ones(2)
    close(lib.func.functional_call(module, {"weight": x * 3}, (x,), {"times": 2}), [6.0, 6.0])
    close(lib.func.functional_call(module, {"shift": x * 4}, kwargs={"x": x}), [5.0, 5.0])
    close(module.shift, [0.0, 0.0])
    before = float(module.count)
    given = {"count": lib.ones(1) * 10}
    lib.func.functional_call(module, given, x)
    assert (float(module.count), float(given["count"])) == (before, 11.0)


def test_exceptions_put_everything_back(lib: Any) -> None:
    """Whatever forward raises, the module has its own parameters afterwards, and lost none."""
    module = scaling(lib)
    own = module.weight
    with pytest.raises(KeyError):
        lib.func.functional_call(
            module, {"weight": lib.zeros(2), "other": lib.zeros(1)}, (lib.ones(2),), {"fail": True}
        )
    assert module.weight is own and not hasattr(module, "other")


def test_tied_weights(lib: Any) -> None:
    """A tensor for one name stands for the others too, unless tie_weights is off; two different ones are an error."""
    model, x, two = tied(lib), lib.ones(1, 2), lib.ones(2, 2) * 2
    call = lib.func.functional_call
    for name in ("0.weight", "1.weight"):
        close(call(model, {name: two}, (x,)), [[16.0, 16.0]])
        close(call(model, {name: two}, (x,), tie_weights=False), [[8.0, 8.0]])
    close(call(model, {"0.weight": two, "1.weight": two}, (x,)), [[16.0, 16.0]])
    close(call(model, {"0.weight": two}, (x,), strict=True), [[16.0, 16.0]])
    with pytest.raises(ValueError):
        call(model, {"0.weight": two, "1.weight": two * 2}, (x,))
    close(call(model, {"0.weight": two, "1.weight": two * 2}, (x,), tie_weights=False), [[32.0, 32.0]])


MISTAKES: dict[str, tuple[Any, Any, type[Exception], str]] = {
    "missing": (
        {"weight": 1},
        {"strict": True},
        RuntimeError,
        r"Error\(s\) in reparametrizing for Linear:\s+Missing key\(s\): 'bias'",
    ),
    "unexpected": ({"weight": 1, "bias": 1, "more": 1}, {"strict": True}, RuntimeError, r"Unexpected key\(s\): 'more'"),
    "both": (
        {"weight": 1, "more": 1},
        {"strict": True},
        RuntimeError,
        r"Unexpected key\(s\): 'more'.\s+Missing key\(s\): 'bias'",
    ),
    "no such module": ({"inner.weight": 1}, {}, AttributeError, "inner"),
    "twice": (({"weight": 1}, {"weight": 1}), {}, ValueError, "appeared in multiple dictionaries"),
    "no dictionary": (3, {}, ValueError, "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(lib: Any, name: str) -> None:
    """Wrong names are errors where they would go unnoticed."""
    given, options, error, message = MISTAKES[name]

    def tensors(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: lib.ones(2) for key in value}
        return tuple(map(tensors, value)) if isinstance(value, tuple) else value

    with pytest.raises(error, match=message):
        lib.func.functional_call(lib.nn.Linear(3, 2), tensors(given), (lib.ones(4, 3),), **options)
    with pytest.raises(TypeError, match="is not an instance of"):
        lib.func.functional_call(lib.nn.Linear(3, 2), {"weight": 3.0}, (lib.ones(4, 3),))


def test_the_older_place(lib: Any) -> None:
    """`nn.utils.stateless` has the same function, deprecated."""
    layer = lib.nn.Linear(2, 1, bias=False)
    with pytest.warns(FutureWarning, match="deprecated"):
        found = lib.nn.utils.stateless.functional_call(layer, {"weight": lib.ones(1, 2)}, (lib.ones(2),))
    assert found.item() == 2


def test_region_with_other_parameters(lib: Any) -> None:
    """`_reparametrize_module` replaces parameters for all calls in a region, and puts them back."""
    layer = lib.nn.Linear(3, 2, bias=False).double()
    own, other = layer.weight, lib.ones(2, 3).double()
    with lib.nn.utils.stateless._reparametrize_module(layer, {"weight": other}):
        assert layer.weight is other
        close(layer(lib.ones(1, 3).double()), np.full((1, 2), 3.0))
    assert layer.weight is own
    with pytest.raises(RuntimeError, match="Unexpected key"):  # noqa: SIM117
        with lib.nn.utils.stateless._reparametrize_module(layer, {"wait": other}, strict=True):
            pass
