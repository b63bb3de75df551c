"""Names of `torch.serialization` about classes: of storages and tensors of a dtype, and versions of modules."""

from __future__ import annotations

import warnings
from typing import Any

from ..creation.legacy import TYPES
from ..sharing.storages.legacy import STORAGES


class SourceChangeWarning(Warning):
    """The source of a class is another one than when it was saved; never given, as files hold no source."""


def normalize_storage_type(storage_type: Any) -> Any:
    """The class of storages on the CPU that has the name of another: `FloatStorage` for `cuda.FloatStorage`.

    Args:
        storage_type: the class.
    """
    return STORAGES[storage_type.__name__]


def storage_to_tensor_type(storage: Any) -> Any:
    """The class of tensors of a storage's dtype: `FloatTensor`.

    Args:
        storage: a typed storage.
    """
    return TYPES[f"{storage.dtype.scalar_type}Tensor"]


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple[Any, ...], error_if_malformed: bool = True
) -> bool:
    """Whether a module's `__version__` is at least a version.

    Args:
        module: the module.
        req_version_tuple: the version, part by part.
        error_if_malformed: whether a version of other parts is an error; else a warning.

    Raises:
        RuntimeError: the version has other parts.
    """
    try:
        parts = module.__version__.split(".")
        result = tuple(type(requested)(part) for requested, part in zip(req_version_tuple, parts, strict=False))
        return result >= req_version_tuple
    except Exception as error:
        message = f"'{module.__name__}' module version string is malformed '{module.__version__}'"
        if error_if_malformed:
            raise RuntimeError(message) from error
        warnings.warn(f"{message}, but continuing assuming that requirement is met", stacklevel=2)
        return True
