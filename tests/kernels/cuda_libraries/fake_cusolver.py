"""cuSOLVER as a fake: calls are read back into what the simulated libraries compute."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernels.cuda_libraries.fake_cublas import FillMode, Operation
from tests.kernels.cuda_libraries.fake_nvmath import FORMATS, FakeLibrary, is_of_device
from tests.kernels.cuda_libraries.nvmath_record import enumeration

EigMode = enumeration("cusolver.EigMode")


def real_of(dtype: Any) -> Any:
    return np.zeros(0, dtype).real.dtype


class FakeCusolverDn(FakeLibrary):
    """`nvmath.bindings.cusolverDn`. Memory that a routine says it needs must be there, whole, when it works."""

    name = "cusolverDn"

    def lend(self, handle: int, dtype: Any, address: int, count: int, needed: int) -> int:
        """The stream of a handle, which may use elements of memory from now on."""
        assert count >= needed, f"a workspace of {count} elements, of {needed} that are needed"
        stream = self.stream(handle)
        self.world.lend(address, count * np.dtype(dtype).itemsize, stream)
        return stream

    def do_potrf_buffer_size(self, dtype: Any, handle: int, uplo: int, n: int, a: int, lda: int) -> int:
        assert uplo == FillMode["LOWER"] and lda >= n
        return 3 * n + 1

    def do_potrf(
        self, dtype: Any, handle: int, uplo: int, n: int, a: int, lda: int, workspace: int, lwork: int, dev_info: int
    ) -> None:
        needed = self.do_potrf_buffer_size(dtype, handle, uplo, n, a, lda)
        stream = self.lend(handle, dtype, workspace, lwork, needed)
        self.world.simulated.potrf(dtype, n, a, lda, dev_info, stream)

    def do_potrf_batched(
        self, dtype: Any, handle: int, uplo: int, n: int, aarray: int, lda: int, info_array: int, batch_size: int
    ) -> None:
        assert uplo == FillMode["LOWER"]
        stream = self.stream(handle)
        for k, matrix in enumerate(self.world.numbers_at(aarray, batch_size, stream)):
            self.world.simulated.potrf(dtype, n, matrix, lda, info_array + 4 * k, stream)

    def do_getrf_buffer_size(self, dtype: Any, handle: int, m: int, n: int, a: int, lda: int) -> int:
        assert lda >= m
        return 2 * m + n

    def do_getrf(
        self, dtype: Any, handle: int, m: int, n: int, a: int, lda: int, workspace: int, dev_ipiv: int, dev_info: int
    ) -> None:
        needed = self.do_getrf_buffer_size(dtype, handle, m, n, a, lda)
        stream = self.lend(handle, dtype, workspace, needed, needed)
        self.world.simulated.getrf(dtype, m, n, a, lda, dev_ipiv, dev_info, stream)

    def do_getrs(
        self, dtype: Any, handle: int, trans: int, n: int, nrhs: int, a: int, lda: int, dev_ipiv: int, b: int, ldb: int,
        dev_info: int,
    ) -> None:  # fmt: skip
        assert trans == Operation["N"]
        self.world.simulated.getrs(dtype, n, nrhs, a, lda, dev_ipiv, b, ldb, dev_info, self.stream(handle))

    def do_geqrf_buffer_size(self, dtype: Any, handle: int, m: int, n: int, a: int, lda: int) -> int:
        assert lda >= m
        return m + 5 * n

    def do_geqrf(
        self, dtype: Any, handle: int, m: int, n: int, a: int, lda: int, tau: int, workspace: int, lwork: int,
        dev_info: int,
    ) -> None:  # fmt: skip
        needed = self.do_geqrf_buffer_size(dtype, handle, m, n, a, lda)
        stream = self.lend(handle, dtype, workspace, lwork, needed)
        self.world.simulated.geqrf(dtype, m, n, a, lda, tau, dev_info, stream)

    def do_orgqr_buffer_size(self, dtype: Any, handle: int, m: int, n: int, k: int, a: int, lda: int, tau: int) -> int:
        assert m >= n >= k
        return 4 * n + m

    def do_orgqr(
        self, dtype: Any, handle: int, m: int, n: int, k: int, a: int, lda: int, tau: int, work: int, lwork: int,
        info: int,
    ) -> None:  # fmt: skip
        needed = self.do_orgqr_buffer_size(dtype, handle, m, n, k, a, lda, tau)
        stream = self.lend(handle, dtype, work, lwork, needed)
        self.world.simulated.orgqr(dtype, m, n, k, a, lda, tau, info, stream)

    do_ungqr, do_ungqr_buffer_size = do_orgqr, do_orgqr_buffer_size

    def do_gesvd_buffer_size(self, dtype: Any, handle: int, m: int, n: int) -> int:
        return 7 * m + n

    def do_gesvd(
        self, dtype: Any, handle: int, jobu: int, jobvt: int, m: int, n: int, a: int, lda: int, s: int, u: int,
        ldu: int, vt: int, ldvt: int, work: int, lwork: int, rwork: int, info: int,
    ) -> None:  # fmt: skip
        assert jobu == jobvt
        self.lend(handle, real_of(dtype), rwork, min(m, n) - 1, 0)
        stream = self.lend(handle, dtype, work, lwork, self.do_gesvd_buffer_size(dtype, handle, m, n))
        self.world.simulated.gesvd(dtype, chr(jobu), m, n, a, lda, s, u, ldu, vt, ldvt, info, stream)

    def do_syevd_buffer_size(
        self, dtype: Any, handle: int, jobz: int, uplo: int, n: int, a: int, lda: int, w: int
    ) -> int:
        assert uplo == FillMode["LOWER"]
        return (2 + int(EigMode(jobz))) * n * n

    def do_syevd(
        self, dtype: Any, handle: int, jobz: int, uplo: int, n: int, a: int, lda: int, w: int, work: int, lwork: int,
        info: int,
    ) -> None:  # fmt: skip
        needed = self.do_syevd_buffer_size(dtype, handle, jobz, uplo, n, a, lda, w)
        stream = self.lend(handle, dtype, work, lwork, needed)
        self.world.simulated.syevd(dtype, EigMode(jobz).name == "VECTOR", n, a, lda, w, info, stream)

    do_heevd, do_heevd_buffer_size = do_syevd, do_syevd_buffer_size

    def do_create_params(self) -> int:
        return self.world.new("params")

    def do_destroy_params(self, params: int) -> None:
        self.world.end(params, "params")

    def do_xgeev_buffer_size(
        self, handle: int, params: int, jobvl: int, jobvr: int, n: int, data_type_a: int, a: int, lda: int,
        data_type_w: int, w: int, data_type_vl: int, vl: int, ldvl: int, data_type_vr: int, vr: int, ldvr: int,
        compute_type: int,
    ) -> tuple[int, int]:  # fmt: skip
        self.world.found(params, "params")
        assert EigMode(jobvl).name == "NOVECTOR" and ldvl >= 1
        assert data_type_a == data_type_w == data_type_vl == data_type_vr == compute_type
        return 24 * n + 8 * int(jobvr), 16 * n

    def do_xgeev(self, *arguments: Any) -> None:
        *described, there, size, here, own, info = arguments
        needed = self.do_xgeev_buffer_size(*described)
        handle, _, _, jobvr, n, kind, a, lda, _, w, _, _, _, _, v, ldv, _ = described
        assert own >= needed[1] and not is_of_device(here)
        stream = self.lend(handle, np.uint8, there, size, needed[0])
        vectors = EigMode(jobvr).name == "VECTOR"
        self.world.simulated.geev(FORMATS[kind], vectors, n, a, lda, w, v, ldv, info, stream)
