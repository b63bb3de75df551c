"""Initial values of parameters. Each function fills a tensor in place, without recording, and returns it."""

from .deprecated_names import old_name as __getattr__  # noqa: F401
from .fill import constant_, dirac_, eye_, normal_, ones_, orthogonal_, sparse_, trunc_normal_, uniform_, zeros_
from .scaled import _calculate_fan_in_and_fan_out as _calculate_fan_in_and_fan_out  # many programs call it
from .scaled import calculate_gain, kaiming_normal_, kaiming_uniform_, uniform_fan_in_, xavier_normal_, xavier_uniform_

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "uniform_fan_in_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]
