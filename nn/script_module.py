"""The classes of scripted modules: programs derive from the first, and ask for the others."""

from __future__ import annotations

from typing import Any

from .modules.module.base import Module


class ScriptModule(Module):
    """A Module: what is derived from it runs as it is written; its errors are `jit.Error`s besides.

    Formula: that of the class that is derived from it

    Shape:
        As that class says.

    Example:
        >>> import specgrad as sg
        >>> class Double(sg.jit.ScriptModule):
        ...     @sg.jit.script_method
        ...     def forward(self, x):
        ...         return 2 * x
        >>> Double()(sg.tensor(2.0))
        tensor(4.)
    """

    _called_as_compiled = True


class RecursiveScriptModule(ScriptModule):
    """The class of modules that were scripted: none are, `jit.script` returns the module itself.

    Raises:
        RuntimeError: one is made.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"specgrad.jit.{type(self).__name__}: nothing is compiled here; modules run as they are")


class TracedModule(RecursiveScriptModule):
    """The class of modules that were traced: none are, `jit.trace` returns the module itself."""


class TopLevelTracedModule(TracedModule):
    """The class of modules that `jit.trace` returns in PyTorch: here the module itself."""
