"""Tensors that are not their memory as it stands: sparse ones, and views that show conjugates or negatives."""
