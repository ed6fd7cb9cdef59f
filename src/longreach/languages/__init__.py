"""Regular languages: which of them have a C-RASP program, with a certificate either way.

Import what you need from the modules: `automaton`, `expression`, `names`, `verdict`, `certificates`,
`checker`.
"""
