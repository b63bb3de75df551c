"""`op`: the functions of the generated ops, for runtime code that is imported before they are.

The runtime never imports `generated`; `generated.ops` publishes its functions here instead. Attributes are looked up
when called (`op.sum(x)`), so the order of imports does not matter.

The name under which programs know the package: what dtypes, sizes and types of tensors say of themselves.

Programs read it: `str(x.dtype) == "torch.float32"`, `x.type() == "torch.FloatTensor"`.
"""

from __future__ import annotations

from typing import Any


class Namespace:
    """A bag of published functions; an unknown name is one of the base's, or an error that says what is missing.

    A package of a user's ops has one of its own over that of its base: two packages may each have an op of one name.
    """

    def __init__(self, base: Namespace | None = None) -> None:
        self.__dict__["_base"] = base

    def publish(self, functions: dict[str, Any]) -> None:
        """Add functions by name; a later package's op may not replace an earlier one."""
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
    """The name as it is now; `as_torch` changes it."""

    name = OWN


known = _Known()
