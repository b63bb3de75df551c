"""Streams and events under PyTorch's names; the code is in specgrad.runtime.cuda.api_streams."""

from ..runtime.cuda.api_streams import Event, ExternalStream, Stream

__all__ = ["Event", "ExternalStream", "Stream"]
