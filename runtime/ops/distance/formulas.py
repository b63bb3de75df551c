"""Helpers of the composites of distances."""

from ...namespace import Tensor, op

MATMUL_ROWS_THRESHOLD = 25  # rows: libraries multiply more of them faster than threads subtract them


def differences_of_pairs(x: Tensor) -> Tensor:
    first, second = _pairs(x)
    return x.index_select(0, first) - x.index_select(0, second)


def added_to_pairs(x: Tensor, of_pairs: Tensor) -> Tensor:
    """What each row of x gets from the pairs that it is the first of, less what it gets from the others."""
    first, second = _pairs(x)
    return op.zeros_like(x).index_add(0, first, of_pairs).index_add(0, second, of_pairs, alpha=-1)


def _pairs(x: Tensor) -> tuple[Tensor, Tensor]:
    rows = op.arange(x._shape[0], device="cpu")
    above = (rows.unsqueeze(1) < rows).nonzero().to(x.device)
    return above.select(1, 0), above.select(1, 1)


def by_product(x1: Tensor, x2: Tensor, compute_mode: str) -> bool:
    """Whether Euclidean distances are asked for by a product of matrices; the host subtracts, which is more exact."""
    if compute_mode == "use_mm_for_euclid_dist_if_necessary" and x1.device.type != "cpu":
        return max(x1._shape[-2], x2._shape[-2]) > MATMUL_ROWS_THRESHOLD
    return x1.device.type != "cpu" and compute_mode == "use_mm_for_euclid_dist"
