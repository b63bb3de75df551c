"""The part of Module that registers parameters, buffers and children, walks over them, and finds them by name."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.dispatch.registry import look_into_tables
from ....runtime.errors import type_name
from ...parameter import Buffer, Parameter
from . import hooks

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
        self._parameters[name] = hooks.at_registration("parameter", self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register the buffer `tensor`, which is not learned, such as a running mean, as the attribute `name`.

        None keeps the name for a buffer that is not there. With `persistent` it is part of the state_dict.
        """
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{type_name(tensor)}' object to buffer '{name}' (Tensor or None required)")
        self._buffers[name] = hooks.at_registration("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        """Register a child module under `name`; None keeps the name for a module that is not there."""
        if not isinstance(module, ModuleMembers) and module is not None:
            raise TypeError(f"{type_name(module)} is not a Module subclass")
        self._check_name("module", name, "_modules")
        self._modules[name] = hooks.at_registration("module", self, name, module)

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

    def __getattr__(self, name: str) -> Tensor:
        """Parameters, buffers and children. Type checkers are told of a tensor: a child is declared or assigned."""
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
            self._modules[name] = hooks.at_registration("module", self, name, value)
        elif name in state.get("_modules", ()):
            _expect(value is None, name, value, "child module", "nn.Module or None")
            self._modules[name] = hooks.at_registration("module", self, name, None)
        elif isinstance(value, Tensor) and isinstance(value, Buffer):
            self.register_buffer(name, value, value.persistent)
        elif name in state.get("_buffers", ()):
            _expect(value is None or isinstance(value, Tensor), name, value, "buffer", "nn.Buffer, Tensor or None")
            self._buffers[name] = hooks.at_registration("buffer", self, name, value)
        else:
            super().__setattr__(name, value)

    def _claim(self, name: str, kind: str, table: str) -> None:
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


class ModuleTree:
    """Walks in the order of registration, each parameter, buffer and module once unless asked otherwise."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """All modules of the tree with their dotted names: this one (named `prefix`), then its children's trees.

        Args:
            memo: modules to leave out; it collects those that were given.
            prefix: put in front of every name.
            remove_duplicate: give a module that appears in several places once.

        Example:
            >>> [name for name, _ in sg.nn.Sequential(sg.nn.ReLU()).named_modules()]
            ['', '0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Any]:
        """All modules of the tree, this one first; with `remove_duplicate` each once, if it has several names."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """The direct children with their names, each once."""
        seen: set[Any] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Any]:
        """The direct children, each once."""
        return (module for _, module in self.named_children())

    def _named_members(
        self,
        get_members: Callable[[Any], Iterable[tuple[str, Any]]],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        named = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in named:
            for name, member in get_members(module):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield f"{path}.{name}" if path else name, member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their dotted names.

        Args:
            prefix: put in front of every name.
            recurse: also those of the children.
            remove_duplicate: give a shared parameter once.

        Example:
            >>> [name for name, _ in sg.nn.Linear(2, 3).named_parameters()]
            ['weight', 'bias']
        """
        return self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each once; what an optimizer is given. Without `recurse` only those of this module itself."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their dotted names; arguments as of `named_parameters`."""
        return self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, each once; without `recurse` only those of this module itself."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Any:
        """The module of the dotted name `target`, "" being this one; an AttributeError where there is none."""
        module: Any = self
        for name in target.split(".") if target else []:
            module = _attribute(module, name)
            if not isinstance(module, ModuleTree):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Put `module` at the dotted name `target`; with `strict` only where there is one already."""
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, ModuleTree):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(_attribute(parent, name), ModuleTree):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of the dotted name `target`; AttributeError when there is none."""
        module, name = self._owner(target)
        result = _attribute(module, name)
        if not isinstance(result, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return result

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of the dotted name `target`; AttributeError when there is none."""
        module, name = self._owner(target)
        result = _attribute(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return result

    def _owner(self, target: str) -> tuple[Any, str]:
        path, _, name = target.rpartition(".")
        return self.get_submodule(path), name


def _attribute(module: Any, name: str) -> Any:
    if not hasattr(module, name):
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
    return getattr(module, name)
