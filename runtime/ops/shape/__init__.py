"""Views, copies that rearrange, joining, splitting, repeating and padding."""
