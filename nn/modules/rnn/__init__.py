"""Recurrent layers and cells."""

from ....generated.tensor import Tensor
from ...packed_sequence import PackedSequence as PackedSequence  # programs import this from here
from .base import RNNBase
from .cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from .layers import GRU, LSTM, RNN

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]


def _apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    return tensor.index_select(dim, permutation)


apply_permutation = _apply_permutation
