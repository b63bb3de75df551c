"""Helpers of the composites of distances."""

from ...namespace import Tensor
from ..reduction.formulas import gradient_of_norm

MATMUL_ROWS_THRESHOLD = 25  # rows: libraries multiply more of them faster than threads subtract them


def row_distances_backward(grad: Tensor, x1: Tensor, x2: Tensor, distance: Tensor, p: float) -> tuple[Tensor, Tensor]:
    """The gradients of both matrices."""
    of_differences = grad.unsqueeze(-1) * _derivatives(x1, x2, distance, p)
    return of_differences.sum(-2), -of_differences.sum(-3)


def row_distances_tangent(x1_t: Tensor, x2_t: Tensor, x1: Tensor, x2: Tensor, distance: Tensor, p: float) -> Tensor:
    return (_derivatives(x1, x2, distance, p) * (x1_t.unsqueeze(-2) - x2_t.unsqueeze(-3))).sum(-1)


def _derivatives(x1: Tensor, x2: Tensor, distance: Tensor, p: float) -> Tensor:
    return gradient_of_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), distance.unsqueeze(-1), p, -1)


def on_host(x: Tensor) -> bool:
    return x.device.type == "cpu"


def by_product(x1: Tensor, x2: Tensor, compute_mode: str) -> bool:
    """Whether Euclidean distances are asked for by a product of matrices; the host subtracts, which is more exact."""
    if compute_mode == "use_mm_for_euclid_dist_if_necessary" and x1.device.type != "cpu":
        return max(x1._shape[-2], x2._shape[-2]) > MATMUL_ROWS_THRESHOLD
    return x1.device.type != "cpu" and compute_mode == "use_mm_for_euclid_dist"
