"""Pruning by one call: of one parameter, or of several by magnitudes of all."""

from collections.abc import Iterable
from typing import Any, TypeVar

from ....generated.ops import cat
from ....generated.tensor import Tensor
from ....runtime.ops.creation import ones_like
from ...docstrings import completed_from
from ...modules.module.base import Module
from .method import Amount, BasePruningMethod, PruningContainer
from .methods import CustomFromMask, Identity, L1Unstructured, LnStructured, RandomStructured, RandomUnstructured

AnyModule = TypeVar("AnyModule", bound=Module)


def identity(module: AnyModule, name: str) -> AnyModule:
    """Give a parameter a mask of ones.

    Args:
        module: the module.
        name: the parameter.

    Returns: The module itself.

    Example:
        >>> from specgrad.nn.utils import prune
        >>> [name for name, _ in prune.identity(sg.nn.Linear(1, 1), "weight").named_buffers()]
        ['weight_mask']
    """
    Identity.apply(module, name)
    return module


@completed_from(identity)
def random_unstructured(module: AnyModule, name: str, amount: Amount) -> AnyModule:
    """Prune a random choice of a parameter's elements.

    Args:
        amount: how many, or which part of them.
    """
    RandomUnstructured.apply(module, name, amount)
    return module


@completed_from(random_unstructured)
def l1_unstructured(module: AnyModule, name: str, amount: Amount, importance_scores: Tensor | None = None) -> AnyModule:
    """Prune the elements of a parameter that have the least magnitude.

    Args:
        importance_scores: numbers in place of the parameter's, by which elements are chosen.

    Example:
        >>> from specgrad.nn.utils import prune
        >>> layer = sg.nn.Linear(3, 1)
        >>> layer.weight.data = sg.tensor([[3.0, -1.0, 2.0]])
        >>> prune.l1_unstructured(layer, "weight", 1).weight_mask
        tensor([[1., 0., 1.]])
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


@completed_from(random_unstructured)
def random_structured(module: AnyModule, name: str, amount: Amount, dim: int) -> AnyModule:
    """Prune a random choice of a parameter's channels.

    Args:
        dim: the dimension of the channels.
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


@completed_from(random_structured)
def ln_structured(
    module: AnyModule, name: str, amount: Amount, n: Any, dim: int, importance_scores: Tensor | None = None
) -> AnyModule:
    """Prune the channels of a parameter that have the least norm.

    Args:
        n: which norm, as of `norm`.
        importance_scores: numbers in place of the parameter's, by which channels are chosen.
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


@completed_from(identity)
def custom_from_mask(module: AnyModule, name: str, mask: Tensor) -> AnyModule:
    """Prune what is 0 in a mask.

    Args:
        mask: of the parameter's shape.
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune elements of several parameters as if they were one.

    Args:
        parameters: pairs of a module and a parameter's name.
        pruning_method: a class such as L1Unstructured.
        importance_scores: by pair, numbers in place of the parameter's, by which elements are chosen.
        **kwargs: of the class.

    Raises: TypeError: importance_scores is no dict, or the class prunes channels.

    Example:
        >>> from specgrad.nn.utils import prune
        >>> net = sg.nn.Sequential(sg.nn.Linear(4, 4), sg.nn.Linear(4, 4))
        >>> prune.global_unstructured([(net[0], "weight"), (net[1], "weight")], prune.L1Unstructured, amount=0.5)
        >>> (net[0].weight_mask.sum() + net[1].weight_mask.sum()).item()
        16.0
    """
    pairs = list(parameters)
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores should be of type dict")
    args = [scores.get((module, name), getattr(module, name)) for module, name in pairs]
    masks = [getattr(module, name + "_mask", ones_like(getattr(module, name))) for module, name in pairs]
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of '
            f"type {method.PRUNING_TYPE}"
        )
    flat = [cat([one.detach().reshape(-1) for one in tensors]) for tensors in (args, masks)]
    chosen = container.compute_mask(flat[0], flat[1]).split([one.numel() for one in args])
    for (module, name), mask, old in zip(pairs, chosen, masks, strict=True):
        custom_from_mask(module, name, mask.view_as(old))


@completed_from(identity)
def remove(module: AnyModule, name: str) -> AnyModule:
    """Make pruned values a plain parameter again.

    Raises: ValueError: it is not pruned.
    """
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Whether a parameter of a module, or of one in it, is pruned.

    Args:
        module: the module.
    """
    hooks = (hook for inner in module.modules() for hook in inner._forward_pre_hooks.values())
    return any(isinstance(hook, BasePruningMethod) for hook in hooks)
