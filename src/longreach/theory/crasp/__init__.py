"""C-RASP programs: text format, core operations, evaluation, library, transformations."""
