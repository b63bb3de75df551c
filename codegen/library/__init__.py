"""Finds the hand-written parts that a spec may name besides ops, and reads them with `ast`."""
