"""Scans: what depends on all elements up to each one along a dimension, and differences of neighbours."""
