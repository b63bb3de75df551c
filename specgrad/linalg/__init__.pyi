"""PyTorch's `torch.linalg`, by names: written from `torch_names.py`."""

from specgrad.generated.ops import (
    linalg_cholesky,
    linalg_cholesky_ex,
    linalg_cond,
    linalg_cross,
    linalg_det,
    linalg_diagonal,
    linalg_eig,
    linalg_eigh,
    linalg_eigvals,
    linalg_eigvalsh,
    linalg_householder_product,
    linalg_inv,
    linalg_inv_ex,
    linalg_ldl_factor,
    linalg_ldl_factor_ex,
    linalg_ldl_solve,
    linalg_lstsq,
    linalg_lu,
    linalg_lu_factor,
    linalg_lu_factor_ex,
    linalg_lu_solve,
    linalg_matmul,
    linalg_matrix_exp,
    linalg_matrix_norm,
    linalg_matrix_power,
    linalg_matrix_rank,
    linalg_multi_dot,
    linalg_norm,
    linalg_pinv,
    linalg_qr,
    linalg_slogdet,
    linalg_solve,
    linalg_solve_ex,
    linalg_solve_triangular,
    linalg_svd,
    linalg_svdvals,
    linalg_tensorinv,
    linalg_tensorsolve,
    linalg_vander,
    linalg_vecdot,
    linalg_vector_norm,
)
from specgrad.runtime.errors import LinAlgError as LinAlgError

cholesky = linalg_cholesky
cholesky_ex = linalg_cholesky_ex
cond = linalg_cond
cross = linalg_cross
det = linalg_det
diagonal = linalg_diagonal
eig = linalg_eig
eigh = linalg_eigh
eigvals = linalg_eigvals
eigvalsh = linalg_eigvalsh
householder_product = linalg_householder_product
inv = linalg_inv
inv_ex = linalg_inv_ex
ldl_factor = linalg_ldl_factor
ldl_factor_ex = linalg_ldl_factor_ex
ldl_solve = linalg_ldl_solve
lstsq = linalg_lstsq
lu = linalg_lu
lu_factor = linalg_lu_factor
lu_factor_ex = linalg_lu_factor_ex
lu_solve = linalg_lu_solve
matmul = linalg_matmul
matrix_exp = linalg_matrix_exp
matrix_norm = linalg_matrix_norm
matrix_power = linalg_matrix_power
matrix_rank = linalg_matrix_rank
multi_dot = linalg_multi_dot
norm = linalg_norm
pinv = linalg_pinv
qr = linalg_qr
slogdet = linalg_slogdet
solve = linalg_solve
solve_ex = linalg_solve_ex
solve_triangular = linalg_solve_triangular
svd = linalg_svd
svdvals = linalg_svdvals
tensorinv = linalg_tensorinv
tensorsolve = linalg_tensorsolve
vander = linalg_vander
vecdot = linalg_vecdot
vector_norm = linalg_vector_norm
