"""Certificates as documents, and checkers that share nothing with what finds them."""
