"""Views that show the conjugates or the negatives of what lies in memory, until somebody computes with them."""
