"""Images: resampling, sampling at places, windows as columns, padding with what is there."""
