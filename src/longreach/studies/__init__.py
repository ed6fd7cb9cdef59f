"""Published tables and figures, one module each: which members are trained, what is drawn, what is judged."""
