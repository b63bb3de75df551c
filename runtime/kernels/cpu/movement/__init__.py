"""Elements that are only moved: copies, layouts, and what an op makes of their places."""
