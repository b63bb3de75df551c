"""Modules as functions of their tensors: the names of before `functional_call`, which `functorch` has."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

from ...generated.ops import stack
from ...generated.tensor import Tensor
from ..modules.batchnorm import NormBase
from ..modules.module.functional_call import functional_call

Tensors = tuple[Tensor, ...]


class FunctionalModuleWithBuffers:
    """A module without tensors of its own: called with parameters, buffers and what the module is called with.

    Args:
        module: the module, whose tensors do not count.
        names: of the parameters, in order.
        buffer_names: of the buffers, in order.
    """

    def __init__(self, module: Any, names: Sequence[str], buffer_names: Sequence[str]) -> None:
        self.stateless_model = module
        self.param_names = tuple(names)
        self.buffer_names = tuple(buffer_names)

    def __call__(self, params: Sequence[Tensor], buffers: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        arguments = dict(zip(self.param_names + self.buffer_names, (*params, *buffers), strict=True))
        return functional_call(self.stateless_model, arguments, args, kwargs)


class FunctionalModule(FunctionalModuleWithBuffers):
    """The same of a module that has no buffers: called with parameters first."""

    def __call__(self, params: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        return super().__call__(params, (), *args, **kwargs)


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """A module as a function of its parameters and buffers: `func(params, buffers, *args)`.

    Args:
        model: the module; its tensors are copied.
        disable_autograd_tracking: whether the parameters do not require grad.

    Returns: The function, the parameters and the buffers.

    Example:
        >>> func, params, buffers = make_functional_with_buffers(sg.nn.BatchNorm1d(2))
        >>> len(params), len(buffers), func(params, buffers, sg.ones(3, 2)).shape
        (2, 3, specgrad.Size([3, 2]))
    """
    model = copy.deepcopy(model)
    params, buffers = dict(model.named_parameters()), dict(model.named_buffers())
    if disable_autograd_tracking:
        model.requires_grad_(False)
    return FunctionalModuleWithBuffers(model, [*params], [*buffers]), (*params.values(),), (*buffers.values(),)


def make_functional(model: Any, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, Tensors]:
    """A module without buffers as a function of its parameters: `func(params, *args)`.

    Args:
        model: the module; its parameters are copied.
        disable_autograd_tracking: whether the parameters do not require grad.

    Returns: The function and the parameters.

    Raises: RuntimeError: the module has buffers.

    Example:
        >>> func, params = make_functional(sg.nn.Linear(2, 1))
        >>> func(tuple(sg.zeros_like(p) for p in params), sg.ones(1, 2))
        tensor([[0.]])
    """
    func, params, buffers = make_functional_with_buffers(model, disable_autograd_tracking)
    if buffers:
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    return FunctionalModule(func.stateless_model, func.param_names, ()), params


def combine_state_for_ensemble(models: Sequence[Any]) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """Modules of one architecture as one function, with their tensors stacked: `vmap(func)(params, buffers, ...)`.

    Args:
        models: modules of one class, all training or all not.

    Returns: The function of one module, and parameters and buffers with a new first dimension for the modules.

    Raises: RuntimeError: there are no modules, or they differ in class or mode.

    Example:
        >>> func, params, buffers = combine_state_for_ensemble([sg.nn.Linear(2, 1) for _ in range(3)])
        >>> sg.vmap(func, in_dims=(0, 0, None))(params, buffers, sg.ones(4, 2)).shape
        specgrad.Size([3, 4, 1])
    """
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({(model.training, type(model)) for model in models}) > 1:
        raise RuntimeError(
            "combine_state_for_ensemble: Expected all models to be of the same class and to have the same "
            "training/eval mode."
        )
    made = [make_functional_with_buffers(model) for model in models]
    return made[0][0], _stacked([params for _, params, _ in made]), _stacked([buffers for _, _, buffers in made])


def _stacked(rows: Sequence[Tensors]) -> Tensors:
    return tuple(stack(list(same)).detach() for same in zip(*rows, strict=True))


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let no batch normalisation of a module keep running estimates, in place: `vmap` cannot write to them.

    Args:
        root: the module.

    Returns: The module.

    Example:
        >>> replace_all_batch_norm_modules_(sg.nn.Sequential(sg.nn.BatchNorm1d(2)))[0].running_mean is None
        True
    """
    for module in root.modules():
        if isinstance(module, NormBase):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function as it is: a compiler that wants no writes is what PyTorch rewrites functions for, and there is none.

    Args:
        func: the function.
        remove: "mutations", or "mutations_and_views".

    Raises: RuntimeError: another word.

    Example:
        >>> functionalize(lambda x: x.clone().add_(1))(sg.ones(2))
        tensor([2., 2.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            "functionalize(f, remove='mutations'): received invalid argument for remove=. Valid options are:\n"
            f"     remove='mutations'\n     remove='mutations_and_views', but got {remove!r}"
        )
    return func
