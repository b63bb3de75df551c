"""What goes wrong between processes, in PyTorch's classes."""

MPI_MISSING = "process groups need mpi4py and an MPI library: pip install 'specgrad[distributed]'"


class DistError(RuntimeError):
    """A failure of something that several processes do together."""


class DistBackendError(DistError):
    """A collective or message that failed: other ranks did not come, or called something else."""


class TransportError(DistBackendError):
    """What the library that moves contents says of a failure; it knows neither the call nor its place."""


class DistNetworkError(DistError):
    """A failure of the network."""


class DistStoreError(DistError):
    """A failure of a store that processes meet at."""


class QueueEmptyError(DistStoreError):
    """A queue of a store that has nothing."""
