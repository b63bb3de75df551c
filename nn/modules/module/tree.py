"""The part of Module that walks over children, parameters and buffers, and finds them by dotted name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ....generated.tensor import Tensor
from ...parameter import Parameter


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
            >>> import specgrad as sg
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
        """All modules of the tree, this one first.

        Args:
            remove_duplicate: each once, though it may be reached by several names.
        """
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
        """Members that `get_members` gives for each module, with dotted names, each object once."""
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
            >>> import specgrad as sg
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
        """The module of the dotted name `target`; "" is this one.

        Raises:
            AttributeError: there is no such name, or it is not a Module.
        """
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
