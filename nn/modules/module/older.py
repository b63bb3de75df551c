"""The part of Module that older programs, or programs for compilers, call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....runtime.autograd.hooks.hooks import RemovableHandle
from ....runtime.errors import warn_user


class DeprecatedModuleMethods:
    """Names that PyTorch's Module has and that mean something else, or nothing, here."""

    dump_patches: bool = False
    register_full_backward_hook: Callable[..., RemovableHandle]

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The old name of `register_full_backward_hook`, deprecated; `hook` sees the gradients of all inputs."""
        warn_user(
            "`Module.register_backward_hook` is deprecated in favor of `Module.register_full_backward_hook`, and here "
            "it is the same.",
            FutureWarning,
        )
        return self.register_full_backward_hook(hook)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Does nothing, whatever `args` and `kwargs` ask for: kernels are compiled when they are first needed."""
