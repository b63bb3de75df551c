"""Checkpoints: what is not kept for backward is computed again."""
