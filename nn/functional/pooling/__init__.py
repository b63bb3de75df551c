"""Pooling as functions."""
