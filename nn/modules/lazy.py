"""Modules that learn the sizes of their parameters from their first input."""

from collections.abc import Callable, Iterator
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.tensor.grad_mode import no_grad
from ..parameter import is_lazy
from .module.base import Module

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Mixin of lazy modules: a base class before `Module` or the layer that it becomes.

    Before the first call `initialize_parameters` gets the same inputs as `forward`; it gives all uninitialized
    parameters and buffers their sizes. The module is then of the class `cls_to_become`, if that is set. Loading a
    state_dict gives them sizes too.

    Attributes:
        cls_to_become: the class after the first call, or None.

    Example:
        >>> class Scale(sg.nn.modules.lazy.LazyModuleMixin, sg.nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factors = sg.nn.UninitializedParameter()
        ...     def initialize_parameters(self, x):
        ...         self.factors.materialize(x.shape[-1:])
        ...         sg.nn.init.ones_(self.factors)
        ...     def forward(self, x):
        ...         return x * self.factors
        >>> Scale()(sg.ones(2)).tolist()
        [1.0, 1.0]
    """

    cls_to_become: type[Any] | None = None
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _own_state: Callable[[], Iterator[tuple[str, Tensor]]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.register_forward_pre_hook(_infer, with_kwargs=True)  # type: ignore[attr-defined]

    def has_uninitialized_params(self) -> bool:
        """Whether parameters or buffers have no size yet."""
        return any(map(is_lazy, (*self._parameters.values(), *self._buffers.values())))

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give all uninitialized parameters and buffers their sizes, from the inputs of the first call.

        Every lazy module defines it.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        unknown = []
        for name, own in self._own_state():
            arg = state_dict.get(prefix + name)
            if is_lazy(own) and is_lazy(arg):
                unknown.append(prefix + name)
            elif is_lazy(own) and isinstance(arg, Tensor):
                with no_grad():
                    own.materialize(arg.shape)  # type: ignore[attr-defined]
        known = {key: value for key, value in state_dict.items() if key not in unknown}
        super()._load_from_state_dict(known, prefix, *rest)  # type: ignore[misc]
        missing = rest[2]
        missing[:] = [key for key in missing if key not in unknown]


def _infer(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    module.initialize_parameters(*args, **kwargs)
    if module.has_uninitialized_params():
        raise RuntimeError(f"module {type(module).__name__} has not been fully initialized")
    for number in [number for number, hook in module._forward_pre_hooks.items() if hook is _infer]:
        del module._forward_pre_hooks[number]
        module._forward_pre_hooks_with_kwargs.pop(number, None)
    if module.cls_to_become is not None:
        module.__class__ = module.cls_to_become


def materialized(module: Module, **shapes: tuple[int, ...]) -> None:
    with no_grad():
        for name, shape in shapes.items():
            tensor = getattr(module, name)
            if is_lazy(tensor):
                tensor.materialize(shape)
