"""The older form of `func.functional_call`."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.errors import warn_user
from ..modules.module.base import Module
from ..modules.module.functional_call import functional_call as func_functional_call
from ..modules.module.functional_call import reparametrized


def functional_call(
    module: Module,
    parameters_and_buffers: Mapping[str, Tensor],
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """The old place of `func.functional_call`; deprecated.

    Args:
        module, args, kwargs, tie_weights, strict: as there.
        parameters_and_buffers: one dictionary from dotted names to tensors.
    """
    warn_user("`nn.utils.stateless.functional_call` is deprecated in favor of `func.functional_call`.", FutureWarning)
    return func_functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _reparametrize_module(
    module: Module,
    parameters_and_buffers: Mapping[str, Tensor],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> AbstractContextManager[None]:
    """A region in which a module has other parameters and buffers; libraries call several methods in one.

    Arguments are as of `functional_call`, with one dictionary; `stack_weights` says in which order PyTorch puts back
    what was there; each name has its own here.
    """
    return reparametrized(module, parameters_and_buffers, tie_weights, strict)
