"""Names of parameters in the model itself, whatever wrappers it has around it on this number of ranks."""

from __future__ import annotations

from typing import Any

from ..distributed import DistributedDataParallel

WRAPPED = ("_fsdp_wrapped_module", "_checkpoint_wrapped_module", "_orig_mod")


def clean(model: Any, key: str) -> str:
    """The name of an entry of a model's state_dict without the steps that lead into wrappers."""
    module, steps = model, []
    for step in key.split("."):
        if not (step in WRAPPED or (step == "module" and isinstance(module, DistributedDataParallel))):
            steps.append(step)
        module = getattr(module, "_modules", {}).get(step)
    return ".".join(steps)


def names_of(model: Any) -> dict[int, str]:
    """The name of each parameter, by its identity."""
    return {id(parameter): clean(model, name) for name, parameter in model.named_parameters()}
