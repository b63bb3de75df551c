"""The part of Module that registers parameters, buffers and child modules, and makes them attributes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.dispatch.member_classes import look_into_tables
from ....runtime.errors import type_name
from ...parameter import Buffer, Parameter
from . import global_hooks

EMPTY_STATE: dict[str, Any] = {
    "_parameters": dict,
    "_buffers": dict,
    "_non_persistent_buffers_set": set,
    "_backward_pre_hooks": OrderedDict,
    "_backward_hooks": OrderedDict,
    "_forward_hooks": OrderedDict,
    "_forward_hooks_with_kwargs": OrderedDict,
    "_forward_hooks_always_called": OrderedDict,
    "_forward_pre_hooks": OrderedDict,
    "_forward_pre_hooks_with_kwargs": OrderedDict,
    "_state_dict_hooks": OrderedDict,
    "_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_post_hooks": OrderedDict,
    "_modules": dict,
}
_MEMBER_TABLES = ("_parameters", "_buffers", "_modules")


class ModuleMembers:
    """Members live in three tables by name; attribute access looks there after the instance and its class."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__getattr__ is ModuleMembers.__getattr__:
            look_into_tables(cls)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter under `name`; `param` None keeps the name for a parameter that is not there."""
        self._check_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type_name(param)}' object to parameter '{name}' (nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = global_hooks.at_registration("parameter", self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a tensor that is not learned, such as a running mean.

        Args:
            name: the attribute it is reached by.
            tensor: the buffer; None keeps the name for a buffer that is not there.
            persistent: whether it is part of the state_dict.
        """
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{type_name(tensor)}' object to buffer '{name}' (Tensor or None required)")
        self._buffers[name] = global_hooks.at_registration("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        """Register a child module under `name`; None keeps the name for a module that is not there."""
        if not isinstance(module, ModuleMembers) and module is not None:
            raise TypeError(f"{type_name(module)} is not a Module subclass")
        self._check_name("module", name, "_modules")
        self._modules[name] = global_hooks.at_registration("module", self, name, module)

    register_module = add_module

    def _check_name(self, kind: str, name: str, table: str) -> None:
        if table not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type_name(name)}")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{got}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[table]:
            raise KeyError(f"attribute '{name}' already exists")

    def __getattr__(self, name: str) -> Any:
        state = self.__dict__
        hint = " (Module.__init__() has not been called)"
        if "_parameters" in state:  # one test per table and no loop: layers come here in every call
            if name in (members := state["_parameters"]):
                return members[name]
            if name in (members := state["_modules"]):
                return members[name]
            if name in (members := state["_buffers"]):
                return members[name]
            hint = ""
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        state = self.__dict__
        if isinstance(value, Parameter):
            self._claim(name, "parameters", "_parameters")
            self.register_parameter(name, value)
        elif name in state.get("_parameters", ()):
            _expect(value is None, name, value, "parameter", "nn.Parameter or None")
            self.register_parameter(name, None)
        elif isinstance(value, ModuleMembers):
            self._claim(name, "module", "_modules")
            self._modules[name] = global_hooks.at_registration("module", self, name, value)
        elif name in state.get("_modules", ()):
            _expect(value is None, name, value, "child module", "nn.Module or None")
            self._modules[name] = global_hooks.at_registration("module", self, name, None)
        elif isinstance(value, Tensor) and isinstance(value, Buffer):
            self.register_buffer(name, value, value.persistent)
        elif name in state.get("_buffers", ()):
            _expect(value is None or isinstance(value, Tensor), name, value, "buffer", "nn.Buffer, Tensor or None")
            self._buffers[name] = global_hooks.at_registration("buffer", self, name, value)
        else:
            super().__setattr__(name, value)

    def _claim(self, name: str, kind: str, table: str) -> None:
        """Remove what the name stood for before it becomes a member of `table`."""
        state = self.__dict__
        if table not in state:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        state.pop(name, None)
        for other in _MEMBER_TABLES:
            if other != table:
                state[other].pop(name, None)
        if table != "_buffers":
            self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for table in _MEMBER_TABLES:
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        members = (name for table in _MEMBER_TABLES for name in self.__dict__.get(table, ()))
        names = {*dir(type(self)), *self.__dict__, *members}
        return sorted(name for name in names if not name[0].isdigit())  # "0" of a Sequential is no attribute name

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name, make in EMPTY_STATE.items():
            if name not in self.__dict__:  # pickled by an older version
                self.__dict__[name] = make()


def _expect(accepted: bool, name: str, value: Any, kind: str, expected: str) -> None:
    if not accepted:
        raise TypeError(f"cannot assign '{type_name(value)}' as {kind} '{name}' ({expected} expected)")
