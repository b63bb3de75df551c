"""Linear algebra under PyTorch's names."""

from .generated.ops import linalg_cholesky as cholesky
from .generated.ops import linalg_cholesky_ex as cholesky_ex
from .generated.ops import linalg_cond as cond
from .generated.ops import linalg_cross as cross
from .generated.ops import linalg_det as det
from .generated.ops import linalg_diagonal as diagonal
from .generated.ops import linalg_eig as eig
from .generated.ops import linalg_eigh as eigh
from .generated.ops import linalg_eigvals as eigvals
from .generated.ops import linalg_eigvalsh as eigvalsh
from .generated.ops import linalg_householder_product as householder_product
from .generated.ops import linalg_inv as inv
from .generated.ops import linalg_inv_ex as inv_ex
from .generated.ops import linalg_ldl_factor as ldl_factor
from .generated.ops import linalg_ldl_factor_ex as ldl_factor_ex
from .generated.ops import linalg_ldl_solve as ldl_solve
from .generated.ops import linalg_lstsq as lstsq
from .generated.ops import linalg_lu as lu
from .generated.ops import linalg_lu_factor as lu_factor
from .generated.ops import linalg_lu_factor_ex as lu_factor_ex
from .generated.ops import linalg_lu_solve as lu_solve
from .generated.ops import linalg_matmul as matmul
from .generated.ops import linalg_matrix_exp as matrix_exp
from .generated.ops import linalg_matrix_norm as matrix_norm
from .generated.ops import linalg_matrix_power as matrix_power
from .generated.ops import linalg_matrix_rank as matrix_rank
from .generated.ops import linalg_multi_dot as multi_dot
from .generated.ops import linalg_norm as norm
from .generated.ops import linalg_pinv as pinv
from .generated.ops import linalg_qr as qr
from .generated.ops import linalg_slogdet as slogdet
from .generated.ops import linalg_solve as solve
from .generated.ops import linalg_solve_ex as solve_ex
from .generated.ops import linalg_solve_triangular as solve_triangular
from .generated.ops import linalg_svd as svd
from .generated.ops import linalg_svdvals as svdvals
from .generated.ops import linalg_tensorinv as tensorinv
from .generated.ops import linalg_tensorsolve as tensorsolve
from .generated.ops import linalg_vander as vander
from .generated.ops import linalg_vecdot as vecdot
from .generated.ops import linalg_vector_norm as vector_norm
from .runtime.errors import LinAlgError

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]
