(** What the theorems rest on. `make proofs` compares what this prints with assumptions.txt. *)

From Longreach Require Import Programs Cropping Flows TheoremA Certificates Windows TheoremB Prediction.
From Longreach Require Import Construction YesCertificates LastMatch Cascades StableGroups Components Equivalence.

Print Assumptions accepts_tree.
Print Assumptions cropping.
Print Assumptions flows_mates.
Print Assumptions theorem_A_only_if_last_letter.
Print Assumptions theorem_A_only_if_eos.
Print Assumptions check_last_letter_sound.
Print Assumptions check_eos_sound.
Print Assumptions trans_correct.
Print Assumptions check_arrows_sound.
Print Assumptions check_arrows_eos_sound.
Print Assumptions check_positions_sound.
Print Assumptions check_prediction_sound.
Print Assumptions check_prediction_with_sound.
Print Assumptions check_both_sound.
Print Assumptions check_both_with_sound.
Print Assumptions construction.
Print Assumptions check_yes_sound.
Print Assumptions ranks_exist.
Print Assumptions last_match_some.
Print Assumptions last_match_none.
Print Assumptions state_is_last_matches.
Print Assumptions check_cascade_sound.
Print Assumptions check_group_sound.
(** Only these need an axiom: the law of excluded middle. *)
Print Assumptions theorem_A_last_letter.
Print Assumptions theorem_A_eos.
