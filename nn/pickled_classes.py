"""What files of `save` may name of nn: layers, losses, optimizers, schedulers, and the functions of nn.functional.

`load` finds them here by the names that PyTorch and specgrad write. An object is made without its constructor and gets
a state whose parts are checked, so no file calls anything.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..runtime.extension_points import fill
from ..runtime.extensions.serialization.pickle_reader import Named
from ..runtime.extensions.serialization.zip_archive import Damage
from ..runtime.tensor.tensor import TensorBase
from . import functional
from .modules.module import Module
from .optim import Optimizer
from .optim.lr_scheduler import LRScheduler
from .parameter import Parameter

_MEMBERS = {"_parameters": Parameter, "_buffers": TensorBase, "_modules": Module}
_FUNCTIONS = ("torch", "torch.nn.functional", "torch._C._nn")  # where PyTorch has functions of nn.functional
_OWN = __name__.rpartition("nn.")[0]


def _checked(state: Any) -> dict[str, Any]:
    if type(state) is not dict or not all(type(name) is str for name in state):
        raise Damage("the pickle has an object whose attributes are no dict of names")
    return state


def _build_module(module: Any, state: Any) -> None:
    for table, kind in _MEMBERS.items():
        members = _checked(state).get(table, {})
        parts = members.items() if isinstance(members, dict) else [(None, None)]
        if not all(type(name) is str and (part is None or isinstance(part, kind)) for name, part in parts):
            raise Damage(f"the pickle has a module with {table} that are none")
    module.__setstate__(state)


def _build_optimizer(optimizer: Any, state: Any) -> None:
    groups, states = _checked(state).get("param_groups"), state.get("state")
    if not isinstance(states, dict) or type(groups) is not list or not all(type(one) is dict for one in groups):
        raise Damage("the pickle has an optimizer without groups of parameters or without a state")
    optimizer.__setstate__(state)


def _build_scheduler(scheduler: Any, state: Any) -> None:
    if not isinstance(_checked(state).get("optimizer"), Optimizer):
        raise Damage("the pickle has a scheduler without an optimizer")
    scheduler.__dict__.update(state)


# By where PyTorch has the classes: where specgrad has them, their base, and what sets the state of an object.
_CLASSES: dict[str, tuple[str, type, Callable[[Any, Any], None]]] = {
    "torch.nn.modules.": ("nn.modules.", Module, _build_module),
    "torch.optim.swa_utils.": ("nn.optim.", Module, _build_module),
    "torch.optim.lr_scheduler.": ("nn.optim.lr_scheduler.", LRScheduler, _build_scheduler),
    "torch.optim.": ("nn.optim.", Optimizer, _build_optimizer),
}


def _derived(base: type) -> Iterator[type]:
    yield base
    classes: list[type] = base.__subclasses__()
    for cls in classes:
        yield from _derived(cls)


def _made(cls: type) -> Any:
    return object.__new__(cls)


def find(full: str) -> Named | None:
    """The class or function of a full name that begins with torch, as the file has it; None for others."""
    package, _, name = full.rpartition(".")
    for prefix, (own, base, build) in _CLASSES.items():
        if full.startswith((prefix, f"torch.{own}")):
            for cls in _derived(base):
                if cls.__name__ == name and cls.__module__.startswith(_OWN + own):
                    return Named(cls, new=partial(_made, cls), build=build)
    is_function = package in _FUNCTIONS or package.startswith(("torch.nn.functional.", "torch.generated.ops."))
    return Named(getattr(functional, name)) if is_function and name in functional.__all__ else None


fill("pickled_classes", find)
