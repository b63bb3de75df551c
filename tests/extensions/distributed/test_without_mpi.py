"""`distributed` in a process that MPI has not started: names that libraries import, and what cannot be done."""

import datetime
import sys
from pathlib import Path

import pytest

import specgrad as sg
from specgrad.runtime.extensions.distributed import session as backends
from specgrad.runtime.extensions.distributed.launcher import main


def test_names_and_what_they_refuse() -> None:
    """Classes can be asked for by isinstance; what works on several ranks wants a group."""
    from specgrad.distributed import distributed_c10d
    from specgrad.distributed.optim import ZeroRedundancyOptimizer

    assert not isinstance(sg.optim.SGD([sg.nn.Parameter(sg.ones(1))]), ZeroRedundancyOptimizer)
    with pytest.raises(ValueError, match="Default process group"):
        ZeroRedundancyOptimizer([sg.nn.Parameter(sg.ones(1))], optimizer_class=sg.optim.SGD)
    with pytest.raises(ValueError, match="Default process group"):
        distributed_c10d._get_default_group()
    assert distributed_c10d.ProcessGroup is sg.distributed.ProcessGroup


def test_backends() -> None:
    """A backend is its name in small letters."""
    backend = sg.distributed.Backend
    assert backend("GLOO") == backend.GLOO == "gloo"
    with pytest.raises(ValueError, match="string-ish"):
        backend(3)  # type: ignore[arg-type]


def test_backends_and_timeouts_that_are_rejected() -> None:
    """PyTorch's backends are MPI, others are none; a timeout is a timedelta."""
    for backend in ("goo", "cpu:gloo,cuda:fake"):
        with pytest.raises(ValueError, match=r'expected a backend of "mpi", "gloo", "nccl".* got \'(goo|fake)\''):
            sg.distributed.init_process_group(backend)
    with pytest.raises(TypeError, match="Expected timeout argument to be of type datetime.timedelta"):
        sg.distributed.init_process_group("mpi", timeout=3)  # type: ignore[arg-type]
    assert sg.distributed.default_pg_timeout == datetime.timedelta(minutes=30)


@pytest.mark.parametrize("backend", ["mpi", "gloo", "cpu:gloo,cuda:nccl", None])
def test_without_mpi(monkeypatch: pytest.MonkeyPatch, backend: str | None) -> None:
    """Without mpi4py there are no groups, and one sentence says what to install."""
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    assert not backends.is_available() and not backends.is_backend_available("mpi")
    message = r"init_process_group\(\): process groups need mpi4py and .*: pip install 'specgrad\[distributed\]'$"
    with pytest.raises(RuntimeError, match=message):
        sg.distributed.init_process_group(backend)


def test_without_a_library_of_mpi(monkeypatch: pytest.MonkeyPatch) -> None:
    """mpi4py alone finds no MPI library when it is imported; the sentence is the same."""
    monkeypatch.setattr(backends, "find_spec", lambda name: object())
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # which the call replaces
    monkeypatch.setitem(sys.modules, f"{backends.__package__}.groups.mpi", None)
    with pytest.raises(RuntimeError, match=r"pip install 'specgrad\[distributed\]'$"):
        sg.distributed.init_process_group("gloo", rank=0, world_size=1)


def test_torchrun_without_mpi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """torchrun says the same, and starts nothing."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"^torchrun: there is no mpiexec .* pip install 'specgrad\[distributed\]'$"):
        main(["--nproc-per-node", "2", "train.py"])


def test_ways_of_joining() -> None:
    """ReduceOp's ways are numbers with names; a factor comes with PREMUL_SUM."""
    op = sg.distributed.ReduceOp
    assert repr(op.SUM) == "<RedOpType.SUM: 0>" and op.SUM != op.MAX and op(op.SUM) == op.SUM
    assert sg.distributed._make_nccl_premul_sum(sg.tensor(2.0)).factor == 2.0
