"""Six steps of an optimizer from given values with given gradients."""

from typing import Any

import numpy as np

RNG = np.random.default_rng(2)
START = RNG.standard_normal((3, 4))
GRADS = [RNG.standard_normal((3, 4)) for _ in range(6)]


def steps(lib: Any, name: str, options: dict[str, Any], dtype: Any, start: Any = START) -> Any:
    """A parameter after the steps, and the optimizer, by its name in the library."""
    p = lib.from_numpy(start.copy()).to(dtype).requires_grad_()
    optimizer = getattr(lib.optim, name)([p], **options)
    for g in GRADS:
        p.grad = lib.from_numpy(g).to(dtype)
        optimizer.step()
    return p, optimizer
