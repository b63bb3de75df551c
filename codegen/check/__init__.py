"""What is wrong with entries, as far as arithmetic is not needed."""
