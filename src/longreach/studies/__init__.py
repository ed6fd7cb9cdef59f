"""The published tables and figures, and our own studies: settings, claims and a figure each."""
