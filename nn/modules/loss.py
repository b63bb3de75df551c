"""Losses under PyTorch's module path; the code is one folder up."""

from ..classification import BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, NLLLoss
from ..classification import _WeightedLoss as _WeightedLoss
from ..ctc import CTCLoss
from ..distance import TripletMarginLoss, TripletMarginWithDistanceLoss
from ..label_losses import MultiLabelMarginLoss, MultiLabelSoftMarginLoss, MultiMarginLoss
from ..linear_cross_entropy import LinearCrossEntropyLoss
from ..loss import L1Loss, Loss, MSELoss
from ..margin_losses import CosineEmbeddingLoss, HingeEmbeddingLoss, MarginRankingLoss, SoftMarginLoss
from ..older_layers import NLLLoss2d
from ..value_losses import GaussianNLLLoss, HuberLoss, KLDivLoss, PoissonNLLLoss, SmoothL1Loss

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
