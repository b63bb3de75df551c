"""References of the section linalg of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def linalg_solve(A, B, left):
    vectors = B.ndim == 1 or B.shape == A.shape[:-1] and A.ndim > 2
    return (
        np.linalg.solve(A, B[..., None])[..., 0] if vectors else np.linalg.solve(A, B) if left else B @ np.linalg.inv(A)
    )


def linalg_solve_ex(A, B, left):
    vectors = B.ndim == 1 or B.shape == A.shape[:-1] and A.ndim > 2
    return (
        np.linalg.solve(A, B[..., None])[..., 0]
        if vectors
        else np.linalg.solve(A, B)
        if left
        else B @ np.linalg.inv(A),
        np.zeros(A.shape[:-2], int),
    )


def solve_triangular_matrices(A, B, upper, unitriangular):
    T = np.triu(A) if upper else np.tril(A)
    return np.linalg.solve(T if not unitriangular else T - T * np.eye(T.shape[-1]) + np.eye(T.shape[-1]), B)


def linalg_solve_triangular(self, B, upper, left, unitriangular):
    T = np.triu(self) if upper else np.tril(self)
    T1 = np.linalg.inv(T * (1 - np.eye(T.shape[-1])) + np.eye(T.shape[-1]) if unitriangular else T)
    return T1 @ B if left else B @ T1


def cofactors_along(self, direction):
    inverse = np.linalg.inv(self).swapaxes(-2, -1)
    trace = (inverse * direction).sum((-2, -1))[..., None, None]
    det = np.linalg.det(self)[..., None, None]
    return det * (trace * inverse - inverse @ direction.swapaxes(-2, -1) @ inverse)


def cofactors(self):
    return (
        np.moveaxis(
            np.array(
                [
                    [
                        (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(self, i, -2), j, -1))
                        for j in range(self.shape[-1])
                    ]
                    for i in range(self.shape[-1])
                ]
            ),
            (0, 1),
            (-2, -1),
        )
        if self.size
        else self
    )


def triangular_solve(self, A, upper, transpose, unitriangular):
    T = np.triu(A) if upper else np.tril(A)
    T1 = T * (1 - np.eye(T.shape[-1])) + np.eye(T.shape[-1]) if unitriangular else T
    return (
        np.linalg.inv(np.swapaxes(T1, -1, -2) if transpose else T1) @ self,
        np.broadcast_to(A, (*self.shape[:-2], *A.shape[-2:])),
    )


def cholesky_solve(self, input2, upper):
    T = np.conj(np.swapaxes(np.triu(input2), -1, -2)) if upper else np.tril(input2)
    return np.linalg.inv(T @ np.conj(np.swapaxes(T, -1, -2))) @ self


def cholesky_inverse(self, upper):
    T = np.conj(np.swapaxes(np.triu(self), -1, -2)) if upper else np.tril(self)
    return np.linalg.inv(T @ np.conj(np.swapaxes(T, -1, -2)))


def linalg_norm(self, ord, dim, keepdim):
    return (
        np.linalg.norm(self, ord, axis=dim, keepdims=keepdim)
        if dim or ord is not None
        else np.sqrt(np.sum(np.abs(self) ** 2, keepdims=keepdim))
    )


def pseudo_inverse(self, atol, rtol):
    return (
        np.linalg.pinv(self, np.maximum(rtol, atol / np.linalg.norm(self, 2, (-2, -1))))
        if self.size
        else np.swapaxes(self, -2, -1)
    )


def linalg_pinv_atol_rtol_tensor(self, atol, rtol, hermitian):
    return np.linalg.pinv(
        self,
        (0 if rtol is None else rtol) if atol is None else np.max(atol / np.linalg.svd(self)[1][..., 0]),
        hermitian,
    )


def linalg_matrix_rank_atol_rtol_float(self, atol, rtol, hermitian):
    S = np.linalg.svd(self, compute_uv=False, hermitian=hermitian)
    return np.sum(
        S
        > np.maximum(
            atol or 0, S[..., :1] * ((0 if atol else max(self.shape[-2:]) * 2.0**-52) if rtol is None else rtol)
        ),
        -1,
    )


def linalg_matrix_rank_atol_rtol_tensor(input, atol, rtol, hermitian):
    S = np.linalg.svd(input, compute_uv=False, hermitian=hermitian)
    return np.sum(
        S > np.maximum(0 if atol is None else atol[..., None], (0 if rtol is None else rtol[..., None]) * S[..., :1]),
        -1,
    )


def linalg_lstsq(self, b, rcond, driver):
    B = b if b.ndim == self.ndim else b[..., None]
    R = np.linalg.matrix_rank(self, rtol=rcond)
    S = np.linalg.svd(self)[1]
    X = np.linalg.pinv(self, 1e-15 if rcond is None or driver == "gels" else rcond) @ B
    more = self.shape[-2] > self.shape[-1]
    return (
        X if B is b else X[..., 0],
        np.square(abs(self @ X - B)).sum(-2)
        if more and driver == "gels" or more and driver in ("gelsd", "gelss") and R.min() == self.shape[-1]
        else np.empty(0),
        np.empty(0, int) if driver == "gels" else R,
        S if driver in ("gelsd", "gelss") else np.empty(0),
    )


def reflected_columns(input, tau):
    product = scipy.linalg.get_lapack_funcs("orgqr", (input,))
    each = np.vectorize(lambda a, t: product(a, t)[0], signature="(m,n),(k)->(m,n)")
    return each(input, tau)


def linalg_householder_product(input, tau):
    product = scipy.linalg.get_lapack_funcs("ungqr" if input.dtype.kind == "c" else "orgqr", (input,))
    each = np.vectorize(lambda a, t: product(a, t)[0], signature="(m,n),(k)->(m,n)")
    return each(input, tau)


def geqrf(self):
    reflect = scipy.linalg.get_lapack_funcs("geqrt", (self,))
    each = np.vectorize(
        lambda a: (lambda packed, t, info: (packed, np.diag(t)))(*reflect(min(a.shape), a)),
        signature="(m,n)->(m,n),(k)",
    )
    return each(self)


def ormqr(self, input2, input3, left, transpose):
    v = np.tril(self, -1) + np.eye(*self.shape)
    Q = np.linalg.multi_dot([np.eye(len(v)) - t * np.outer(x, x.conj()) for t, x in zip(input2, v.T)])
    Q1 = Q.conj().T if transpose else Q
    return Q1 @ input3 if left else input3 @ Q1


def lu_packed(self):
    found = scipy.linalg.lu_factor(self)
    packed = found[0]
    swaps = found[1]
    zero = np.diagonal(packed, 0, -2, -1) == 0
    return (packed, swaps + 1, zero.any(-1) * (zero.argmax(-1) + 1))


def row_order(pivots, rows):
    swap = scipy.linalg.get_lapack_funcs("laswp")
    each = np.vectorize(lambda p: swap(np.eye(rows), p - 1).argmax(-1), signature="(k)->(n)")
    return each(pivots)


def linalg_lu_factor(A):
    found = scipy.linalg.lu_factor(A)
    return (found[0], found[1] + 1)


def linalg_lu_factor_ex(A):
    found = scipy.linalg.lu_factor(A)
    return (found[0], found[1] + 1, np.array(0))


def lu(self, get_infos):
    found = scipy.linalg.lu_factor(self)
    LU = found[0]
    swaps = found[1]
    zero = np.diagonal(LU, 0, -2, -1) == 0
    return (LU, swaps + 1, zero.any(-1) * (zero.argmax(-1) + 1))[: 2 + get_infos]


def lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots):
    m = len(LU_data)
    k = min(LU_data.shape)
    return (
        scipy.linalg.lu_solve((np.eye(m), np.append(LU_pivots - 1, np.arange(k, m)).astype(int)), np.eye(m)).T.astype(
            LU_data.dtype
        )
        if unpack_pivots
        else LU_data[:0, 0],
        np.tril(LU_data, -1)[:, :k] + np.eye(m, k) if unpack_data else LU_data[:0, 0],
        np.triu(LU_data)[:k] if unpack_data else LU_data[:0, 0],
    )


def linalg_lu_solve(LU, pivots, B, left, adjoint):
    M = np.stack(
        [
            scipy.linalg.lu_solve((each, swaps - 1), np.eye(len(each)))
            for each, swaps in zip(LU.reshape(-1, *LU.shape[-2:]), pivots.reshape(-1, LU.shape[-1]))
        ]
    ).reshape(LU.shape)
    M1 = np.swapaxes(M.conj(), -1, -2) if adjoint else M
    return M1 @ B if left else B @ M1


def ldl_packed(self, hermitian):
    solve = scipy.linalg.get_lapack_funcs("hesv" if hermitian and self.dtype.kind == "c" else "sysv", (self,))
    each = np.vectorize(
        lambda a: (lambda packed, swaps, x, info: (np.tril(packed), swaps, info))(*solve(a, a[:, :1], lower=1)),
        signature="(n,n)->(n,n),(n),()",
    )
    return each(self)


def linalg_ldl_factor(self, hermitian):
    solve = scipy.linalg.get_lapack_funcs("hesv" if hermitian and self.dtype.kind == "c" else "sysv", (self,))
    each = np.vectorize(
        lambda a: (lambda packed, swaps, x, info: (np.tril(packed), swaps))(*solve(a, a[:, :1], lower=1)),
        signature="(n,n)->(n,n),(n)",
    )
    return each(self)


def linalg_ldl_factor_ex(self, hermitian):
    solve = scipy.linalg.get_lapack_funcs("hesv" if hermitian and self.dtype.kind == "c" else "sysv", (self,))
    each = np.vectorize(
        lambda a: (lambda packed, swaps, x, info: (np.tril(packed), swaps, info))(*solve(a, a[:, :1], lower=1)),
        signature="(n,n)->(n,n),(n),()",
    )
    return each(self)


def ldl_solve_matrices(LD, pivots, B, hermitian):
    unpack = scipy.linalg.get_lapack_funcs("syconv", (LD,))
    swap = scipy.linalg.get_lapack_funcs("laswp", (LD,))
    turn = lambda X: X.conj().T if hermitian else X.T
    I = np.eye(LD.shape[-1])
    places = lambda p: np.where(p > 0, p - 1, np.where(np.cumsum(p < 0) % 2, np.arange(len(p)), -p - 1))
    lower = lambda L, p: swap(I, places(p)).T @ (np.tril(L, -1) + I)
    midpoint = lambda L, beside: np.diag(np.diag(L)) + np.diag(beside[:-1], -1) + turn(np.diag(beside[:-1], -1))
    whole = lambda L, beside, p: lower(L, p) @ midpoint(L, beside) @ turn(lower(L, p))
    solve = lambda F, p, b: np.linalg.solve(whole(*unpack(F, p, lower=1)[:2], p), b)
    each = np.vectorize(solve, signature="(n,n),(n),(n,k)->(n,k)")
    return each(LD, pivots, B)


def linalg_ldl_solve(LD, pivots, B, hermitian):
    unpack = scipy.linalg.get_lapack_funcs("syconv", (LD,))
    swap = scipy.linalg.get_lapack_funcs("laswp", (LD,))
    turn = lambda X: X.conj().T if hermitian else X.T
    I = np.eye(LD.shape[-1])
    places = lambda p: np.where(p > 0, p - 1, np.where(np.cumsum(p < 0) % 2, np.arange(len(p)), -p - 1))
    lower = lambda L, p: swap(I, places(p)).T @ (np.tril(L, -1) + I)
    midpoint = lambda L, beside: np.diag(np.diag(L)) + np.diag(beside[:-1], -1) + turn(np.diag(beside[:-1], -1))
    whole = lambda L, beside, p: lower(L, p) @ midpoint(L, beside) @ turn(lower(L, p))
    solve = lambda F, p, b: np.linalg.solve(whole(*unpack(F, p, lower=1)[:2], p), b)
    each = np.vectorize(solve, signature="(n,n),(n),(n,k)->(n,k)")
    return each(LD, pivots, B)


def orgqr(self, input2):
    product = scipy.linalg.get_lapack_funcs("ungqr" if self.dtype.kind == "c" else "orgqr", (self,))
    each = np.vectorize(lambda a, t: product(a, t)[0], signature="(m,n),(k)->(m,n)")
    return each(self, input2)
