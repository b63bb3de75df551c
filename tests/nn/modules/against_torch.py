"""A module in specgrad and in PyTorch, with the same parameters, on the same numbers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import specgrad as sg


def same_as_torch(make: Callable[[Any], Any], inputs: Sequence[Any], tolerance: float = 1e-11, **options: Any) -> None:
    """Outputs and the gradients of inputs and parameters are PyTorch's; `make(library)` gives the module.

    Arrays among the options become tensors; outputs may be nested tuples with tensors and None.
    """
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    theirs, ours = make(torch).double(), make(sg).double()
    for parameter in theirs.parameters():
        parameter.data.normal_(0, 0.5)
    ours.load_state_dict({name: sg.tensor(value.numpy()) for name, value in theirs.state_dict().items()})
    requested, found = (results_of(lib, m, inputs, options) for lib, m in ((torch, theirs), (sg, ours)))
    assert len(found) == len(requested)
    for one, other in zip(found, requested, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def results_of(lib: Any, module: Any, inputs: Sequence[Any], options: dict[str, Any]) -> list[np.ndarray]:
    """All outputs of a module, and the gradients of a random combination of them."""
    given = [lib.tensor(x, requires_grad=True) for x in inputs]
    named = {name: lib.tensor(v) if isinstance(v, np.ndarray) else v for name, v in options.items()}
    outputs = tensors_in(module(*given, **named))
    rng = np.random.default_rng(5)
    total = sum((o * lib.tensor(rng.standard_normal(tuple(o.shape)))).sum() for o in outputs)
    total.backward()
    gradients = [t.grad for t in (*given, *module.parameters())]
    return [t.detach().numpy() for t in (*outputs, *(g for g in gradients if g is not None))]


def tensors_in(value: Any) -> list[Any]:
    """The tensors of nested tuples."""
    if isinstance(value, tuple):
        return [t for item in value for t in tensors_in(item)]
    return [] if value is None else [value]
