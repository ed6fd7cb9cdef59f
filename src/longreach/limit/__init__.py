"""Limit transformers: the objects, the compiler from C-RASP, translations, measures, communication, export."""
