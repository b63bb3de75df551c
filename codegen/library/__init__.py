"""What a spec may name besides ops: hand-written parts, found and read with `ast`."""
