"""Special functions under PyTorch's names."""

from .generated.ops import (
    erf,
    erfc,
    exp2,
    expm1,
    log1p,
    log_softmax,
    logsumexp,
    round,
    softmax,
)
from .generated.ops import sigmoid as expit

__all__ = ["erf", "erfc", "exp2", "expit", "expm1", "log1p", "log_softmax", "logsumexp", "round", "softmax"]
