"""What PyTorch's files of layers have imported, and programs import from there: `F`, `init`, other layers."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...runtime.unknown_names import no_attribute

_PACKAGE = __name__.partition(".")[0]
_MODULES = {"F": "nn.functional", "init": "nn.init", "_Reduction": "nn._reduction", "_VF": "_VF", "torch": ""}
_LENDERS = ("nn", "nn.init", "")  # whose public names are borrowed, and those of
_SHAPES = ("nn.modules.utils", "nn.common_types")


def borrowed(module: str, *lender_modules: str) -> Callable[[str], Any]:
    """A `__getattr__` for a file of layers: a public name of `homes` (`nn`, `nn.init`) or the package, or an ntuple."""
    lenders = (*lender_modules, "") if lender_modules else _LENDERS

    def find(name: str) -> Any:
        if name in _MODULES:
            return import_module(f"{_PACKAGE}.{_MODULES[name]}".rstrip("."))
        for module_name in () if name.startswith("__") else (*lenders, *_SHAPES):
            result = import_module(f"{_PACKAGE}.{module_name}".rstrip("."))
            if name in (vars(result) if module_name in _SHAPES else result.__all__):
                return getattr(result, name)
        raise no_attribute(module, name)

    return find
