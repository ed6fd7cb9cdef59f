(** Complete deterministic automata as tables, and the graph of a set of states. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Graphs Flows.
Import ListNotations.

(** States and letters are 0, 1, …; state 0 is the initial one. A row of the table is a state, with the target
    of each letter. *)
Record automaton : Type := Automaton { letters : nat; rows : list (list nat); accepting : list nat }.

Definition delta (A : automaton) (q a : nat) : nat := nth a (nth q (rows A) []) 0.
Definition states (A : automaton) : nat := length (rows A).

Definition complete (A : automaton) : bool :=
  Nat.ltb 0 (states A) && Nat.ltb 0 (letters A) && forallb (fun q => Nat.ltb q (states A)) (accepting A) &&
  forallb (fun row => Nat.eqb (length row) (letters A) && forallb (fun q => Nat.ltb q (states A)) row) (rows A).

(** The state after a word, and whether it is accepting. *)
Definition state_after (A : automaton) (q : nat) (w : list nat) : nat := fold_left (delta A) w q.
Definition accepted_from (A : automaton) (q : nat) (w : list nat) : bool := mem (state_after A q w) (accepting A).
Definition recognizes (A : automaton) (w : list nat) : bool := accepted_from A 0 w.

(** Words over the alphabet. *)
Definition over (A : automaton) (w : list nat) : Prop := Forall (fun a => a < letters A) w.
Definition over_b (A : automaton) (w : list nat) : bool := forallb (fun a => Nat.ltb a (letters A)) w.

Lemma over_b_over A w : over_b A w = true -> over A w.
Proof.
  intro H. apply Forall_forall. intros a I. unfold over_b in H. rewrite forallb_forall in H.
  apply Nat.ltb_lt, H, I.
Qed.

(** All states are reachable, and different states accept different words. *)
Definition minimal (A : automaton) : Prop :=
  (forall q, q < states A -> exists x, over A x /\ state_after A 0 x = q) /\
  (forall q q', q < states A -> q' < states A -> q <> q' ->
     exists v, over A v /\ accepted_from A q v <> accepted_from A q' v).

Lemma delta_state A q a : complete A = true -> delta A q a < states A.
Proof.
  unfold complete. rewrite !andb_true_iff, !forallb_forall. intros (((N & _) & _) & R).
  apply Nat.ltb_lt in N. unfold delta.
  destruct (Nat.lt_ge_cases q (states A)) as [Q|Q].
  - specialize (R (nth q (rows A) []) (nth_In _ _ Q)). rewrite andb_true_iff, forallb_forall in R.
    destruct R as [_ R]. destruct (Nat.lt_ge_cases a (length (nth q (rows A) []))) as [B|B].
    + apply Nat.ltb_lt, R, nth_In, B.
    + rewrite nth_overflow by exact B. exact N.
  - rewrite (nth_overflow (rows A)) by exact Q. destruct a; exact N.
Qed.

Lemma state_after_app A q w w' : state_after A q (w ++ w') = state_after A (state_after A q w) w'.
Proof. apply fold_left_app. Qed.

(** The edges between states of the list X, labelled with letters. *)
Definition inner_step (A : automaton) (X : list nat) (q a : nat) : option nat :=
  if Nat.ltb a (letters A) && mem q X && mem (delta A q a) X then Some (delta A q a) else None.

Lemma inner_step_some A X q a r : inner_step A X q a = Some r ->
  a < letters A /\ In q X /\ In r X /\ r = delta A q a.
Proof.
  unfold inner_step. destruct (Nat.ltb a (letters A)) eqn:E1, (mem q X) eqn:E2, (mem (delta A q a) X) eqn:E3;
    simpl; intro H; try discriminate. injection H as <-.
  rewrite mem_in in *. apply Nat.ltb_lt in E1. auto.
Qed.

Lemma inner_run A X u : forall q r, run (inner_step A X) q u = Some r -> state_after A q u = r /\ over A u.
Proof.
  induction u as [|a u IH]; simpl; intros q r H.
  - injection H as ->. split; [reflexivity|constructor].
  - destruct (inner_step A X q a) as [s|] eqn:E; [|discriminate].
    apply inner_step_some in E. destruct E as (La & _ & _ & ->). destruct (IH _ _ H). split; [assumption|].
    constructor; assumption.
Qed.
