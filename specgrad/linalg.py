"""Linear algebra under PyTorch's names."""

from .generated.ops import linalg_cross as cross
from .generated.ops import linalg_diagonal as diagonal
from .generated.ops import linalg_matmul as matmul
from .generated.ops import linalg_multi_dot as multi_dot
from .generated.ops import linalg_vander as vander
from .generated.ops import linalg_vecdot as vecdot

__all__ = ["cross", "diagonal", "matmul", "multi_dot", "vander", "vecdot"]
