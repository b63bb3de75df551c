"""What nvmath-python 1.0.0 says of the functions and enumerations that specgrad names: `nvmath_record.txt`.

Where that package is installed, `python -m tests.kernels.cuda_libraries.nvmath_record` writes the file again.
"""

from __future__ import annotations

import importlib
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

PATH = Path(__file__).with_name("nvmath_record.txt")
VOCABULARY_SIZE = "sdcz"  # of float32, float64, complex64, complex128
ROUTINES = ("potrf", "getrf", "geqrf", "orgqr", "ungqr", "gesvd", "syevd", "heevd")
# A name that begins with * stands for those of all letters; those that are not there are left out.
FUNCTIONS = {
    "cublas": "create set_stream set_math_mode gemm_strided_batched_ex_64 *trsm_64 *getrf_batched "
    "*getrs_batched *trsm_batched",
    "cublasLt": "create matmul matmul_algo_get_heuristic matrix_layout_create matrix_layout_destroy "
    "matrix_layout_set_attribute matmul_desc_create matmul_desc_destroy matmul_desc_set_attribute "
    "matmul_preference_create matmul_preference_destroy matmul_preference_set_attribute",
    "cufft": "create set_stream make_plan_many64 destroy exec_c2c exec_z2z exec_r2c exec_d2z exec_c2r exec_z2d",
    "cusolverDn": "create set_stream create_params destroy_params xgeev xgeev_buffer_size *getrs *potrf_batched "
    + " ".join(f"*{name} *{name}_buffer_size" for name in ROUTINES),
}
ENUMERATIONS = {
    "": "CudaDataType",
    "cublas": "ComputeType Operation FillMode SideMode DiagType GemmAlgo Math",
    "cublasLt": "Epilogue MatmulDescAttribute MatrixLayoutAttribute MatmulPreferenceAttribute ReductionScheme",
    "cufft": "Type",
    "cusolver": "EigMode",
}
ATTRIBUTES = {
    "MatmulDescAttribute": ("matmul_desc", "TRANSA TRANSB EPILOGUE BIAS_POINTER"),
    "MatrixLayoutAttribute": ("matrix_layout", "BATCH_COUNT STRIDED_BATCH_OFFSET"),
    "MatmulPreferenceAttribute": (
        "matmul_preference",
        "MAX_WORKSPACE_BYTES REDUCTION_SCHEME_MASK MIN_ALIGNMENT_A_BYTES MIN_ALIGNMENT_B_BYTES MIN_ALIGNMENT_C_BYTES "
        "MIN_ALIGNMENT_D_BYTES",
    ),
}


class Parameter(NamedTuple):
    """A parameter of a function: the name of its C type, "" for any object, and its own."""

    kind: str
    name: str


Signatures = dict[tuple[str, str], tuple[Parameter, ...]]


def recorded() -> list[str]:
    """The lines of the file as the installed package has them."""
    lines = []
    for module, names in FUNCTIONS.items():
        found = importlib.import_module(f"nvmath.bindings.{module}")
        for name in expanded(names):
            if hasattr(found, name):
                lines.append(f"{module}.{getattr(found, name).__doc__.splitlines()[0]}")
    for module, names in ENUMERATIONS.items():
        found = importlib.import_module(f"nvmath.bindings.{module}" if module else "nvmath")
        for name in names.split():
            members: Any = getattr(found, name)
            lines.append(f"{module}.{name}: " + " ".join(f"{one.name}={int(one)}" for one in members))
            if name in ATTRIBUTES:
                own, requested = ATTRIBUTES[name]
                dtype = getattr(found, f"get_{own}_attribute_dtype")
                pairs = [f"{one}={dtype(members[one]).__name__}" for one in requested.split()]
                lines.append(f"{module}.{name} dtypes: " + " ".join(pairs))
    result: Any = importlib.import_module("nvmath.bindings.cublasLt").matmul_heuristic_result_dtype
    sizes = [f"{name}={result.fields[name][0].itemsize}" for name in result.names]
    lines.append("cublasLt.matmul_heuristic_result_dtype: " + " ".join(sizes))
    return lines


def expanded(names: str) -> list[str]:
    return [
        arg_kind + name.lstrip("*")
        for name in names.split()
        for arg_kind in (VOCABULARY_SIZE if name[0] == "*" else [""])
    ]


def signatures() -> Signatures:
    """The parameters of each function, by module and name."""
    found: Signatures = {}
    for line in PATH.read_text().splitlines():
        name, bracket, rest = line.partition("(")
        if bracket:
            module, _, function = name.partition(".")
            parts = rest.partition(")")[0]
            found[module, function] = tuple(map(parameter, parts.split(", "))) if parts else ()
    return found


def parameter(text: str) -> Parameter:
    kind, _, name = text.rpartition(" ")
    return Parameter(kind, name)


def enumeration(name: str) -> type[IntEnum]:
    """An enumeration, by the name that it has in the file."""
    members = [part.partition("=") for part in line_of(name).split()]
    return IntEnum(name.rpartition(".")[2], [(key, int(number)) for key, _, number in members])  # type: ignore[return-value]


def attribute_dtypes(name: str) -> dict[str, str]:
    """The dtype of each attribute of an enumeration of them."""
    return dict(part.split("=") for part in line_of(f"{name} dtypes").split())


def line_of(name: str) -> str:
    """What the file says behind a name."""
    line = next(line for line in PATH.read_text().splitlines() if line.startswith(f"{name}: "))
    return line.partition(": ")[2]


if __name__ == "__main__":
    PATH.write_text("".join(f"{line}\n" for line in recorded()))
