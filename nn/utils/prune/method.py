"""What all ways of pruning do: keep the parameter, put a mask beside it, and apply the mask before each forward."""

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.ops.creation import ones_like
from ...modules.module.base import Module
from ...parameter import Parameter


class BasePruningMethod(ABC):
    """A way of pruning: a subclass has a PRUNING_TYPE and says by `compute_mask` which elements stay.

    PRUNING_TYPE is 'unstructured', 'structured' or 'global': what of a mask is looked at by one that comes after it.
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask for a tensor of importances `t`: 1 for what stays; `default_mask` is that of earlier prunings."""

    def apply_mask(self, module: Module) -> Tensor:
        """The parameter of `module` times its mask."""
        if not hasattr(self, "_tensor_name"):
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> "BasePruningMethod":
        """Prune the parameter `name` of `module`, again where it is pruned already.

        `args` and `kwargs` are those of this class. Elements are chosen by `importance_scores` in place of the
        parameter.
        """
        method = _combined_mask(cls(*args, **kwargs), module, name)
        original = getattr(module, name)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise AssertionError("importance_scores should have the same shape as parameter")
        if not isinstance(method, PruningContainer):  # the first: the parameter goes under another name
            module.register_parameter(name + "_orig", module._parameters.pop(name))
            default = ones_like(original)
        else:
            default = getattr(module, name + "_mask").detach().clone()
        try:
            module.register_buffer(name + "_mask", method.compute_mask(scores, default_mask=default))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not isinstance(method, PruningContainer):
                module.register_parameter(name, module._parameters.pop(name + "_orig"))
            raise
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """The tensor `t` times the mask that is computed for it, or for `importance_scores`, after `default_mask`."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        default = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Module) -> None:
        """Make the pruned values of `module` a plain parameter again."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        if not isinstance(original, Parameter):
            raise AssertionError(f"{name}_orig is no parameter")
        original.data = weight.detach()
        del module._buffers[name + "_mask"]
        module.register_parameter(name, original)


class PruningContainer(BasePruningMethod):
    """Several prunings of one parameter, each of what those before have left.

    Args:
        *args: the prunings, all of one parameter.

    Raises:
        TypeError: one of them is none.
        ValueError: they are of several parameters.
    """

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        for method in args:
            self._tensor_name = getattr(self, "_tensor_name", method._tensor_name)
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Add a pruning, `method`, behind the others."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of the last pruning for what `default_mask` has left of `t`, together with `default_mask`."""
        method = self._pruning_methods[-1]
        chosen = _left(method, default_mask)
        mask = default_mask.clone()
        partial = method.compute_mask(t[chosen], default_mask=default_mask[chosen])
        mask[chosen] = partial.to(mask.dtype)
        return mask


def _left(method: BasePruningMethod, mask: Tensor) -> Any:
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "global":
        return tuple(slice(None) for _ in mask.shape)
    if method.PRUNING_TYPE != "structured":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    dim = getattr(method, "dim", 0) % mask.dim()
    others = [d for d in range(mask.dim()) if d != dim]
    retained = (mask.sum(others) != 0) if others else mask != 0
    return (*(slice(None) for _ in range(dim)), retained)


def _combined_mask(method: BasePruningMethod, module: Module, name: str) -> BasePruningMethod:
    method._tensor_name = name
    matches = [
        (number, hook)
        for number, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]
    if not matches:
        return method
    number, earlier = matches[0]
    del module._forward_pre_hooks[number]
    if not isinstance(earlier, PruningContainer):
        earlier = PruningContainer(earlier)
    earlier.add_pruning_method(method)
    return earlier


Amount = int | float


def check_amount(amount: Amount) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if (isinstance(amount, numbers.Integral) and amount < 0) or (
        not isinstance(amount, numbers.Integral) and not 0.0 <= float(amount) <= 1.0
    ):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def number_to_prune(amount: Amount, units: int) -> int:
    """The number that an amount of units is; a ValueError where there are fewer units."""
    if isinstance(amount, numbers.Integral):
        if amount > units:
            raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={units}")
        return int(amount)
    return round(amount * units)


def check_structured(t: Tensor, dim: int) -> None:
    if t.dim() <= 1:
        raise ValueError(
            f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {t.shape} with "
            f"{t.dim()} dims"
        )
    if dim >= t.dim() or dim < -t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")
