"""The base class of activations that apply a function to every element."""

from __future__ import annotations

from ..module.base import Module


class Activation(Module):
    """A function of every element; a subclass lists the arguments that its repr shows.

    Args:
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.
    """

    shown: tuple[str, ...] = ()

    def extra_repr(self) -> str:
        values = {name: getattr(self, name) for name in self.shown}
        return ", ".join(f"{name}={value}" for name, value in values.items() if name != "inplace" or value)


class InplaceActivation(Activation):
    """An activation whose only argument is whether to write to the input."""

    shown: tuple[str, ...] = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace
