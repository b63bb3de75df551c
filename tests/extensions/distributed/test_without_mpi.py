"""`distributed` in a process that MPI has not started: names that libraries import, and what cannot be done."""

import datetime

import pytest

import specgrad as sg
from specgrad.runtime.extensions.distributed import session as backends


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


def test_other_backends_and_timeouts_are_refused() -> None:
    """A program for another backend is told what to say; a timeout is a timedelta."""
    for backend in ("gloo", "nccl", "cpu:gloo"):
        with pytest.raises(ValueError, match=r'init_process_group\("mpi"\)'):
            sg.distributed.init_process_group(backend)
    with pytest.raises(TypeError, match="Expected timeout argument to be of type datetime.timedelta"):
        sg.distributed.init_process_group("mpi", timeout=3)  # type: ignore[arg-type]
    assert sg.distributed.default_pg_timeout == datetime.timedelta(minutes=30)


def test_without_mpi(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without mpi4py there are no groups, and who wants one is told what to install."""
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    assert not backends.is_available() and not backends.is_backend_available("mpi")
    with pytest.raises(RuntimeError, match=r"pip install specgrad\[distributed\]"):
        sg.distributed.init_process_group("mpi")


def test_ways_of_joining() -> None:
    """ReduceOp's ways are numbers with names; a factor comes with PREMUL_SUM."""
    op = sg.distributed.ReduceOp
    assert repr(op.SUM) == "<RedOpType.SUM: 0>" and op.SUM != op.MAX and op(op.SUM) == op.SUM
    assert sg.distributed._make_nccl_premul_sum(sg.tensor(2.0)).factor == 2.0
