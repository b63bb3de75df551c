"""The layer around `rms_rows`."""

from specgrad import Tensor, nn, ones

from .generated import rms_rows


class RowNorm(nn.Module):
    """Rows of one size, with a gain for each column, which it learns."""

    def __init__(self, features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.gain = nn.Parameter(ones(features))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return rms_rows(x, self.gain, self.eps)
