"""SharingMethods: what tensors say of other processes. How they travel is loaded when it is first asked for."""

from typing import Any

from ...tensor.tensor import TensorBase


class SharingMethods(TensorBase):
    __slots__ = ()

    def share_memory_(self) -> Any:
        """Move to memory that other processes can see, with all tensors that share it; the tensor itself.

        Raises:
            RuntimeError: the system cannot share memory.

        Example:
            >>> import specgrad as sg
            >>> sg.zeros(2).share_memory_().is_shared()
            True
        """
        from .reductions import share_tensors

        share_tensors([self])
        return self
