"""The parts of models for integers, which compute with floats here: there are no quantized tensors.

Also the classes of scripted modules: programs derive from the first, and ask for the others.
"""

import copy
from collections.abc import Sequence
from typing import Any

from ..generated import ops
from .docstrings import completed_from
from .modules.batchnorm import _BatchNorm
from .modules.container import Sequential
from .modules.conv import _ConvNd
from .modules.linear import Identity, Linear
from .modules.module import Module
from .modules.module.base import Module as base_Module
from .utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval


class QuantStub(Module):
    """Marks where a tensor would be quantized: the identity.

    Formula: y = x

    Args:
        qconfig: how it would be.

    Shape: Input: any. Output: the same.

    Example:
        >>> QuantStub()(sg.tensor([1.0]))
        tensor([1.])
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig is not None:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """The tensor itself."""
        return x


@completed_from(QuantStub)
class DeQuantStub(QuantStub):
    """Marks where a tensor would become one of floats again: the identity.

    Example:
        >>> DeQuantStub()(sg.tensor([1.0]))
        tensor([1.])
    """


class QuantWrapper(Module):
    """A module between the two marks.

    Formula: y = module(x)

    Args:
        module: the module.

    Shape: Those of the module.

    Raises: TypeError: it is no module.

    Example:
        >>> QuantWrapper(sg.nn.ReLU())(sg.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    def __init__(self, module: Module) -> None:
        super().__init__()
        if not isinstance(module, Module):
            raise TypeError(f"QuantWrapper(): argument 'module' must be a Module, but got {type(module).__name__}")
        self.quant, self.dequant, self.module = QuantStub(), DeQuantStub(), module
        self.train(module.training)

    def forward(self, X: Any) -> Any:
        """The module's result."""
        return self.dequant(self.module(self.quant(X)))


class FloatFunctional(Module):
    """Sums and products of two tensors as the methods of a module, whose results a hook may see.

    Formula: that of the method: x + y, x * y, x @ y or max(x + y, 0)

    Shape:
        Of `add`, `mul` and `add_relu`: two tensors that broadcast to the shape of the output. Of `matmul` and `cat`:
        as of the functions.

    Example:
        >>> FloatFunctional().add_relu(sg.tensor([-3.0, 2.0]), sg.tensor([1.0, 1.0]))
        tensor([0., 3.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process: Module = Identity()

    def forward(self, x: Any) -> Any:
        """A RuntimeError: its methods are what is called, not `x`."""
        raise RuntimeError("FloatFunctional is not intended to use the 'forward'. Please use the underlying operation")

    def add(self, x: Any, y: Any) -> Any:
        """x + y, two tensors."""
        return self.activation_post_process(ops.add(x, y))

    def add_scalar(self, x: Any, y: float) -> Any:
        """x + y, where y is a number, which no hook sees."""
        return ops.add(x, y)

    def mul(self, x: Any, y: Any) -> Any:
        """x * y, two tensors."""
        return self.activation_post_process(ops.mul(x, y))

    def mul_scalar(self, x: Any, y: float) -> Any:
        """x * y, where y is a number, which no hook sees."""
        return ops.mul(x, y)

    def cat(self, x: Sequence[Any], dim: int = 0) -> Any:
        """The tensors x, joined along dim."""
        return self.activation_post_process(ops.cat(x, dim=dim))

    def add_relu(self, x: Any, y: Any) -> Any:
        """max(x + y, 0)."""
        return self.activation_post_process(ops.relu(ops.add(x, y)))

    def matmul(self, x: Any, y: Any) -> Any:
        """x @ y."""
        return self.activation_post_process(ops.matmul(x, y))


def fuse_modules(model: Any, modules_to_fuse: Sequence[Any], inplace: bool = False, **kwargs: Any) -> Any:
    """A model for evaluation in which layers that follow each other are one: a batch norm goes into the layer before.

    Args:
        model: the model.
        modules_to_fuse: names of layers, or several lists of these: a convolution or linear layer, then a batch norm,
            an activation or both.
        inplace: whether the model itself is changed.
        **kwargs: other ways of fusing.

    Returns: The model: the first layer of each list computes all of it, the others nothing.

    Raises: NotImplementedError: the layers are no such sequence, or other ways are asked for.

    Example:
        >>> model = sg.nn.Sequential(sg.nn.Conv2d(1, 2, 3), sg.nn.BatchNorm2d(2), sg.nn.ReLU()).eval()
        >>> x = sg.ones(1, 1, 3, 3)
        >>> sg.allclose(fuse_modules(model, ["0", "1", "2"])(x), model(x), atol=1e-5)
        True
    """
    if kwargs:
        raise NotImplementedError(f"fuse_modules(): {', '.join(kwargs)} cannot be given: there is one way of fusing")
    model = model if inplace else copy.deepcopy(model)
    lists = [modules_to_fuse] if modules_to_fuse and isinstance(modules_to_fuse[0], str) else modules_to_fuse
    for names in lists:
        layers = [model.get_submodule(name) for name in names]
        for name, layer in zip(names, [_fused(layers), *(Identity() for _ in names[1:])], strict=True):
            parent, _, last = name.rpartition(".")
            setattr(model.get_submodule(parent), last, layer)
    return model


def _fused(layers: Sequence[Module]) -> Module:
    first, *rest = layers
    if not isinstance(first, _ConvNd | Linear | _BatchNorm) or any(layer.training for layer in layers) or len(rest) > 2:
        kinds = ", ".join(type(layer).__name__ for layer in layers)
        raise NotImplementedError(f"fuse_modules(): expected layers for evaluation that can be one, but got {kinds}")
    if rest and isinstance(rest[0], _BatchNorm) and isinstance(first, _ConvNd | Linear):
        norm = rest.pop(0)
        first = (
            fuse_linear_bn_eval(first, norm)
            if isinstance(first, Linear)
            else fuse_conv_bn_eval(first, norm, first.transposed)
        )
    return Sequential(first, *rest) if rest else first


class ObserverBase(Module):
    """The class of modules that note the range of tensors which are to be quantized: nothing is, and none is made.

    Raises: NotImplementedError: one is made.

    Example:
        >>> isinstance(sg.nn.Linear(2, 2), ObserverBase)
        False
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("specgrad has no quantized tensors: a model is not observed or converted to them")


class FakeQuantizeBase(ObserverBase):
    """The class of modules that round tensors as quantization would: none is made.

    Raises: NotImplementedError: one is made.

    Example:
        >>> isinstance(sg.nn.Linear(2, 2), FakeQuantizeBase)
        False
    """


class ScriptModule(base_Module):
    """A Module: what is derived from it runs as it is written; its errors are `jit.Error`s besides.

    Formula: that of the class that is derived from it

    Shape: As that class says.

    Example:
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

    Raises: RuntimeError: one is made.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"specgrad.jit.{type(self).__name__}: nothing is compiled here; modules run as they are")


class TracedModule(RecursiveScriptModule):
    """The class of modules that were traced: none are, `jit.trace` returns the module itself."""


class TopLevelTracedModule(TracedModule):
    """The class of modules that `jit.trace` returns in PyTorch: here the module itself."""
