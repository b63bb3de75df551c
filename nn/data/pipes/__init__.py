"""Data pipes: datasets made of datasets, whose steps are methods (`pipe.map(f).batch(4)`)."""

from . import batches, iterables
from .base import IterDataPipe, MapDataPipe, functional_datapipe

__all__ = ["IterDataPipe", "MapDataPipe", "batches", "functional_datapipe", "iterables"]
