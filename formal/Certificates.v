(** Flow certificates, their check as a function, and its soundness. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions Programs Graphs Flows Automata TheoremA.
Import ListNotations.

(** What `longreach language --json` writes, with letters as numbers and whole weights. *)
Record certificate : Type := Certificate {
  component_states : list nat;
  component_classes : list (list nat);
  component_flows : list flow;
  mate1 : nat;
  mate2 : nat;
  before : list nat;  (** leads from the initial state into the component *)
  tail : list nat  (** accepted from exactly one of the mates *)
}.

Fixpoint distinct (l : list nat) : bool :=
  match l with [] => true | v :: l' => negb (mem v l') && distinct l' end.

Definition check (A : automaton) (c : certificate) : bool :=
  let X := component_states c in
  let step := inner_step A X in
  let p := state_after A 0 (before c) in
  distinct X && distinct (concat (component_classes c)) &&
  forallb (fun v => mem v X) (concat (component_classes c)) &&
  complete A && over_b A (before c) && over_b A (tail c) &&
  mem p X && mem (mate1 c) X && mem (mate2 c) X &&
  connected X step (letters A) p &&
  flows_ok X step (component_classes c) (component_flows c) &&
  Nat.eqb (kind (component_classes c) (mate1 c)) (kind (component_classes c) (mate2 c)) &&
  negb (Bool.eqb (accepted_from A (mate1 c) (tail c)) (accepted_from A (mate2 c) (tail c))).

Definition check_last_letter (A : automaton) (c : certificate) : bool :=
  check A c && match tail c with [] => false | _ => true end.
Definition check_eos (A : automaton) (c : certificate) : bool := check A c.

(** No program without positions, read at the last letter, agrees with the automaton on all nonempty words. *)
Definition no_program (A : automaton) : Prop :=
  forall P, no_positions P = true -> exists w, w <> [] /\ over A w /\ accepts P w <> recognizes A w.

(** The same at the end of the sequence, whatever letter stands there, a new one or not. *)
Definition no_program_eos (A : automaton) : Prop :=
  forall eos P, no_positions P = true -> exists w, over A w /\ accepts_eos eos P w <> recognizes A w.

Lemma check_parts A c : check A c = true ->
  let X := component_states c in
  let p := state_after A 0 (before c) in
  In p X /\ (forall v, In v X -> (exists u, run (inner_step A X) p u = Some v) /\
                                 (exists u, run (inner_step A X) v u = Some p)) /\
  over A (before c) /\ over A (tail c) /\ In (mate1 c) X /\ In (mate2 c) X /\
  (forall k, mates_in A X k (mate1 c) (mate2 c)) /\
  accepted_from A (mate1 c) (tail c) <> accepted_from A (mate2 c) (tail c).
Proof.
  unfold check. rewrite !andb_true_iff, !mem_in, Nat.eqb_eq, negb_true_iff.
  intros ((((((((((_ & _) & Ob) & Ot) & Ip) & I1) & I2) & C) & F) & K) & N).
  split; [exact Ip|]. split; [apply (connected_sound _ _ _ _ C)|].
  split; [apply over_b_over, Ob|]. split; [apply over_b_over, Ot|]. split; [exact I1|]. split; [exact I2|]. split.
  - intro k. eapply flows_mates; eassumption.
  - intro E. rewrite E, Bool.eqb_reflx in N. discriminate.
Qed.

Theorem check_last_letter_sound A c : check_last_letter A c = true -> no_program A.
Proof.
  unfold check_last_letter. rewrite andb_true_iff. intros (C & T) P U.
  destruct (check_parts A c C) as (Ip & S & Ob & Ot & I1 & I2 & M & N).
  apply (last_letter_fails A (component_states c) (state_after A 0 (before c)) (before c)
    (mate1 c) (mate2 c) (depth P) (tail c)); auto.
  intro E. rewrite E in T. discriminate.
Qed.

Theorem check_eos_sound A c : check_eos A c = true -> no_program_eos A.
Proof.
  intros C eos P U. destruct (check_parts A c C) as (Ip & S & Ob & Ot & I1 & I2 & M & N).
  apply (eos_fails A (component_states c) (state_after A 0 (before c)) (before c)
    (mate1 c) (mate2 c) (depth P) (tail c)); auto.
Qed.
