"""Every entry of the spec, forward and backward, as a graph: the bits of eager calls, or the error of captures."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.errors import DtypeError
from specgrad.runtime.tensor.tensor import host_array
from tests.extensions.cuda_api.graphs.programs import recorded
from tests.generated.calls import BY_NAME, NAMES, Style, arguments, call, call_sources, is_differentiable, tensors_of


class Passes:
    """The first call of an entry and its gradients, for weights that are the same each time."""

    def __init__(self, name: str, kind: Any) -> None:
        text, style = call_sources(BY_NAME[name])[0], Style(kind, grad=True, device="cuda")
        self.op, self.given = BY_NAME[name], arguments(name, text, style)
        self.requested = [t for t in tensors_of(self.given) if t.requires_grad]
        self.weights: list[Any] | None = None

    def run(self) -> list[Any]:
        """Outputs and gradients."""
        found = [output for output in call(self.op, self.given) if isinstance(output, sg.Tensor)]
        outputs = [output for output in found if is_differentiable(output) and output.numel()]
        grads: list[Any] = []
        if outputs and self.requested:
            if self.weights is None:
                self.weights = [weights_of(output) for output in outputs]
            grads = list(sg.autograd.grad(outputs, self.requested, self.weights, allow_unused=True))
        return [*[output.detach() for output in found], *[grad for grad in grads if grad is not None]]


def weights_of(output: Any) -> Any:
    values = np.cos(np.arange(output.numel()) + 1.0).reshape(output.shape)
    return sg.tensor(values).to(output)


def bits(tensors: list[Any]) -> list[bytes]:
    return [host_array(t).tobytes() for t in tensors]


def called(name: str) -> tuple[Passes, list[bytes]]:
    """An entry and the bits that it gives; of what takes no real numbers for complex ones."""
    try:
        passes = Passes(name, sg.float64)
        return passes, bits(passes.run())
    except DtypeError:
        passes = Passes(name, sg.complex128)
        return passes, bits(passes.run())


@pytest.mark.filterwarnings("ignore:The CUDA Graph is empty")
@pytest.mark.parametrize("name", NAMES)
def test_replays_give_the_bits_of_calls(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice, with the same random numbers."""
    monkeypatch.setenv("SPECGRAD_CUDA_FALLBACK", "silent")
    sg.manual_seed(0)
    passes, requested = called(name)
    try:
        graph, found = recorded(passes.run)
    except sg.AcceleratorError as error:
        assert "operation not permitted when stream is capturing" in str(error)
        return
    for _ in range(2):
        sg.manual_seed(0)
        graph.replay()
        assert bits(found) == requested
