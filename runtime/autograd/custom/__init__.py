"""Graph nodes written by hand: `autograd.Function`."""
