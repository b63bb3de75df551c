"""Hooks on tensors, leaves, nodes and saved values."""
