"""The part of Module that turns parameters and buffers into a state_dict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.autograd.hooks.hooks import RemovableHandle, add_hook
from ...parameter import Parameter

EXTRA_STATE = "_extra_state"


class ModuleState:
    """state_dict, with its hooks."""

    _version: int = 1
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _state_dict_hooks: OrderedDict[int, Callable[..., Any]]

    def get_extra_state(self) -> Any:
        """Extra state for the state_dict besides parameters and buffers; override it together with set_extra_state."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Override get_extra_state() "
            "together with set_extra_state()."
        )

    def set_extra_state(self, state: Any) -> None:
        """Restore `state`, which get_extra_state returned."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Override set_extra_state() "
            "together with get_extra_state()."
        )

    def _has_extra_state(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(ModuleState, method)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        """Write this module's own state, without its children's; layers with another format override it."""
        for name, tensor in self._own_state():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if self._has_extra_state("get_extra_state"):
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def _own_state(self) -> Iterator[tuple[str, Tensor]]:
        for name, parameter in self._parameters.items():
            if parameter is not None:
                yield name, parameter
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                yield name, buffer

    def state_dict(
        self, *, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict[str, Any]:
        """All parameters and persistent buffers of the module and its children, by dotted name.

        Args:
            destination: a dict to write to; a new OrderedDict when left out.
            prefix: put in front of every name.
            keep_vars: give the parameters themselves instead of detached tensors that share their memory.

        Example:
            >>> import specgrad as sg
            >>> list(sg.nn.Sequential(sg.nn.Linear(2, 3)).state_dict())
            ['0.weight', '0.bias']
        """
        into: Any = destination
        if into is None:
            into = OrderedDict()
            into._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(into, "_metadata"):
            into._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(into, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=into, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            result = hook(self, into, prefix, metadata)
            if not getattr(hook, "_from_public_api", False):
                into = into if result is None else result
            elif result is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return into

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before the module's state is written."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after it was written; it may change the dict."""
        hook._from_public_api = True
        return add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Like register_state_dict_post_hook, but the hook may return another dict."""
        return add_hook(self._state_dict_hooks, hook)
