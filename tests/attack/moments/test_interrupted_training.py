"""Training that is saved and goes on in another process gives the same bits as training that was never interrupted."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from tests.attack.amount import SEED, amount
from tests.nn.optim.options import MATRICES_ONLY, ONE_GROUP, OPTIONS, REAL_ONLY, sampled, step

DTYPES = ["float32", "float32", "float64", "bfloat16", "float16", "complex64", "complex128"]
SHAPES: list[tuple[int, ...]] = [(3, 4), (4, 2), (1, 3), (5,), (), (0,), (2, 3, 2)]


class Run:
    """Parameters and their optimizer, made from a seed: of one seed they are the same."""

    def __init__(self, name: str, seed: str) -> None:
        self.rng = random.Random(seed)
        self.name, self.dtype = name, getattr(sg, self.rng.choice(DTYPES[:5] if name in REAL_ONLY else DTYPES))
        self.default = sg.float64 if self.rng.random() < 0.2 else sg.float32
        self.named = self.rng.random() < 0.3
        sizes = [1] if name in ONE_GROUP else [self.rng.randint(1, 2) for _ in range(self.rng.randint(1, 3))]
        self.parameters: list[Any] = []
        groups = [self.group(size) for size in sizes]
        self.defaults = sampled(name, self.rng)
        self.optimizer = getattr(sg.optim, name)(groups, **self.defaults)

    def group(self, size: int) -> dict[str, Any]:
        """New parameters with options of their own."""
        new = [self._parameter() for _ in range(size)]
        self.parameters += new
        options = {} if self.name in ONE_GROUP else sampled(self.name, self.rng)
        first = len(self.parameters) - size
        return {**options, "params": [(f"p{first + n}", p) for n, p in enumerate(new)] if self.named else new}

    def _parameter(self) -> Any:
        shape = self.rng.choice(SHAPES[:3] if self.name in MATRICES_ONLY else SHAPES)
        generator = sg.Generator().manual_seed(self.rng.randrange(2**31))
        value = sg.randn(shape, generator=generator, dtype=sg.float64).to(self.dtype)
        return (value.mT.contiguous().mT if len(shape) > 1 and self.rng.random() < 0.3 else value).requires_grad_()

    def train(self, without: list[int | None], added: int, saved: set[int]) -> None:
        """A step for each of `without`, a group added before step `added`, saved and loaded before those of `saved`."""
        for number, missing in enumerate(without):
            if number == added and self.name not in ONE_GROUP:
                self.optimizer.add_param_group(self.group(1))
            if number in saved:
                self.reload()
            step(self.parameters, self.optimizer, missing if len(self.parameters) > 1 else None)

    def reload(self) -> None:
        """Go on with other parameters and another optimizer, which know only what was in a file."""
        file = io.BytesIO()
        sg.save({"parameters": self.parameters, "optimizer": self.optimizer.state_dict()}, file)
        file.seek(0)
        found, sizes = sg.load(file), [len(group["params"]) for group in self.optimizer.param_groups]
        self.parameters, rest, groups = found["parameters"], found["parameters"], []
        for size in sizes:
            groups.append({"params": rest[:size]})
            rest = rest[size:]
        self.optimizer = getattr(sg.optim, self.name)(groups, **self.defaults)
        self.optimizer.load_state_dict(found["optimizer"])

    def result(self) -> list[str]:
        """All that there is in the end, bit for bit."""
        state = self.optimizer.state_dict()
        return [repr(_plain(part)) for part in (self.parameters, state["state"], state["param_groups"])]


def _plain(value: Any) -> Any:
    if isinstance(value, sg.Tensor):
        return value.dtype, tuple(value.shape), value.stride(), value.tolist()
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in sorted(value.items(), key=str)}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("name", OPTIONS)
def test_interrupted_training(name: str, figures: Callable[..., None]) -> None:
    """Parameters, state and groups are the same in the end, whatever the options, dtypes and groups."""
    rounds = amount(6, 200)
    for number in range(rounds):
        seed = f"{SEED} {name} {number}"
        rng = random.Random(f"{seed} course")
        steps = rng.randint(2, 6)
        without = [rng.choice((None, 0, 1)) for _ in range(steps)]
        added, saved = rng.randrange(2 * steps), {rng.randrange(steps) for _ in range(2)}
        full, interrupted = Run(name, seed), Run(name, seed)
        before = sg.get_default_dtype()
        sg.set_default_dtype(full.default)
        try:
            full.train(without, added, set())
            interrupted.train(without, added, saved)
        finally:
            sg.set_default_dtype(before)
        assert interrupted.result() == full.result(), f"seed {seed!r}"
    figures("training interrupted", runs=rounds)
