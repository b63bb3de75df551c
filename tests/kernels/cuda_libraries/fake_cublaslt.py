"""cuBLASLt as a fake: products are read off descriptors and layouts, and what they want is checked."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from specgrad.runtime.kernels.cuda_libraries.protocol import Gemm
from tests.kernels.cuda_libraries.fake_cublas import ComputeType, transposed
from tests.kernels.cuda_libraries.fake_nvmath import FORMATS, FakeLibrary, of_host
from tests.kernels.cuda_libraries.nvmath_record import attribute_dtypes, enumeration, line_of

Epilogue = enumeration("cublasLt.Epilogue")
KINDS = {"desc": "MatmulDescAttribute", "layout": "MatrixLayoutAttribute", "preference": "MatmulPreferenceAttribute"}
ATTRIBUTES = {kind: enumeration(f"cublasLt.{name}") for kind, name in KINDS.items()}
DTYPES = {kind: attribute_dtypes(f"cublasLt.{name}") for kind, name in KINDS.items()}
RESULT_SIZE = sum(int(part.partition("=")[2]) for part in line_of("cublasLt.matmul_heuristic_result_dtype").split())
NOT_SUPPORTED = 15


class CublasLtError(Exception):
    """`cuBLASLtError`."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


class FakeCublasLt(FakeLibrary):
    """`nvmath.bindings.cublasLt`. An algorithm is known by the number of the choice that it is of."""

    name = "cublasLt"
    cuBLASLtError = CublasLtError
    refusing = False
    workspace = 640

    def put(self, kind: str, number: int, attr: int, buf: int, size_in_bytes: int) -> None:
        name = ATTRIBUTES[kind](attr).name
        dtype = np.dtype(DTYPES[kind][name])
        assert size_in_bytes == dtype.itemsize
        self.world.found(number, kind)[name] = of_host(buf, dtype)[0].item()

    def do_matmul_desc_create(self, compute_type: int, scale_type: int) -> int:
        return self.world.new("desc", compute=ComputeType(compute_type), scale=FORMATS[scale_type])

    def do_matmul_desc_destroy(self, matmul_desc: int) -> None:
        self.world.drop(matmul_desc, "desc")

    def do_matmul_desc_set_attribute(self, matmul_desc: int, attr: int, buf: int, size_in_bytes: int) -> None:
        self.put("desc", matmul_desc, attr, buf, size_in_bytes)

    def do_matrix_layout_create(self, type: int, rows: int, cols: int, ld: int) -> int:
        assert ld >= rows
        return self.world.new("layout", format=FORMATS[type], rows=rows, cols=cols, ld=ld)

    def do_matrix_layout_set_attribute(self, mat_layout: int, attr: int, buf: int, size_in_bytes: int) -> None:
        self.put("layout", mat_layout, attr, buf, size_in_bytes)

    def do_matrix_layout_destroy(self, mat_layout: int) -> None:
        self.world.drop(mat_layout, "layout")

    def do_matmul_preference_create(self) -> int:
        return self.world.new("preference")

    def do_matmul_preference_destroy(self, pref: int) -> None:
        self.world.drop(pref, "preference")

    def do_matmul_preference_set_attribute(self, pref: int, attr: int, buf: int, size_in_bytes: int) -> None:
        self.put("preference", pref, attr, buf, size_in_bytes)

    def do_matmul_algo_get_heuristic(
        self, light_handle: int, operation_desc: int, adesc: int, bdesc: int, cdesc: int, ddesc: int, preference: int,
        requested_algo_count: int, heuristic_results_array: int, return_algo_count: int,
    ) -> None:  # fmt: skip
        self.world.found(light_handle, self.name)
        requested = self.world.found(preference, "preference")
        assert requested["MAX_WORKSPACE_BYTES"] >= self.workspace and requested_algo_count == 1
        if self.refusing:
            raise CublasLtError(NOT_SUPPORTED)
        described = (operation_desc, adesc, bdesc, cdesc, ddesc)
        aligned = [requested[f"MIN_ALIGNMENT_{arg_kind}_BYTES"] for arg_kind in "ABCD"]
        algorithm = self.world.new("algorithm", described=described, aligned=aligned, preference=dict(requested))
        content = algorithm.to_bytes(64, "little") + self.workspace.to_bytes(8, "little")
        ctypes.memmove(heuristic_results_array, content.ljust(RESULT_SIZE, b"\0"), RESULT_SIZE)
        ctypes.c_int.from_address(return_algo_count).value = 1

    def do_matmul(
        self, light_handle: int, compute_desc: int, alpha: int, a: int, adesc: int, b: int, bdesc: int, beta: int,
        c: int, cdesc: int, d: int, ddesc: int, algo: int, workspace: int, workspace_size_in_bytes: int, stream: int,
    ) -> None:  # fmt: skip
        found = self.world.found(light_handle, self.name)
        chosen = self.world.found(int.from_bytes(ctypes.string_at(algo, 64), "little"), "algorithm")
        assert chosen["described"] == (compute_desc, adesc, bdesc, cdesc, ddesc) and (c, cdesc) == (d, ddesc)
        assert all(address % min_value == 0 for address, min_value in zip((a, b, c, d), chosen["aligned"], strict=True))
        assert workspace_size_in_bytes >= self.workspace
        given_to = stream or found["device"]
        self.world.streams.append(given_to)
        self.world.lend(workspace, workspace_size_in_bytes, given_to)
        desc = self.world.found(compute_desc, "desc")
        gemm = self.described(desc, [self.world.found(each, "layout") for each in (adesc, bdesc, cdesc)])
        factors = [of_host(address, desc["scale"])[0].item() for address in (alpha, beta)]
        gemm = gemm._replace(alpha=factors[0], beta=factors[1])
        if "EPILOGUE" not in desc:
            self.world.simulated.gemm(gemm, a, b, c, given_to)
            return
        assert Epilogue(desc["EPILOGUE"]).name == "BIAS"
        assert self.world.simulated.gemm_with_bias(gemm, a, b, desc["BIAS_POINTER"], c, given_to)

    def described(self, desc: dict[str, Any], layouts: list[dict[str, Any]]) -> Gemm:
        """The product that descriptors describe."""
        left, right, result = layouts
        assert left["format"] == right["format"]
        flags = [transposed(desc[name]) for name in ("TRANSA", "TRANSB")]
        inner, m = (left["rows"], left["cols"]) if flags[0] else (left["cols"], left["rows"])
        n, other = (right["rows"], right["cols"]) if flags[1] else (right["cols"], right["rows"])
        assert (inner, m, n) == (other, result["rows"], result["cols"])
        batch, strides = batch_of(layouts)
        gemm = Gemm(
            left["format"],
            result["format"],
            m,
            n,
            inner,
            batch,
            *flags,
            left["ld"],
            right["ld"],
            result["ld"],
            *strides,
        )
        assert desc["scale"] == gemm.computed
        return gemm


def batch_of(layouts: list[dict[str, Any]]) -> tuple[int, list[int]]:
    """How many matrices each layout describes, which must be as many, and how far apart those of each lie."""
    (count,) = {layout.get("BATCH_COUNT", 1) for layout in layouts}
    return count, [layout.get("STRIDED_BATCH_OFFSET", 0) for layout in layouts]
