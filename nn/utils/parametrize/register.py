"""Making a parameter or buffer of a module a computed attribute, and taking that away."""

import copy
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.tensor.grad_mode import no_grad
from ...modules.container import ModuleDict
from ...modules.module.base import Module
from ...parameter import Parameter
from .parametrization_list import ParametrizationList, put, read


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let a parameter or buffer be computed by a module; once more on the same, by that module after the others.

    The module gets a class of its own, whose attribute computes the tensor; the original is
    `module.parametrizations.NAME.original`. An assignment to the attribute goes through `right_inverse` of the
    parametrizations.

    Args:
        module: the module.
        tensor_name: the name of its parameter or buffer.
        parametrization: computes the tensor from the original, or with a right_inverse that gives several from them.
        unsafe: whether the result may have another dtype and shape than the original.

    Returns: The module.

    Raises: ValueError: there is no such parameter or buffer, or dtype or shape change and `unsafe` is not set.

    Example:
        >>> class Symmetric(sg.nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        >>> layer = sg.nn.utils.parametrize.register_parametrization(sg.nn.Linear(3, 3), "weight", Symmetric())
        >>> bool((layer.weight == layer.weight.T).all())
        True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        _append(module, tensor_name, parametrization, unsafe)
    elif tensor_name in module._parameters or tensor_name in module._buffers:
        _begin(module, tensor_name, parametrization, unsafe)
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _begin(module: Any, name: str, parametrization: Module, unsafe: bool) -> None:
    parametrizations = ParametrizationList([parametrization], getattr(module, name), unsafe)
    delattr(module, name)
    if not is_parametrized(module):
        _give_own_class(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), name, _computed(name))
    module.parametrizations[name] = parametrizations


def _give_own_class(module: Any) -> None:
    """A subclass for this module alone: attributes can be computed by a class only."""
    cls = type(module)

    def __getstate__(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(): save "
            "module.state_dict(), and load it into a module with the same parametrizations."
        )

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        twin = memo[id(self)] = self.__new__(type(self))
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin

    body: dict[str, Any] = {"__getstate__": __getstate__, "__module__": cls.__module__, "__doc__": cls.__doc__}
    if not hasattr(cls, "__deepcopy__"):
        body["__deepcopy__"] = __deepcopy__
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), body)


def _computed(name: str) -> property:
    def get(self: Any) -> Any:
        return read(self, name, self.parametrizations[name])

    def put(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(get, put)


def _append(module: Any, name: str, parametrization: Any, unsafe: bool) -> None:
    parametrizations = module.parametrizations[name]
    if not unsafe:
        value = getattr(module, name)
        _check("parametrization(module.{name})", name, value, parametrization(value))
        if hasattr(parametrization, "right_inverse"):
            _check("returned", name, value, parametrization.right_inverse(value))
    parametrizations.append(parametrization)
    parametrizations.unsafe |= unsafe


def _check(what: str, name: str, value: Tensor, new: Any) -> None:
    forward = what != "returned"
    if not isinstance(new, Tensor):
        who = "A parametrization must" if forward else "parametrization.right_inverse must"
        raise ValueError(f"{who} return a tensor. Got{'' if forward else ':'} {type(new).__name__}" + "." * forward)
    for kind, before, after in (("dtype", value.dtype, new.dtype), ("shape", value.shape, new.shape)):
        if before != after:
            start = (
                f"Registering a parametrization may not change the {kind} of the tensor"
                if forward
                else f"The tensor returned by parametrization.right_inverse must have the same {kind} as module.{name}"
            )
            label = f"{what.format(name=name)}.{kind}" if forward else f"returned {kind}"
            raise ValueError(
                f"{start}, unless the `unsafe` flag is enabled.\nmodule.{name}.{kind}: {before}\n{label}: {after}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrizations; or those of one tensor.

    Args:
        module: the module.
        tensor_name: the name of a parameter or buffer; any when left out.

    Example:
        >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> [sg.nn.utils.parametrize.is_parametrized(layer, name) for name in ("weight", "bias")]
        [True, False]
    """
    cached = module._modules.get("parametrizations")
    if not isinstance(cached, ModuleDict):
        return False
    return len(cached) > 0 if tensor_name is None else tensor_name in cached


def type_before_parametrizations(module: Module) -> type:
    """The class of a module as it was before it was parametrized.

    Args:
        module: the module.

    Example:
        >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> sg.nn.utils.parametrize.type_before_parametrizations(layer).__name__
        'Linear'
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make a parametrized tensor a parameter or buffer again.

    Args:
        module: the module.
        tensor_name: the name of the tensor.
        leave_parametrized: keep the value that was computed; otherwise that of the original.

    Returns: The module.

    Raises: ValueError: the tensor is not parametrized, or the value of several originals should be kept.

    Example:
        >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> [name for name, _ in sg.nn.utils.parametrize.remove_parametrizations(layer, "weight").named_parameters()]
        ['bias', 'weight']
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations: Any = module.parametrizations
    retained = _removed_value(module, tensor_name, parametrizations[tensor_name], leave_parametrized)
    delattr(type(module), tensor_name)
    del parametrizations[tensor_name]
    put(module, tensor_name, retained)
    if not len(parametrizations):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def _removed_value(module: Module, name: str, parametrizations: Any, leave_parametrized: bool) -> Any:
    """The tensor after removal: the original itself where there is one, as an optimizer may hold it."""
    if not leave_parametrized:
        if not parametrizations.is_tensor:
            raise ValueError(
                "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
                "sequence of tensors."
            )
        return parametrizations.original
    with no_grad():
        value = getattr(module, name).detach()
    if parametrizations.is_tensor:
        parametrizations.original.data = value
        return parametrizations.original
    first = _first_original(parametrizations)
    return Parameter(value, first.requires_grad) if isinstance(first, Parameter) else value


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give a module the parametrizations of another, and the parameters that they are about; both share them.

    Args:
        from_module: the module whose parametrizations are taken; it keeps them.
        to_module: the module that gets them.
        tensor_name: the name of one tensor; all that are parametrized when left out.

    Returns: `to_module`.

    Example:
        >>> first = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> second = sg.nn.utils.parametrize.transfer_parametrizations_and_params(first, sg.nn.Linear(2, 3))
        >>> bool((second.weight == first.weight).all())
        True
    """
    if not is_parametrized(from_module):
        return to_module
    parametrized: Any = from_module.parametrizations
    names = list(parametrized) if tensor_name is None else [tensor_name]
    for name in names:
        parametrizations = parametrized[name]
        if not hasattr(to_module, name):
            put(to_module, name, copy.deepcopy(_first_original(parametrizations)))
        for parametrization in parametrizations:
            register_parametrization(to_module, name, parametrization, unsafe=True)
        shared: Any = to_module.parametrizations
        _share(parametrizations, shared[name])
    return to_module


def _first_original(parametrizations: Any) -> Any:
    return parametrizations.original if parametrizations.is_tensor else parametrizations.original0


def _share(source: Any, target: Any) -> None:
    target._parameters.update(source._parameters)
    target._buffers.update(source._buffers)
