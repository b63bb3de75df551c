"""The part of Module that turns parameters and buffers into a state_dict, and reads one back."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ....generated.tensor import Tensor
from ....runtime.autograd.hooks import RemovableHandle, add_hook
from ....runtime.errors import warn_user
from ....runtime.methods.swap import swap_tensors
from ....runtime.tensor.grad_mode import no_grad
from ...parameter import Parameter
from .convert import get_swap_module_params_on_conversion, replaced

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


class _IncompatibleKeys(NamedTuple):
    """Result of load_state_dict: names that only the module has, and names that only the dict has."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class ModuleLoading:
    """load_state_dict, with its hooks."""

    _modules: dict[str, Any]
    _load_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _load_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]
    _own_state: Callable[[], Iterator[tuple[str, Tensor]]]
    _has_extra_state: Callable[[str], bool]
    set_extra_state: Callable[[Any], None]

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, metadata, strict, missing, unexpected, errors)` before loading."""
        return add_hook(self._load_state_dict_pre_hooks, _WithModule(hook, self))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """Like register_load_state_dict_pre_hook; without `with_module` the hook is called without the module."""
        return add_hook(self._load_state_dict_pre_hooks, _WithModule(hook, self) if with_module else hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after loading; it may change the lists of keys in place."""
        return add_hook(self._load_state_dict_post_hooks, hook)

    def _load_from_state_dict(
        self,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Read this module's own state, without its children's; layers that read older formats override it."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, target in self._own_state():
            if prefix + name in state_dict:
                _load_tensor(self, name, target, prefix + name, state_dict[prefix + name], assign, error_msgs)
            elif strict:
                missing_keys.append(prefix + name)
        self._load_extra_state(state_dict, prefix, strict, missing_keys, unexpected_keys)
        if strict:
            unexpected_keys.extend(key for key in state_dict if self._is_unexpected(key, prefix))

    def _load_extra_state(
        self, state_dict: Mapping[str, Any], prefix: str, strict: bool, missing: list[str], unexpected: list[str]
    ) -> None:
        key = prefix + EXTRA_STATE
        if self._has_extra_state("set_extra_state"):
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing.append(key)
        elif strict and key in state_dict:
            unexpected.append(key)

    def _is_unexpected(self, key: str, prefix: str) -> bool:
        if not key.startswith(prefix) or key == prefix + EXTRA_STATE:
            return False
        first, *rest = key[len(prefix) :].split(".", 1)
        if rest:
            return first not in self._modules
        return all(first != name for name, _ in self._own_state())

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy the values of a state_dict into the module and its children.

        Args:
            state_dict: tensors by dotted name.
            strict: names that only one side has are an error.
            assign: make the given tensors themselves the module's, instead of copying their values.

        Returns: The names that only the module has, and those that only the dict has.

        Raises: RuntimeError: names or shapes do not match; the message lists all of them.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None)
        keys = _IncompatibleKeys([], [])
        errors: list[str] = []
        state = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata  # type: ignore[attr-defined]
        _load(self, state, "", _Loading(metadata or {}, strict, assign, keys, errors))
        if strict:
            errors[:0] = _describe(keys)
        if errors:
            listed = "\n\t".join([*errors, *_prefix_hint(keys)])
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return keys


class _Loading(NamedTuple):
    metadata: Mapping[str, Any]
    strict: bool
    assign: bool
    keys: _IncompatibleKeys
    errors: list[str]


class _WithModule:
    """A load pre-hook that is called with the module it was registered on."""

    def __init__(self, hook: Callable[..., Any], module: Any) -> None:
        self.hook, self.module = hook, module

    def __call__(self, *args: Any) -> Any:
        return self.hook(self.module, *args)


def _load(module: Any, state: Mapping[str, Any], prefix: str, job: _Loading) -> None:
    local_metadata = dict(job.metadata.get(prefix[:-1], {}))
    if job.assign:
        local_metadata["assign_to_params_buffers"] = True
    module._load_from_state_dict(
        state, prefix, local_metadata, True, job.keys.missing_keys, job.keys.unexpected_keys, job.errors
    )
    for name, child in module._modules.items():
        if child is not None:
            inner = f"{prefix}{name}."
            _load(child, {key: value for key, value in state.items() if key.startswith(inner)}, inner, job)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, job.keys) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                "if incompatible_keys need to be modified, it should be done inplace."
            )


def _prefix_hint(keys: _IncompatibleKeys) -> list[str]:
    """The call that strips the prefix which a wrapper has put before all names: "module.", "_orig_mod."."""
    first = next(iter(keys.unexpected_keys), "")
    for end in (match.end() for match in re.finditer(r"\.", first)):
        prefix = first[:end]
        if first[end:] in keys.missing_keys and all(name.startswith(prefix) for name in keys.unexpected_keys):
            call = f'torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, "{prefix}")'
            return [f'The names in the state_dict begin with "{prefix}": {call} strips it.']
    return []


def _describe(keys: _IncompatibleKeys) -> list[str]:
    matches = []
    for label, names in (("Missing", keys.missing_keys), ("Unexpected", keys.unexpected_keys)):
        if names:
            quoted = ", ".join(f'"{name}"' for name in names)
            matches.append(f"{label} key(s) in state_dict: {quoted}. ")
    return matches


def _load_tensor(module: Any, name: str, target: Tensor, key: str, value: Any, assign: bool, errors: list[str]) -> None:
    if not isinstance(value, Tensor):
        errors.append(
            f'While copying the parameter named "{key}", expected specgrad.Tensor or Tensor-like object from '
            f"checkpoint but received {type(value)}"
        )
        return
    if target.shape == () and value.shape == (1,):
        value = value[0]  # old checkpoints hold 0-d tensors with one dimension
    if value.shape != target.shape:
        errors.append(
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {target.shape}."
        )
        return
    try:
        _take(module, name, target, key, value, assign)
    except Exception as error:
        errors.append(
            f'While copying the parameter named "{key}", whose dimensions in the model are {target.size()} and whose '
            f"dimensions in the checkpoint are {value.size()}, an exception occurred : {error.args}."
        )


def _take(module: Any, name: str, target: Tensor, key: str, value: Tensor, assign: bool) -> None:
    with no_grad():
        if get_swap_module_params_on_conversion():
            _swap_tensor(module, name, target, value, assign)
            return
        if not assign:
            if target.is_meta and not value.is_meta:
                warn_user(
                    f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the "
                    "current model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state "
                    "dictionary to their corresponding key in the module instead of copying them in place?)"
                )
            target.copy_(value)
            return
    if isinstance(target, Parameter):
        if isinstance(value, Parameter):
            value.requires_grad_(target.requires_grad)
        else:
            value = Parameter(value, requires_grad=target.requires_grad)
    setattr(module, name, value)


def _swap_tensor(module: Any, name: str, target: Tensor, value: Tensor, assign: bool) -> None:
    new = target.module_load(value, assign=assign)
    if isinstance(target, Parameter):
        replaced(module, name, target, new)
    else:
        swap_tensors(target, new)
