"""Names of `distributed.tensor`: programs find that no tensor lies on several processes."""

import pytest

import specgrad as sg
from specgrad.distributed import device_mesh
from specgrad.distributed._tensor import DTensor as OldName
from specgrad.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard, distribute_tensor


def test_no_tensor_is_distributed() -> None:
    """isinstance is False for every tensor; what would make one is an error."""
    assert not isinstance(sg.ones(2), DTensor) and OldName is DTensor
    assert not isinstance(sg.nn.Parameter(sg.ones(2)), DTensor)
    with pytest.raises(RuntimeError, match="not there yet"):
        DTensor()
    with pytest.raises(RuntimeError, match="DeviceMesh: not there yet"):
        device_mesh.DeviceMesh("cpu", [0])
    for call in (distribute_tensor, device_mesh.init_device_mesh):
        with pytest.raises(RuntimeError, match="not there yet"):
            call(sg.ones(2))


def test_placements() -> None:
    """Placements are values: equal where they say the same."""
    assert Shard(1) == Shard(1) != Shard(0) and hash(Shard(1)) == hash(Shard(1))
    assert Shard(1).is_shard() and Shard(1).is_shard(1) and not Shard(1).is_shard(0)
    assert Replicate().is_replicate() and not Replicate().is_shard() and Replicate() == Replicate()
    assert Partial().is_partial("sum") and not Partial("avg").is_partial("sum")
    assert all(isinstance(one, Placement) for one in (Shard(0), Replicate(), Partial()))
    assert [*map(repr, (Shard(1), Replicate(), Partial()))] == ["Shard(dim=1)", "Replicate()", "Partial(sum)"]


def test_no_module_is_sharded() -> None:
    """`distributed.fsdp` has names to ask for and values that say how; sharing a module out takes a process group."""
    from specgrad.distributed import fsdp
    from specgrad.distributed._composable.fsdp import FSDPModule
    from specgrad.distributed.tensor.experimental import implicit_replication

    assert FSDPModule is fsdp.FSDPModule and not isinstance(sg.nn.Linear(1, 1), FSDPModule)
    assert fsdp.MixedPrecisionPolicy(param_dtype=sg.bfloat16) == fsdp.MixedPrecisionPolicy(sg.bfloat16)
    assert fsdp.CPUOffloadPolicy().pin_memory and isinstance(fsdp.CPUOffloadPolicy(), fsdp.OffloadPolicy)
    with implicit_replication(), pytest.raises(ValueError, match="Default process group"):
        fsdp.FullyShardedDataParallel(sg.nn.Linear(1, 1))
    with pytest.raises(ValueError, match="Default process group"):
        fsdp.fully_shard(sg.nn.Linear(1, 1))
