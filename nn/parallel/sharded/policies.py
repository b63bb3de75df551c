"""What is chosen for a sharded module: dtypes, where parameters lie, and which modules are gathered by themselves."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...modules.container import ModuleDict, ModuleList
from ...modules.module.base import Module


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """In which dtypes a sharded module computes; sharded parameters keep theirs, which optimizers see.

    Args:
        param_dtype: that of whole parameters, and so of what is computed; theirs when left out.
        reduce_dtype: that in which gradients are joined; that of the whole parameters when left out.
        output_dtype: that of floating-point outputs; as they come when left out.
        cast_forward_inputs: whether floating-point inputs are cast to `param_dtype`.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Parameters stay where the module computes."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parameters lie in the host's memory between calls, as those of modules on the CPU do anyhow.

    Args:
        pin_memory: whether that memory is pinned.
    """

    pin_memory: bool = True


class ModuleWrapPolicy:
    """Modules of some classes.

    Args:
        module_classes: the classes.

    Raises: TypeError: they are none.

    Example:
        >>> from specgrad.distributed.fsdp.wrap import ModuleWrapPolicy
        >>> ModuleWrapPolicy({sg.nn.Linear})(sg.nn.Linear(1, 1), False)
        True
    """

    def __init__(self, module_classes: Iterable[type[Module]]) -> None:
        if not isinstance(module_classes, Iterable):
            raise TypeError(f"ModuleWrapPolicy(): expected module_classes, but got {type(module_classes).__name__}")
        self._classes = tuple(set(module_classes))

    def __call__(self, module: Module, recurse: bool, *args: Any, **kwargs: Any) -> bool:
        """Whether a module is one; with `recurse`, whether modules inside it are asked about."""
        return recurse or isinstance(module, self._classes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({set(self._classes)})"


def transformer_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: set[type[Module]]
) -> bool:
    """Whether `module` is of `transformer_layer_cls`, classes such as those of the layers of a transformer.

    With `recurse`: whether modules inside it are asked about. `nonwrapped_numel` counts elements not gathered yet.
    """
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """Every module."""
    return True


def size_based_auto_wrap_policy(
    module: Module,
    recurse: bool,
    nonwrapped_numel: int,
    min_num_params: int = 100_000_000,
    force_leaf_modules: set[type[Module]] | None = None,
    exclude_wrap_modules: set[type[Module]] | None = None,
) -> bool:
    """Whether `module` has `min_num_params` elements, `nonwrapped_numel`, that no module inside has been chosen for.

    With `recurse`: whether modules inside it are asked about, not those in `force_leaf_modules`. Classes in
    `exclude_wrap_modules` are not chosen. A TypeError where what counts elements is no number.
    """
    for name, count in (("nonwrapped_numel", nonwrapped_numel), ("min_num_params", min_num_params)):
        if not isinstance(count, int | float):
            raise TypeError(f"size_based_auto_wrap_policy(): {name} must be a number, but got {type(count).__name__}")
    is_large = nonwrapped_numel >= min_num_params
    if recurse:
        return is_large and not isinstance(module, tuple(force_leaf_modules or ()))
    excluded = (ModuleList, ModuleDict) if exclude_wrap_modules is None else tuple(exclude_wrap_modules)
    return is_large and not isinstance(module, excluded)
