"""Certificates, checkers that share nothing with what finds them, and proofs for all lengths.

`language_certificates` are the documents, made by `proof_to_certificate`. `flow_checker`,
`program_checker`, `prediction_checker` and `predictor_checker` check them; `findings` are their words.
`induction` proves a program for all lengths, on the steps of `machine`; `rightness` tries it where there is
no proof; `program_to_automaton` finds the automaton of a program; `flow_explainer` says why there is none.
`first_difference` decides programs without nested counts exactly, on the graph of `window_graph`;
`equivalence` answers whether two programs agree, or accept anything. `coq_instance` writes
certificates for Coq, and `coq_check` asks it.
"""
