(** What the theorems rest on: `make proofs` prints this, and fails if it is more than Coq itself. *)

From Longreach Require Import Programs Cropping Flows TheoremA Certificates.

Print Assumptions accepts_tree.
Print Assumptions cropping.
Print Assumptions flows_mates.
Print Assumptions theorem_A_only_if_last_letter.
Print Assumptions theorem_A_only_if_eos.
Print Assumptions check_last_letter_sound.
Print Assumptions check_eos_sound.
