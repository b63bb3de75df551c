"""What nodes save for backward, and how users see it."""
