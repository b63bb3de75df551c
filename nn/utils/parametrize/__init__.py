"""Parametrizations: a parameter or buffer of a module is computed by other modules each time that it is read."""

from .parametrization_list import ParametrizationList, cached
from .register import (
    is_parametrized,
    register_parametrization,
    remove_parametrizations,
    transfer_parametrizations_and_params,
    type_before_parametrizations,
)

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]
