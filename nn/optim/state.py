"""state_dict of optimizers: parameters are indices, in the order of their groups."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.autograd.hooks import RemovableHandle, add_hook
from ...runtime.tensor.dtypes import float32
from .rule import is_counted_on_device

Hook = Callable[..., Any]


class OptimizerState:
    """Saving and loading of an optimizer's state.

    Under the names in `_scalars` a rule keeps numbers, which have no parameter's dtype and lose nothing by loading.
    """

    _scalars: frozenset[str] = frozenset({"step"})
    param_groups: list[dict[str, Any]]
    state: defaultdict[Any, Any]
    _optimizer_state_dict_pre_hooks: dict[int, Hook]
    _optimizer_state_dict_post_hooks: dict[int, Hook]
    _optimizer_load_state_dict_pre_hooks: dict[int, Hook]
    _optimizer_load_state_dict_post_hooks: dict[int, Hook]
    __setstate__: Callable[[dict[str, Any]], None]

    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` before state_dict; `prepend` puts it before the hooks that are there."""
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after state_dict; it may return another dict.

        `prepend` puts it before the hooks that are there.
        """
        return add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before loading; it may return another dict.

        `prepend` puts it before the hooks that are there.
        """
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` after loading; `prepend` puts it before the hooks that are there."""
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def state_dict(self) -> dict[str, Any]:
        """A dict of "state", by index of the parameter, and of "param_groups" with indices in place of tensors.

        The tensors in it are the optimizer's own, not copies.
        """
        for hook in list(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        numbers: dict[int, int] = {}
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
        groups = [{**group, "params": [numbers[id(p)] for p in group["params"]]} for group in self.param_groups]
        for packed in groups:
            packed["params"] = packed.pop("params")  # last, where PyTorch has it
        state = {
            numbers.get(id(key), key) if isinstance(key, Tensor) else key: _placed(key, state_entry)
            for key, state_entry in self.state.items()
        }
        results: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in list(self._optimizer_state_dict_post_hooks.values()):
            replaced = hook(self, results)
            results = results if replaced is None else replaced
        return results

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load `state_dict`, copies of the state of another optimizer of the same kind.

        State of floating-point parameters is converted to their dtype and device. Numbers such as "step" stay what they
        are, or go to the device where the group is `capturable` or `fused`. A ValueError where groups differ in size.
        """
        state_dict = dict(state_dict)
        for hook in list(self._optimizer_load_state_dict_pre_hooks.values()):
            replaced = hook(self, state_dict)
            state_dict = state_dict if replaced is None else replaced
        saved_groups = deepcopy(state_dict["param_groups"])
        _check_same_sizes(self.param_groups, saved_groups)
        by_number = {
            number: (parameter, saved)
            for group, saved in zip(self.param_groups, saved_groups, strict=True)
            for parameter, number in zip(group["params"], saved["params"], strict=True)
        }
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            parameter, group = by_number.get(key, (None, {}))
            state[key if parameter is None else parameter] = self._fitted(value, parameter, group)
        groups = [
            {**saved, "params": group["params"]} for group, saved in zip(self.param_groups, saved_groups, strict=True)
        ]
        for group, own in zip(groups, self.param_groups, strict=True):
            if "param_names" in own:
                group.setdefault("param_names", own["param_names"])
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    def _fitted(self, value: Any, parameter: Tensor | None, group: dict[str, Any], key: str = "") -> Any:
        if isinstance(value, Tensor):
            if parameter is not None and key in self._scalars and is_counted_on_device(group):
                return value.detach().clone().to(device=parameter.device, dtype=float32)
            if parameter is None or key in self._scalars:
                return value.detach().clone()
            dtype = parameter.dtype if parameter.is_floating_point() else value.dtype
            return value.detach().clone().to(device=parameter.device, dtype=dtype)
        if isinstance(value, dict):
            return {name: self._fitted(item, parameter, group, name) for name, item in value.items()}
        if isinstance(value, (list, tuple, set)):
            return type(value)(self._fitted(item, parameter, group) for item in value)
        return deepcopy(value)


def _placed(key: Any, state_entry: Any) -> Any:
    of_these_rows = getattr(key, "of_these_rows", None)
    if of_these_rows is None or not isinstance(state_entry, dict):
        return state_entry
    return {name: of_these_rows(value) for name, value in state_entry.items()}


def _check_same_sizes(own: list[dict[str, Any]], saved: list[dict[str, Any]]) -> None:
    if len(own) != len(saved):
        raise ValueError("loaded state dict has a different number of parameter groups")
    if any(len(a["params"]) != len(b["params"]) for a, b in zip(own, saved, strict=True)):
        raise ValueError(
            "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
        )
