"""From the call of an op to its kernel: checks, promotion, broadcasting, loops over rows, plans, views found before."""
