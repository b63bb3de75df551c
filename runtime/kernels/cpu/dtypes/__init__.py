"""Arrays in another dtype: casts, 16-bit floats computed as float32, and the order of floats by their bits."""
