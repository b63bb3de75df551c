"""Checkpoints: intermediate results are not kept for backward, but computed again."""
