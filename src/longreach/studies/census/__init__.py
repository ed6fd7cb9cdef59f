"""The census of random regular languages: drawing, training, features, odds."""
