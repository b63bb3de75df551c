"""Saved tensors: what nodes keep for backward, hooks that pack it, and how users see it."""
