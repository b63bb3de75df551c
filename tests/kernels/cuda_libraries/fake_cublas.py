"""cuBLAS and cuFFT as fakes: calls are read back into what the simulated libraries compute."""

from __future__ import annotations

from typing import Any

import numpy as np

from specgrad.runtime.kernels.cuda_libraries.protocol import Fft, Gemm
from tests.kernels.cuda_libraries.fake_nvmath import FORMATS, FakeLibrary, of_host
from tests.kernels.cuda_libraries.nvmath_record import enumeration

ComputeType, Operation, FillMode, SideMode, DiagType, GemmAlgo, Math = (
    enumeration(f"cublas.{name}")
    for name in ("ComputeType", "Operation", "FillMode", "SideMode", "DiagType", "GemmAlgo", "Math")
)
FftType = enumeration("cufft.Type")
SINGLE = ["float32", "float16", "bfloat16", "complex64"]
FFT_KINDS = {
    FftType[name]: (kind, np.dtype(real))
    for name, kind, real in (
        ("C2C", "c2c", "f4"), ("R2C", "r2c", "f4"), ("C2R", "c2r", "f4"),
        ("Z2Z", "c2c", "f8"), ("D2Z", "r2c", "f8"), ("Z2D", "c2r", "f8"),
    )
}  # fmt: skip


class FakeCublas(FakeLibrary):
    """`nvmath.bindings.cublas`."""

    name = "cublas"

    def do_gemm_strided_batched_ex_64(
        self, handle: int, transa: int, transb: int, m: int, n: int, k: int, alpha: int, a: int, atype: int, lda: int,
        stride_a: int, b: int, btype: int, ldb: int, stride_b: int, beta: int, c: int, ctype: int, ldc: int,
        stride_c: int, batch_count: int, compute_type: int, algo: int,
    ) -> None:  # fmt: skip
        stored, result = FORMATS[atype], FORMATS[ctype]
        assert atype == btype and algo == GemmAlgo["DFALT"]
        computed = ComputeType(compute_type).name.removesuffix("_FAST_TF32")
        assert computed == ("COMPUTE_32F" if stored.name in SINGLE else "COMPUTE_64F")
        self.world.found(handle, self.name)["compute"] = ComputeType(compute_type).name
        gemm = Gemm(
            stored, result, m, n, k, batch_count, *map(transposed, (transa, transb)), lda, ldb, ldc,
            stride_a, stride_b, stride_c,
        )  # fmt: skip
        factors = [of_host(address, gemm.computed)[0].item() for address in (alpha, beta)]
        self.world.simulated.gemm(gemm._replace(alpha=factors[0], beta=factors[1]), a, b, c, self.stream(handle))

    def do_set_math_mode(self, handle: int, mode: int) -> None:
        self.world.found(handle, self.name)["math"] = Math(mode).name

    def do_trsm_64(
        self, dtype: Any, handle: int, side: int, uplo: int, trans: int, diag: int, m: int, n: int, alpha: int, a: int,
        lda: int, b: int, ldb: int,
    ) -> None:  # fmt: skip
        assert (SideMode(side).name, trans, of_host(alpha, dtype)[0]) == ("RIGHT", Operation["N"], 1)
        lower = {FillMode["LOWER"]: True, FillMode["UPPER"]: False}[FillMode(uplo)]
        unit = DiagType(diag).name == "UNIT"
        self.world.simulated.trsm(dtype, lower, unit, m, n, a, lda, b, ldb, self.stream(handle))

    def do_getrf_batched(
        self, dtype: Any, handle: int, n: int, a: int, lda: int, p: int, info: int, batch_size: int
    ) -> None:
        stream = self.stream(handle)
        for k, matrix in enumerate(self.world.numbers_at(a, batch_size, stream)):
            self.world.simulated.getrf(dtype, n, n, matrix, lda, p + 4 * n * k, info + 4 * k, stream)

    def do_getrs_batched(
        self, dtype: Any, handle: int, trans: int, n: int, nrhs: int, aarray: int, lda: int, dev_ipiv: int, barray: int,
        ldb: int, info: int, batch_size: int,
    ) -> None:  # fmt: skip
        assert trans == Operation["N"] and of_host(info, np.int32)[0] == 0
        stream = self.stream(handle)
        ignored = self.world.driver.allocate(self.world.found(handle, self.name)["device"], 4, stream)
        pairs = zip(*(self.world.numbers_at(x, batch_size, stream) for x in (aarray, barray)), strict=True)
        for k, (a, b) in enumerate(pairs):
            self.world.simulated.getrs(dtype, n, nrhs, a, lda, dev_ipiv + 4 * n * k, b, ldb, ignored, stream)

    def do_trsm_batched(
        self, dtype: Any, handle: int, side: int, uplo: int, trans: int, diag: int, m: int, n: int, alpha: int, a: int,
        lda: int, b: int, ldb: int, batch_count: int,
    ) -> None:  # fmt: skip
        found = [self.world.numbers_at(x, batch_count, self.stream(handle)) for x in (a, b)]
        for one, other in zip(*found, strict=True):
            self.do_trsm_64(dtype, handle, side, uplo, trans, diag, m, n, alpha, one, lda, other, ldb)


def transposed(operation: int) -> bool:
    return {Operation["N"]: False, Operation["T"]: True}[Operation(operation)]


class FakeCufft(FakeLibrary):
    """`nvmath.bindings.cufft`; its handles are plans."""

    name = "cufft"

    def do_make_plan_many64(
        self, plan: int, rank: int, n: Any, inembed: Any, istride: int, idist: int, onembed: Any, ostride: int,
        odist: int, type: int, batch: int,
    ) -> int:  # fmt: skip
        assert (inembed, onembed) == (0, 0), "then strides and distances are not read"
        assert len(n) == rank <= 3
        found = self.world.found(plan, self.name)
        assert "sizes" not in found, "a plan is made once"
        found.update(sizes=tuple(n), type=FftType(type), batch=batch)
        return 0

    def do_destroy(self, plan: int) -> None:
        self.world.end(plan, self.name)

    def run(self, name: str, plan: int, idata: int, odata: int, direction: int = 1) -> None:
        found = self.world.found(plan, self.name)
        assert found["type"].name == name
        assert direction in (-1, 1)
        kind, real = FFT_KINDS[found["type"]]
        forward = kind == "r2c" or (kind == "c2c" and direction == -1)
        fft = Fft(real, kind, found["batch"], found["sizes"], forward)
        self.world.simulated.fft(fft, idata, odata, self.stream(plan))

    def do_exec_c2c(self, plan: int, idata: int, odata: int, direction: int) -> None:
        self.run("C2C", plan, idata, odata, direction)

    def do_exec_z2z(self, plan: int, idata: int, odata: int, direction: int) -> None:
        self.run("Z2Z", plan, idata, odata, direction)

    def do_exec_r2c(self, plan: int, idata: int, odata: int) -> None:
        self.run("R2C", plan, idata, odata)

    def do_exec_d2z(self, plan: int, idata: int, odata: int) -> None:
        self.run("D2Z", plan, idata, odata)

    def do_exec_c2r(self, plan: int, idata: int, odata: int) -> None:
        self.run("C2R", plan, idata, odata)

    def do_exec_z2d(self, plan: int, idata: int, odata: int) -> None:
        self.run("Z2D", plan, idata, odata)
