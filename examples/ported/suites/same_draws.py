"""PyTorch draws specgrad's random numbers: what then still differs is not a matter of what was drawn.

A plugin of pytest's, loaded with `-p same_draws` in a process with PyTorch that also finds specgrad.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

import specgrad

NEW = "rand", "randn", "randint", "randperm", "normal"  # functions that make a tensor of sizes
LIKE = "rand_like", "randn_like", "randint_like", "bernoulli", "poisson", "multinomial"  # of a tensor
FILLING = "uniform_", "normal_", "exponential_", "random_", "bernoulli_", "cauchy_", "log_normal_", "geometric_"
OPTIONS = "requires_grad", "device", "dtype", "layout", "pin_memory", "memory_format", "generator"


def ours(value: Any) -> Any:
    """An argument for specgrad: its tensor of the same elements, its dtype of the same name."""
    if isinstance(value, torch.Tensor):
        return specgrad.from_numpy(value.detach().contiguous().numpy())
    if isinstance(value, torch.dtype):
        return getattr(specgrad, str(value).removeprefix("torch."))
    return tuple(value) if isinstance(value, torch.Size) else value


def sampled(name: str, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """`torch.NAME` with specgrad's numbers; as it was where it is given a generator or an `out`."""

    def draw(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("generator") is not None or "out" in kwargs:
            return theirs(*args, **kwargs)
        slot_values = {key: value for key, value in kwargs.items() if key not in OPTIONS or key == "dtype"}
        found = getattr(specgrad, name)(*map(ours, args), **{key: ours(value) for key, value in slot_values.items()})
        result = torch.from_numpy(found.numpy().copy())
        return result.requires_grad_() if kwargs.get("requires_grad") else result

    return draw


def filled(name: str, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """`Tensor.NAME` with specgrad's numbers."""

    def fill(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("generator") is not None:
            return theirs(self, *args, **kwargs)
        slot_values = {key: ours(value) for key, value in kwargs.items() if key != "generator"}
        dtype = getattr(specgrad, str(self.dtype).removeprefix("torch."))
        found = getattr(specgrad.empty(tuple(self.shape), dtype=dtype), name)(*map(ours, args), **slot_values)
        with torch.no_grad():
            return self.copy_(torch.from_numpy(found.numpy().copy()))

    return fill


def manual_seed(seed: Any) -> Any:
    """Set the seed of both."""
    specgrad.manual_seed(int(seed))
    return torch.default_generator.manual_seed(int(seed))


for _name in (*NEW, *LIKE):
    setattr(torch, _name, sampled(_name, getattr(torch, _name)))
for _name in FILLING:
    setattr(torch.Tensor, _name, filled(_name, getattr(torch.Tensor, _name)))
torch.manual_seed = torch.random.manual_seed = manual_seed
torch.get_rng_state = torch.random.get_rng_state = lambda: torch.from_numpy(specgrad.get_rng_state().numpy().copy())
torch.set_rng_state = torch.random.set_rng_state = lambda state: specgrad.set_rng_state(ours(state))
