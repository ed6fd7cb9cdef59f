"""What the classes of programs are closed under (Huang et al., arXiv 2410.02140).

`longreach crasp transform` runs all of it.

`transform` has Boolean combinations and the mask j < i (Proposition 39), `quotient` the quotients by a word,
`blocks` inverse images and the removal of relations on padded words (Lemmas 34, 40, 42). `majority_logic` is
two-variable majority logic with its semantics, `majority_translation` translates a program into it
(Proposition 31), and `majority_printer` writes its formulas. docs/crasp.md shows them.
"""
