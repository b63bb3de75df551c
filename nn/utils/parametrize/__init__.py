"""Parametrizations: a parameter or buffer of a module is computed by other modules each time that it is read."""

from .cache import cached
from .parametrization_list import ParametrizationList
from .register import is_parametrized, register_parametrization, type_before_parametrizations
from .remove import remove_parametrizations, transfer_parametrizations_and_params

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]
