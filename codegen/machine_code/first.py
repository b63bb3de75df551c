"""The list of kernels that training begins with: `python -m codegen.machine_code.first` writes it.

A small network is trained, then programs of the benchmark, for two steps each. Listed is what each compiles that those
before it did not, what it needs last first, for those who compile ahead (runtime/kernels/cache/ahead.py).
"""

from __future__ import annotations

import os
import tempfile
from functools import partial
from importlib import import_module
from typing import Any
from unittest.mock import patch

PROGRAMS = ("train_perceptron", "train_convolutional", "train_transformer")
FIRST = (64, 128)  # as in the first layer of a small network


def small_network(torch: Any) -> None:
    """A perceptron as beginners write it, whose kernels come first."""
    nn, functional = torch.nn, torch.nn.functional
    model = nn.Sequential(nn.Linear(*FIRST), nn.ReLU(), nn.Linear(FIRST[1], 10))
    for optimizer in (torch.optim.SGD(model.parameters(), 0.1), torch.optim.Adam(model.parameters())):
        for _ in range(2):
            x, y = torch.randn(32, FIRST[0]), torch.randint(0, 10, (32,))
            optimizer.zero_grad()
            functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        (model(x).argmax(1) == y).float().mean().item()


def recorded() -> list[str]:
    """The lines of the list."""
    import specgrad as sg
    from specgrad.runtime.kernels import first
    from specgrad.runtime.kernels.cache.dispatchers import KernelCache

    lines: dict[str, None] = {}
    load = KernelCache.load_overload

    def noted(self: Any, sig: Any, context: Any) -> Any:
        function = self.compiler.py_func
        line = first.line_of(function.__module__, function.__name__, getattr(sig, "args", sig))
        if line is not None:
            lines[line] = None
        return load(self, sig, context)

    workloads, found = import_module("benchmarks.workloads").WORKLOADS, list[str]()
    programs: list[Any] = [small_network, *(partial(train, workloads[name]) for name in PROGRAMS)]
    with patch.object(KernelCache, "load_overload", noted):
        for program in programs:
            program(sg)
            found += reversed(list(lines)[len(found) :])
    return found


def train(make: Any, torch: Any) -> None:
    """Two steps of a program of the benchmark."""
    run = make(torch)
    for _ in range(2):
        run()


def main() -> None:
    """Write the list."""
    from specgrad.runtime.kernels.cache.ahead import LIST, SETTING

    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {SETTING: "0", "SPECGRAD_CACHE_DIR": folder}):
        lines = recorded()
    LIST.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
