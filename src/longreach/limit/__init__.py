"""Limit transformers: objects, compiler from C-RASP, translations, measures, communication, export."""
