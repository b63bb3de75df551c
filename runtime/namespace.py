"""`op`: the functions of the generated ops, for runtime code that is imported before they are.

The runtime never imports `generated`, which publishes its functions here. Also the name under which programs know the
package: `str(x.dtype) == "torch.float32"`."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


class Namespace:
    """An unknown name is one of the base's: packages of users' ops have namespaces over that of their base."""

    def __init__(self, base: "Namespace | None" = None) -> None:
        self.__dict__["_base"] = base

    def publish(self, functions: dict[str, Any]) -> None:
        """A later package's op may not replace an earlier one."""
        for name, function in functions.items():
            self.__dict__.setdefault(name, function)

    def __getattr__(self, name: str) -> Any:
        base = self.__dict__["_base"]
        if base is None or name.startswith("__"):
            raise AttributeError(f"no op named {name!r} has been generated")
        value = self.__dict__[name] = getattr(base, name)
        return value


op = Namespace()


def check_used(package: str, base_op: Namespace, used: Mapping[str, Sequence[str]], command: str) -> None:
    """Whether all that a generated package calls of its bases is there: an op, or a function by its module.

    Raises:
        ImportError: one is missing; the message names the package, the op and what to do.
    """
    for base, names in used.items():
        for name in names:
            module, _, function = name.rpartition(".")
            if not hasattr(import_module(f"{base}.{module}") if module else base_op, function):
                what = name if module else f"the op {name}"
                raise ImportError(
                    f"{package} calls {what} of {base}, which has none any more: install the {base} that it was "
                    f"generated with, or take {function} out of its spec and run `{command}`"
                )


OWN = __name__.partition(".")[0]


class _Known:
    name = OWN


known = _Known()
