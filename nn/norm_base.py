"""What norms with running statistics share."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from ..runtime.creation import empty, ones, tensor, zeros
from ..runtime.dtypes import int64
from . import init
from .module import Module
from .parameter import Parameter


class NormBase(Module):
    """Parameters and running statistics of one number per channel; a subclass says what is normalised with them."""

    _version = 2  # num_batches_tracked is part of the state since 2
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None
    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = checks.integer(type(self).__name__, "num_features", num_features)
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        factory = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(empty(num_features, **factory)) if affine else None)
        self.register_parameter("bias", Parameter(empty(num_features, **factory)) if affine and bias else None)
        kept = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, **factory) if kept else None)
        self.register_buffer("running_var", ones(num_features, **factory) if kept else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device) if kept else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the batches seen: mean 0, variance 1."""
        if self.track_running_stats:
            assert self.running_mean is not None
            assert self.running_var is not None
            assert self.num_batches_tracked is not None
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Forget what was learned and the batches seen."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any) -> None:
        counter = prefix + "num_batches_tracked"
        if (local_metadata.get("version") or 0) < 2 and self.track_running_stats and counter not in state_dict:
            state_dict[counter] = self.num_batches_tracked if self.num_batches_tracked is not None else tensor(0)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)
