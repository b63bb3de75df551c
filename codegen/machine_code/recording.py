"""Which signatures the texts written by hand are launched with: the samples of the spec run on a simulated device."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest.mock import patch

import numpy as np

import specgrad as sg
from specgrad.generated.registry import OPS
from specgrad.runtime.cuda import driver
from specgrad.runtime.cuda.launching import elements, indexed
from specgrad.runtime.cuda.simulated.driver import SimulatedDriver
from specgrad.runtime.kernels.cuda.text import described
from specgrad.runtime.tensor import dtypes

from ..verify.samples import Drawing, Drawn, call_texts
from .texts import FILE, RUNTIME

REFUSED = (RuntimeError, NotImplementedError, ValueError, IndexError, TypeError)


class Recorder(SimulatedDriver):
    """A device that notes the texts that it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[Any, str] = {}  # what makes a kernel, by the kernel
        self.lines: set[str] = set()

    def load(self, kernel: Any, signature: tuple[Any, ...], device: int) -> int:
        if kernel in self.made:
            self.lines.add(f"{self.made[kernel]} {described(signature)}")
        return int(super().load(kernel, signature, device))

    def noting(self, maker: str, make: Any) -> Any:
        """A function that makes kernels of texts, and notes how."""

        def noted(function: Any, computed: np.dtype, *rest: Any) -> Any:
            kernel = make(function, computed, *rest)
            name = f"{function.__module__.removeprefix(RUNTIME)}.{function.__name__}"
            self.made[kernel] = f"{maker} {name} {computed.name}"
            return kernel

        return noted


def record() -> int:
    """Write the lines of all samples in float32 and complex64; how many there are."""
    with recording() as recorder:
        for op in OPS:
            for text in (*call_texts(op), *op.hard):
                for is_complex in (False, True):
                    with suppress(*REFUSED):
                        run(op, Drawing(op, text, is_complex, dtypes).arguments(text))
    FILE.write_text("".join(f"{line}\n" for line in sorted(recorder.lines)), encoding="utf-8")
    return len(recorder.lines)


@contextmanager
def recording() -> Iterator[Recorder]:
    """A recorder as the device in use."""
    recorder = Recorder()
    with (
        patch.object(driver, "_chosen", [recorder]),
        patch.object(indexed, "indexed_kernel", recorder.noting("indexed", indexed.indexed_kernel)),
        patch.object(elements, "text_kernel", recorder.noting("element", elements.text_kernel)),
        patch.dict(os.environ, {"SPECGRAD_CUDA_FALLBACK": "silent"}),
    ):
        yield recorder


def run(op: Any, given: dict[str, Any]) -> None:
    """Call an op on the device, and its gradients."""
    named = {("input" if name == "self" else name): made(value) for name, value in given.items()}
    tensors = [t for value in named.values() for t in (value if isinstance(value, list) else [value])]
    leaves = [t.requires_grad_() for t in tensors if isinstance(t, sg.Tensor) and is_differentiable(t)]
    found = op.function(**named)
    for result in (found,) if isinstance(found, sg.Tensor) else found:
        if isinstance(result, sg.Tensor) and result.requires_grad:
            sg.autograd.grad(result.abs().sum(), leaves, allow_unused=True, retain_graph=True)


def is_differentiable(tensor: Any) -> bool:
    return bool(tensor.dtype.is_floating_point or tensor.dtype.is_complex)


def made(value: Any) -> Any:
    """An argument with its tensors on the device, in single precision."""
    if isinstance(value, list):
        return [made(item) for item in value]
    if not isinstance(value, Drawn):
        return value
    single = {"f": np.float32, "c": np.complex64}.get(value.array.dtype.kind)
    return sg.tensor(value.array if single is None else value.array.astype(single), device="cuda")
