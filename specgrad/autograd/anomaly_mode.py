"""Finding what made a gradient nan, under PyTorch's name; the code is in specgrad.runtime.autograd."""

from ..runtime.autograd import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
