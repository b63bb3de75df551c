"""`op`: the functions of the generated ops, for runtime code that is imported before they are.

The runtime never imports `generated`, which publishes its functions here. Also the name under which programs know the
package: `str(x.dtype) == "torch.float32"`."""

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


OWN = __name__.partition(".")[0]


class _Known:
    name = OWN


known = _Known()
