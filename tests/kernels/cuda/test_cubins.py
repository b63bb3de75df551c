"""Where the machine code of a kernel comes from: what is carried, what was kept, or the compiler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specgrad.runtime.kernels.cuda import compile as compiler
from specgrad.runtime.kernels.cuda.elementwise import copy_kernel, element_signature, loop
from specgrad.runtime.kernels.cuda.kernel import TARGETS, Kernel, cache_folder, packed, prebuilt, unpacked
from specgrad.runtime.kernels.cuda.signature import Array

F32 = np.dtype(np.float32)
FLAT = element_signature((Array(F32),), (Array(F32),), 0)


def doubled(x: Any) -> Any:
    return x + x


def tripled(x: Any) -> Any:
    return x + x + x


def kernel_of(function: Any) -> Kernel:
    """A kernel that is carried nowhere."""
    return Kernel("test", lambda target, signature: loop(target, signature, target.device(function), [F32]))


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[int, int]]:
    """What is compiled, in a folder of the test's own."""
    seen: list[tuple[int, int]] = []

    def compile_cubin(make: Any, signature: Any, cc: tuple[int, int]) -> bytes:
        seen.append(cc)
        return b"machine code"

    monkeypatch.setenv("SPECGRAD_CUDA_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(compiler, "compile_cubin", compile_cubin)
    return seen


def test_what_is_carried_is_not_compiled(compilations: list[Any]) -> None:
    """For a capability itself, and for later minor versions of it, which run the same code."""
    kernel = copy_kernel(F32)
    for major, minor in ((8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (10, 3)):
        assert kernel.cubin(FLAT, (major, minor)) == prebuilt((major, 0))[kernel.digest(FLAT)]
    assert compilations == []
    assert kernel.cubin(FLAT, (12, 0)) == b"machine code"
    assert compilations == [(12, 0)]


def test_what_was_compiled_is_kept(compilations: list[Any]) -> None:
    """Once for each text, signature and capability; a folder that cannot be written is no error."""
    for _ in range(2):
        assert kernel_of(doubled).cubin(FLAT, (9, 0)) == b"machine code"
    assert len(compilations) == 1 and len(list(cache_folder().iterdir())) == 1
    kernel_of(tripled).cubin(FLAT, (9, 0))
    kernel_of(doubled).cubin(FLAT, (8, 0))
    kernel_of(doubled).cubin(element_signature((F32,), (Array(F32),), 0), (9, 0))
    assert len(compilations) == 4 and len(list(cache_folder().iterdir())) == 4


def test_a_folder_that_refuses(compilations: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Then code is compiled by each program."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPECGRAD_CUDA_CACHE", str(tmp_path / "file" / "folder"))
    assert [kernel_of(doubled).cubin(FLAT, (9, 0)) for _ in range(2)] == [b"machine code"] * 2
    assert len(compilations) == 2


def test_archives() -> None:
    """What is packed is unpacked; each target has code for the same kernels."""
    codes = {"first": b"\x7fELF\n\0", "empty": b"", "last": bytes(range(256))}
    assert unpacked(packed(codes.items())) == codes
    assert len({frozenset(prebuilt(target)) for target in TARGETS}) == 1 and prebuilt((7, 0)) == {}
