"""Module, the base class of layers and models: attributes, mode, call, printing; its other parts lie beside this."""

from collections.abc import Callable
from typing import Any, Self

from ....runtime.autograd.hooks import RemovableHandle
from ....runtime.errors import warn_user
from ....runtime.methods import argument_guard
from ....runtime.tracebacks import hide_internal_frames
from . import hooks
from .convert import ModuleConversion
from .hooks import ModuleHooks
from .layer_path import note_layer
from .members import EMPTY_STATE, ModuleMembers, ModuleTree
from .state_dict import ModuleLoading, ModuleState


class DeprecatedModuleMethods:
    """Names that PyTorch's Module has and that mean something else, or nothing, here."""

    dump_patches: bool = False
    register_full_backward_hook: Callable[..., RemovableHandle]

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The old name of `register_full_backward_hook`, deprecated; `hook` sees the gradients of all inputs."""
        warn_user(
            "`Module.register_backward_hook` is deprecated in favor of `Module.register_full_backward_hook`, and here "
            "it is the same.",
            FutureWarning,
        )
        return self.register_full_backward_hook(hook)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Does nothing, whatever `args` and `kwargs` ask for: kernels are compiled when they are first needed."""


class Module(
    ModuleMembers, ModuleHooks, ModuleState, ModuleLoading, ModuleTree, ModuleConversion, DeprecatedModuleMethods
):
    """Base class of all layers and models.

    A subclass calls `super().__init__()`, assigns Parameters, Buffers and other Modules as attributes, which registers
    them, and defines `forward`. Calling the module runs forward with the hooks around it.

    Attributes:
        training: True after `train()`, False after `eval()`; layers such as Dropout look at it.

    Example:
        >>> class Scale(sg.nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = sg.nn.Parameter(sg.tensor(3.0))
        ...     def forward(self, x):
        ...         return x * self.factor
        >>> Scale()(sg.tensor(2.0))
        tensor(6., grad_fn=<MulBackward0>)
    """

    training: bool
    call_super_init: bool = False
    _shown: tuple[str, ...] = ()  # the attributes that `extra_repr` names
    _called_as_compiled: bool = False  # whether `jit.script` has had it

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            _refuse_arguments(type(self), args, kwargs)
        state = self.__dict__
        state["training"] = True
        for name, make in EMPTY_STATE.items():
            state[name] = make()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output; every subclass defines it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if (
                self._forward_hooks
                or self._forward_pre_hooks
                or self._backward_hooks
                or self._backward_pre_hooks
                or hooks.call_hooks
            ):
                return self._call_with_hooks(args, kwargs)
            return self.forward(*args, **kwargs)
        except Exception as error:
            try:
                note_layer(self, error)
                leave = _leave_as_compiled if self._called_as_compiled else argument_guard.leave
                leave(self.forward, error, args, kwargs)
                raise
            except Exception as outcome:
                hide_internal_frames(outcome)
                raise

    def train(self, mode: bool = True) -> Self:
        """Put the module and its children into training mode (or, with False, evaluation mode)."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Put the module and its children into evaluation mode."""
        return self.train(False)

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The text in the parentheses of the module's repr."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._shown)

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if len(lines) <= 1 and not children:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"

    def _repr_html_(self) -> str:
        from ....runtime.extensions.display.html import module_html  # notebooks ask for it

        return module_html(self)


argument_guard.guards.add(Module.__call__.__code__)


def _leave_as_compiled(*call: Any) -> None:
    from ....runtime.extensions.torch_compat.script_errors import leave_as_compiled  # few programs script modules

    leave_as_compiled(*call)


def _refuse_arguments(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(f"{cls.__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
    if args:
        raise TypeError(f"{cls.__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given")


def indented(text: str, spaces: int = 2) -> str:
    return text.replace("\n", "\n" + " " * spaces)
