"""Modules under other names: those that they had before, which pickles hold, and PyTorch's names of optimizers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

_PACKAGE = __name__.rpartition(".")[0] + "."

# Public packages whose modules of PyTorch's names lie, each as a file of that name, in a package or in a folder of it.
WITHIN = {
    "distributions": "nn.distributions",
    "optim": "nn.optim",
}

MOVED = {
    "_lowrank": "runtime.functions.low_rank",
    "_vmap_internals": "runtime.batching",
    "autograd.profiler_util": "runtime.profiler.events",
    "cuda.graphs": "runtime.cuda.api.graphs",
    "distributions.utils": "nn.distributions.parameters",
    "nn.activation": "nn.modules.activation.sigmoid",
    "nn.adaptive_pooling": "nn.modules.pooling.adaptive",
    "nn.adaptive_softmax": "nn.modules.adaptive",
    "nn.average_pooling": "nn.modules.pooling.average",
    "nn.backward_hooks": "nn.modules.module.backward_hooks",
    "nn.batchnorm": "nn.modules.batchnorm",
    "nn.bilinear": "nn.modules.linear",
    "nn.border_padding": "nn.modules.padding",
    "nn.buffer": "nn.parameter",
    "nn.circular_padding": "nn.modules.padding",
    "nn.classification": "nn.modules.loss.classification",
    "nn.constant_padding": "nn.modules.padding",
    "nn.container": "nn.modules.container.modules",
    "nn.conv": "nn.modules.conv.convolution",
    "nn.conv_base": "nn.modules.conv.base",
    "nn.conv_transpose": "nn.modules.conv.transposed",
    "nn.ctc": "nn.modules.loss.classification",
    "nn.data.joined": "nn.data.dataset",
    "nn.dict_container": "nn.modules.container",
    "nn.distance": "nn",
    "nn.dropout": "nn.modules.dropout",
    "nn.embedding_bag": "nn.modules.sparse",
    "nn.flatten": "nn.modules.flatten",
    "nn.folding": "nn.modules.fold",
    "nn.fractional_pooling": "nn.modules.pooling.maximum",
    "nn.functional.classification": "nn.functional.loss",
    "nn.functional.feature_dropout": "nn.functional.dropout",
    "nn.functional.pooling.average": "nn.functional.pooling.window",
    "nn.functional.pooling.maximum": "nn.functional.pooling.window",
    "nn.functional.rectifier": "nn.functional.activation",
    "nn.functional.reduction": "nn.functional.loss",
    "nn.functional.upsampling": "nn.functional.resampling",
    "nn.functional_call": "nn.modules.module.functional_call",
    "nn.global_hooks": "nn.modules.module.global_hooks",
    "nn.groupnorm": "nn.modules.normalization",
    "nn.instancenorm": "nn.modules.instancenorm",
    "nn.label_losses": "nn.modules.loss.margin",
    "nn.lazy": "nn.modules.lazy",
    "nn.lazy_conv": "nn.modules.conv.lazy",
    "nn.lazy_conv_transpose": "nn.modules.conv.lazy",
    "nn.lazy_instancenorm": "nn.modules.instancenorm",
    "nn.lazy_linear": "nn.modules.linear",
    "nn.lazy_norms": "nn.modules.batchnorm",
    "nn.linear": "nn.modules.linear",
    "nn.linear_cross_entropy": "nn.modules.loss.linear_cross_entropy",
    "nn.loss": "nn.modules.loss.base",
    "nn.lstm": "nn.modules.rnn.layers",
    "nn.margin_losses": "nn.modules.loss.margin",
    "nn.module": "nn.modules.module.base",
    "nn.module_convert": "nn.modules.module.convert",
    "nn.module_hooks": "nn.modules.module.hooks",
    "nn.module_load": "nn.modules.module.load",
    "nn.module_members": "nn.modules.module.members",
    "nn.module_older": "nn.modules.module.older",
    "nn.module_state": "nn.modules.module.state",
    "nn.module_tree": "nn.modules.module.tree",
    "nn.modules.activation.rectifier_variants": "nn.modules.activation.rectifier",
    "nn.modules.activation.shrink": "nn.modules.activation.sigmoid",
    "nn.modules.loss.ctc": "nn.modules.loss.classification",
    "nn.modules.loss.labels": "nn.modules.loss.margin",
    "nn.modules.loss.triplet": "nn.modules.loss.margin",
    "nn.modules.loss.values": "nn.modules.loss.base",
    "nn.modules.pooling.fractional": "nn.modules.pooling.maximum",
    "nn.modules.pooling.lp": "nn.modules.pooling.average",
    "nn.modules.pooling.unpooling": "nn.modules.pooling.maximum",
    "nn.modules.rnn.lstm": "nn.modules.rnn.layers",
    "nn.multihead_attention": "nn.modules.activation.multihead_attention",
    "nn.norm_base": "nn.modules.batchnorm",
    "nn.norm_pooling": "nn.modules.pooling.average",
    "nn.normalization": "nn.modules.normalization",
    "nn.older_layers": "nn",
    "nn.optim.curvature": "nn.optim.lbfgs",
    "nn.optim.fused": "nn.optim.per_parameter",
    "nn.optim.groups": "nn.optim.optimizer",
    "nn.parameter_list": "nn.modules.container.parameters",
    "nn.pooling": "nn.modules.pooling.maximum",
    "nn.prelu": "nn.modules.activation.rectifier",
    "nn.rectifier": "nn.modules.activation.rectifier",
    "nn.rectifier_variants": "nn.modules.activation.rectifier",
    "nn.recurrent": "nn.modules.rnn.layers",
    "nn.recurrent_base": "nn.modules.rnn.base",
    "nn.recurrent_cell_base": "nn.modules.rnn.cells",
    "nn.recurrent_cells": "nn.modules.rnn.cells",
    "nn.recurrent_checks": "nn.modules.rnn.checks",
    "nn.repeated": "nn.modules.utils",
    "nn.shrinking": "nn.modules.activation.sigmoid",
    "nn.shuffling": "nn",
    "nn.softmax": "nn.modules.activation.softmax",
    "nn.sparse": "nn.modules.sparse",
    "nn.state_prefix": "nn.modules.utils",
    "nn.synchronized": "nn",
    "nn.transformer": "nn.modules.transformer.transformer",
    "nn.transformer_decoder_layer": "nn.modules.transformer.decoder_layer",
    "nn.transformer_encoder_layer": "nn.modules.transformer.encoder_layer",
    "nn.transformer_masks": "nn.modules.transformer.masks",
    "nn.transformer_stacks": "nn.modules.transformer.stacks",
    "nn.unpooling": "nn.modules.pooling.maximum",
    "nn.upsampling": "nn.modules.upsampling",
    "nn.value_losses": "nn.modules.loss.base",
    "optim._multi_tensor": "nn.optim",
    "runtime.autograd.dual": "runtime.autograd.forward.dual",
    "runtime.autograd.grad_mode": "runtime.modes.grad_mode",
    "runtime.checks": "runtime.dispatch.checks",
    "runtime.devices": "runtime.tensor.devices",
    "runtime.dtypes": "runtime.tensor.dtypes",
    "runtime.layouts": "runtime.tensor.memory_format",
    "runtime.lifting": "runtime.modes.intercept",
    "runtime.limits": "runtime.tensor.dtypes",
    "runtime.profiler.averages": "runtime.profiler.events",
    "runtime.profiler.schedule": "runtime.profiler.profile",
    "runtime.rebuild": "runtime.saving.rebuild",
    "runtime.registration": "runtime.dispatch.registration",
    "runtime.registry": "runtime.dispatch.registry",
    "runtime.shapes": "runtime.tensor.shapes",
    "runtime.sparse": "runtime.representations.sparse",
    "runtime.tensor.limits": "runtime.tensor.dtypes",
    "runtime.tree": "runtime.saving.tree",
    "runtime.views": "runtime.tensor.views",
}


class _Moved(Loader):
    """Gives the module that stands for a name of before; it stays what it is under its own."""

    def __init__(self, module: str) -> None:
        self.module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self.module)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has put that of the old name there


@cache
def _within(package: str, module: str) -> str | None:
    """The module that a name of a public package stands for, without our own package's name."""
    home = WITHIN.get(package)
    if home is None:
        return None
    from pkgutil import iter_modules  # few programs ask for such a module

    folders = (found.name for found in iter_modules(import_module(_PACKAGE + home).__path__) if found.ispkg)
    places = (home, *(f"{home}.{folder}" for folder in folders))
    return next((f"{p}.{module}" for p in places if find_spec(f"{_PACKAGE}{p}.{module}") is not None), None)


class Finder(MetaPathFinder):
    """Finds the modules of MOVED and WITHIN; asked last, for names that nothing else knows."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of a module that has another name now; None for others."""
        if not fullname.startswith(_PACKAGE):
            return None
        name = fullname.removeprefix(_PACKAGE)
        new = MOVED.get(name) or _within(*name.rpartition(".")[::2])
        return None if new is None else ModuleSpec(fullname, _Moved(_PACKAGE + new))


def modules_of(package: str) -> Callable[[str], ModuleType]:
    """A `__getattr__` for a public package of WITHIN: modules are loaded when they are first named.

    Args:
        package: the name of the package.
    """

    def found(name: str) -> ModuleType:
        if not name.startswith("__") and find_spec(f"{package}.{name}") is not None:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return found


sys.meta_path.append(Finder())
