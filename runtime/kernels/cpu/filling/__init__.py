"""Arrays filled without operands: one value, numbers at equal distances, and random numbers."""
