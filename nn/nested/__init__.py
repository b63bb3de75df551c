"""Tensors whose parts differ in one size, packed along that dimension: what `specgrad.nested` offers."""
