"""`distributed` without process groups: names that libraries import, which refuse what they cannot do."""

import pytest

import specgrad as sg


def test_names_and_what_they_refuse() -> None:
    """Classes can be asked for by isinstance, and are not made; collectives want a group."""
    from specgrad.distributed import distributed_c10d, nn
    from specgrad.distributed.optim import ZeroRedundancyOptimizer

    assert not isinstance(sg.optim.SGD([sg.nn.Parameter(sg.ones(1))]), ZeroRedundancyOptimizer)
    with pytest.raises(RuntimeError, match="no process groups"):
        sg.distributed.TCPStore("localhost", 1)
    with pytest.raises(ValueError, match="Default process group"):
        nn.functional.all_gather(sg.ones(1))
    with pytest.raises(ValueError, match="Default process group"):
        distributed_c10d._get_default_group()
    assert distributed_c10d.ProcessGroup is sg.distributed.ProcessGroup


def test_backends() -> None:
    """A backend is its name in small letters."""
    backend = sg.distributed.Backend
    assert backend("GLOO") == backend.GLOO == "gloo"
    with pytest.raises(ValueError, match="string-ish"):
        backend(3)  # type: ignore[arg-type]
