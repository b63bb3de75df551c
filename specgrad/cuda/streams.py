"""Streams and events under PyTorch's names; the code is in specgrad.runtime.cuda.api.streams."""

from ..runtime.cuda.api.streams import Event, ExternalStream, Stream

__all__ = ["Event", "ExternalStream", "Stream"]
