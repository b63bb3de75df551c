"""What `help`, editors and `inspect.signature` are told of functions that only hand arguments on."""

from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import Any


class LazySignature(Signature):
    """A signature that is made when it is first looked at."""

    __slots__ = ("_cached", "_make")

    def __init__(self, make: Callable[..., Signature], *args: Any) -> None:
        self._make: Any = (make, args)
        self._cached: Signature | None = None

    def _signature(self) -> Signature:
        if self._cached is None:
            make, args = self._make
            self._cached = make(*args)
        return self._cached

    @property
    def parameters(self) -> MappingProxyType[str, Parameter]:
        return self._signature().parameters

    @property
    def return_annotation(self) -> Any:
        return self._signature().return_annotation

    def replace(self, **changes: Any) -> Any:
        return self._signature().replace(**changes)

    def __reduce__(self) -> Any:
        return self._signature().__reduce__()


def of_overloads(functions: Sequence[Callable[..., Any]]) -> Signature:
    """One signature under whose names all overloads can be called; what not all of them need has a default."""
    own = [signature(function) for function in functions]
    groups: dict[str, list[Parameter]] = {}
    for each in own:
        for name, parameter in each.parameters.items():
            groups.setdefault(name, []).append(parameter)
    parameters: list[Parameter] = []
    for group in sorted(groups.values(), key=lambda group: group[0].kind):
        behind_default = bool(parameters) and parameters[-1].default is not Parameter.empty
        parameters.append(_common(group, group[0].kind is Parameter.POSITIONAL_OR_KEYWORD and behind_default, len(own)))
    return Signature(parameters, return_annotation=_union(each.return_annotation for each in own))


def _common(group: list[Parameter], behind_default: bool, count: int) -> Parameter:
    defaults = [p.default for p in group if p.default is not p.empty]
    hints = [p.annotation for p in group]
    if not defaults and (behind_default or len(group) < count):
        defaults, hints = [None], [*hints, "None"]
    return group[0].replace(default=defaults[0] if defaults else Parameter.empty, annotation=_union(hints))


def _union(hints: Iterable[Any]) -> str:
    return " | ".join(dict.fromkeys(part for hint in hints for part in str(hint).split(" | ")))
