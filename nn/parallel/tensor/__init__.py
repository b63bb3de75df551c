"""Layers that are split over the ranks of a process group: tensor and sequence parallelism.

Source: Shoeybi et al. 2019, "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism";
Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models", for sequences.
"""

from .layers import ColumnParallelLinear, RowParallelLinear, VocabParallelEmbedding, sum_gradients
from .loss import vocab_parallel_cross_entropy

__all__ = [
    "ColumnParallelLinear",
    "RowParallelLinear",
    "VocabParallelEmbedding",
    "sum_gradients",
    "vocab_parallel_cross_entropy",
]
