"""longreach: will a transformer trained on short sequences work on long ones?"""

__version__ = "0.1.0"
