"""What programs launch is known ahead of time: the table has its signatures, the archives what training needs.

`python -m codegen cubins --record` notes what the samples of the spec launch, `python -m codegen cubins` compiles it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.codegen.packaging.array_kernels import MAKERS, multi_tensor_kernels
from specgrad.codegen.packaging.cubins import SHORT, all_known, read_table
from specgrad.codegen.packaging.elementwise_kernels import SIZES, SPLIT, THREAD_GROUPS, own_programs, source_of
from specgrad.codegen.packaging.known_kernels import launched, lines
from specgrad.codegen.packaging.recorded_launches import Recorder, recording, run_as
from specgrad.codegen.verify.calls.samples import sample_calls
from specgrad.generated.registry import OPS
from specgrad.runtime.kernels.cuda.kernel import TARGETS, prebuilt
from specgrad.runtime.kernels.cuda.signature import Array
from specgrad.runtime.kernels.cuda_launch import row_programs
from tests.device.cuda.simulator import in_use

FIRST, STEP = 20, 267  # one op of so many is run
KINDS = [np.dtype(t) for t in (np.float32, np.float64, np.float16, np.complex64)]
DOUBLES = Array(np.dtype(np.float64))
OF_TRAINING = re.compile(r"of rows by|several arrays")


def family(name: str) -> str:
    """The name of a kernel without the dtype that it computes in."""
    return re.sub(r" by (bool|u?int\d+|b?float\d+|complex\d+)$", "", name)


def launched_by(ops: Iterable[Any]) -> Recorder:
    """What the samples of ops launch."""
    with in_use(None), recording() as recorder:
        for op in ops:
            for text in sample_calls(op):
                for kind in KINDS:
                    run_as(op, text, kind)
    return recorder


def test_what_samples_launch_is_in_the_table() -> None:
    """Of texts, rows and optimizers each signature; of what is generated or moves elements, kernels of that name."""
    recorder = launched_by(OPS[FIRST::STEP])
    assert recorder.lines - set(lines()) == set()
    known = {digest for _, digest in read_table().values()}
    noted = [(kernel, signature) for kernel, signature in recorder.loaded if kernel in recorder.made]
    assert [(k.name, s) for k, s in noted if k.digest(s)[:SHORT] not in known] == []
    assert {family(k.name) for k, _ in recorder.loaded} - {family(each.kernel.name) for each in all_known()} == set()
    assert len(noted) > 5 and len(recorder.loaded) > 20


def test_what_was_recorded_is_there() -> None:
    """Each line names a text, a program or a change."""
    sources = [
        line for maker in ("element", "indexed") for line, (name, _), _ in launched(maker) if not source_of(name)
    ]
    programs = [line for line, (name, *_), _ in launched("rows") if name not in own_programs()]
    changes = {line for maker in MAKERS for line, *_ in launched(maker)} - {
        each.label for each in multi_tensor_kernels()
    }
    assert (sources, programs, changes) == ([], [], set())


@pytest.mark.parametrize("kind", SIZES)
def test_the_table_has_all_teams(kind: str) -> None:
    """Whatever the sizes of rows, the team that a launch gives them is one that kernels are compiled for."""
    sizes = [1, 2, 8, 9, 32, 33, 256, 257, 1024, 1025, 8192, 8193, 1 << 14, 1 << 20]
    thread_groups = {
        row_programs.thread_group_of(row_programs.Rows(kind, amount, along, ()))[:2]
        for along in sizes
        for amount in (1, 1000)
    }
    assert thread_groups == {*THREAD_GROUPS[kind]} and SPLIT[kind] in {
        thread_group for _, thread_group in THREAD_GROUPS[kind]
    }


@pytest.mark.parametrize("amount", [1, 5, 31, 32, 33, 255, 256, 257, 1000])
@pytest.mark.parametrize("along", [0, 1, 9, 100, 256])
def test_blocks_have_whole_warps_of_which_none_is_idle(amount: int, along: int) -> None:
    """All rows are somebody's, and no block has a warp more than its rows need."""
    for kind in ("rows", "columns"):
        _, thread_group, blocks, threads = row_programs.thread_group_of(row_programs.Rows(kind, amount, along, ()))
        if thread_group in ("warp", "thread"):
            lanes, thread_groups = (threads[0], threads[1]) if thread_group == "warp" else (1, threads)
            assert (blocks - 1) * thread_groups < amount <= blocks * thread_groups
            assert lanes * thread_groups % 32 == 0 and lanes * thread_groups <= row_programs.THREADS
            assert blocks > 1 or lanes * (thread_groups - amount) < 32


class Network(sg.nn.Module):
    """Layers with parameters and statistics."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = sg.nn.Linear(4, 6), sg.nn.Linear(6, 3)
        self.channels, self.features = sg.nn.BatchNorm1d(6), sg.nn.LayerNorm(6)

    def forward(self, x: Any) -> Any:
        return self.last(self.features(sg.nn.functional.gelu(self.channels(self.first(x)))))


@pytest.mark.parametrize("dtype", [sg.float32, sg.float16, sg.bfloat16], ids=str)
@pytest.mark.parametrize("options", [{}, {"amsgrad": True, "capturable": True}], ids=["host", "device"])
def test_what_training_launches_is_carried(dtype: Any, options: dict[str, Any]) -> None:
    """Rows, clipping and steps need no compiler, whether steps are counted on the host or on the device.

    Only what adds up the parts of a norm, in float64, does.
    """
    with in_use(None), recording() as recorder:
        network = Network().to("cuda", dtype)
        optimizer = sg.optim.AdamW(network.parameters(), **options)
        inputs, targets = sg.randn(5, 4, device="cuda", dtype=dtype), sg.tensor([0, 1, 2, 1, 0], device="cuda")
        for _ in range(2):
            optimizer.zero_grad(set_to_none=False)
            sg.nn.functional.cross_entropy(network(inputs), targets).backward()
            sg.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
    noted = [(k, s) for k, s in recorder.loaded if OF_TRAINING.search(k.name) and s[0] != DOUBLES]
    assert len(noted) > 10
    for target in TARGETS:
        assert [(k.name, s) for k, s in noted if k.digest(s) not in prebuilt(target)] == []
