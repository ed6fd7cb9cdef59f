(** Theorem A, both halves. The only file that uses an axiom: the law of excluded middle, by which two states
    are mates or some potential separates them. *)

From Coq Require Import List Arith ZArith Lia Bool Classical_Prop Classical_Pred_Type.
From Longreach Require Import Expressions Programs Graphs Flows Automata TheoremA Definable Construction.
Import ListNotations.

(** Components in an order in which letters lead only forward: the states of one rank are one component. *)
Definition ranked (A : automaton) (rank : nat -> nat) : Prop :=
  (forall q a, q < states A -> a < letters A -> rank q <= rank (delta A q a)) /\
  (forall m, component A (layer A rank m)).

(** Mates in every round. *)
Definition alike_in (A : automaton) (X : list nat) (q q' : nat) : Prop := forall k, mates_in A X k q q'.

Lemma mates_le V Lab (inside : V -> Prop) (step : V -> Lab -> option V) k k' v w :
  k <= k' -> mates inside step k' v w -> mates inside step k v w.
Proof. induction 1 as [|k' _ IH]; [auto|]. intro M. apply IH, mates_refine, M. Qed.

Lemma mates_or_separated A X k q q' : mates_in A X k q q' \/ separated A X k q q'.
Proof.
  destruct k as [|k]; [left; exact I|]. destruct (classic (mates_in A X (S k) q q')) as [M|M]; [left; exact M|].
  right. apply not_all_ex_not in M. destruct M as (f & M). exists f. apply imply_to_and in M. exact M.
Qed.

Lemma last_round A X : exists l, forall q q', In q X -> In q' X -> mates_in A X l q q' -> alike_in A X q q'.
Proof.
  destruct (finite_choice pair_dec 0 (fun p l => mates_in A X l (fst p) (snd p) -> alike_in A X (fst p) (snd p))
    (list_prod X X)) as [l H].
  { intros [q q'] _. cbn. destruct (classic (alike_in A X q q')) as [C|C]; [exists 0; auto|].
    apply not_all_ex_not in C. destruct C as (k & C). exists k. intro M. contradiction. }
  exists (list_max (map l (list_prod X X))). intros q q' I I' M.
  assert (Ip : In (q, q') (list_prod X X)) by (apply in_prod; assumption).
  apply (H (q, q') Ip). cbn. eapply mates_le; [|exact M].
  pose proof (proj1 (list_max_le (map l (list_prod X X)) _) (le_n _)) as F. rewrite Forall_forall in F.
  apply F, in_map, Ip.
Qed.

(** Theorem A, read at the last letter, for all words but the empty one. *)
Theorem theorem_A_last_letter A rank : complete A = true -> minimal A -> ranked A rank ->
  (exists P, no_positions P = true /\ forall w, w <> [] -> over A w -> accepts P w = recognizes A w) <->
  (forall m q1 q2 a, In q1 (layer A rank m) -> In q2 (layer A rank m) -> alike_in A (layer A rank m) q1 q2 ->
     a < letters A -> delta A q1 a = delta A q2 a).
Proof.
  intros W Mi (Up & Co). split.
  - intros (P & U & H) m q1 q2 a I1 I2 M La.
    apply (theorem_A_only_if_last_letter A (depth P) P W Mi U (le_n _) H (layer A rank m)); auto.
    apply Forall_forall. intros q I. apply in_layer in I. tauto.
  - intro C.
    destruct (finite_choice Nat.eq_dec 0 (fun m l => forall q q', In q (layer A rank m) -> In q' (layer A rank m) ->
        mates_in A (layer A rank m) l q q' -> alike_in A (layer A rank m) q q')
      (map rank (seq 0 (states A)))) as [round R].
    { intros m _. apply last_round. }
    apply (construction A rank W Up round).
    + intros m k q q' _ _ _. apply mates_or_separated.
    + intros m q q' a I I' M La. apply (C m q q' a I I'); [|exact La]. apply R; auto.
      pose proof (proj1 (in_layer A rank m q) I) as [L <-]. apply in_map, in_seq. lia.
Qed.
