"""Losses."""

from .base import L1Loss, Loss, MSELoss
from .classification import BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, NLLLoss, NLLLoss2d
from .classification import _WeightedLoss as _WeightedLoss
from .ctc import CTCLoss
from .labels import MultiLabelMarginLoss, MultiLabelSoftMarginLoss, MultiMarginLoss
from .linear_cross_entropy import LinearCrossEntropyLoss
from .margin import CosineEmbeddingLoss, HingeEmbeddingLoss, MarginRankingLoss, SoftMarginLoss
from .triplet import TripletMarginLoss, TripletMarginWithDistanceLoss
from .values import GaussianNLLLoss, HuberLoss, KLDivLoss, PoissonNLLLoss, SmoothL1Loss

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LinearCrossEntropyLoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]
_Loss = Loss
