"""Images: resampling, sampling on a grid, windows as columns, channels as pixels, padding."""
