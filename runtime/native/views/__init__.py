"""Views in machine code, where they have been found before for a tensor's layout."""
