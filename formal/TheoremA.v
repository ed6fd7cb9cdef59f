(** Theorem A, "only if", for both readings: what a program without positions cannot tell apart. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions Programs Graphs Cropping Flows Automata.
Import ListNotations.

(** Mates of round k in the graph of the states X of an automaton. *)
Definition mates_in (A : automaton) (X : list nat) (k q q' : nat) : Prop :=
  mates (fun v => In v X) (inner_step A X) k q q'.

(** Each of the states X can be reached from each, within X. *)
Definition component (A : automaton) (X : list nat) : Prop :=
  strongly_connected (fun v => In v X) (inner_step A X).

Lemma after_letters (x u : list nat) : after nat nat (fun a => [a]) x u = rev u ++ x.
Proof.
  revert x. induction u as [|a u IH]; simpl; intro x; [reflexivity|]. rewrite IH, <- app_assoc. reflexivity.
Qed.

(** Two words that lead to given mates and that the operation [b] does not tell apart, before the tail [y]. *)
Theorem alike A X p x q1 q2 k b y : In p X ->
  (forall v, In v X -> (exists u, run (inner_step A X) p u = Some v) /\
                       (exists u, run (inner_step A X) v u = Some p)) ->
  over A x -> state_after A 0 x = p -> In q1 X -> In q2 X -> mates_in A X k q1 q2 ->
  buses false false b = true -> bdepth b <= k -> y <> [] ->
  exists w1 w2, over A w1 /\ over A w2 /\ state_after A 0 w1 = q1 /\ state_after A 0 w2 = q2 /\
    bval b (rev (w1 ++ y)) = bval b (rev (w2 ++ y)).
Proof.
  intros Ip C Ox Hx I1 I2 M U D Y.
  destruct (finite_choice Nat.eq_dec [] (fun v u => run (inner_step A X) p u = Some v) X) as [t T].
  { intros v Iv. apply C, Iv. }
  destruct (finite_choice Nat.eq_dec [] (fun v u => run (inner_step A X) v u = Some p) X) as [r B].
  { intros v Iv. apply C, Iv. }
  pose (R := length (t q1) + length (t q2) + length y).
  destruct (cropping nat nat nat X (seq 0 (letters A)) (inner_step A X) (fun a => [a]) p t r) with
    (k := k) (bs := [b]) (x := rev x) (R := R) as (c & Pc & Bc).
  - exact Ip.
  - intros v l w _ E. apply inner_step_some in E. tauto.
  - intros v l w E. apply inner_step_some in E. apply in_seq. lia.
  - exact T.
  - exact B.
  - intros b' [<-|[]]. auto.
  - specialize (Bc b (or_introl eq_refl) (t q1) (t q2) q1 q2 (rev y) (T q1 I1) (T q2 I2)).
    assert (K : run (inner_step A X) p c = Some p).
    { eapply product_closed; try exact Pc; try eassumption. intros v l w _ E. apply inner_step_some in E. tauto. }
    apply inner_run in K. destruct K as [K Oc].
    destruct (inner_run _ _ _ _ _ (T q1 I1)) as [K1 O1], (inner_run _ _ _ _ _ (T q2 I2)) as [K2 O2].
    exists (x ++ c ++ t q1), (x ++ c ++ t q2). unfold over in *. rewrite !Forall_app, !state_after_app, Hx, K.
    repeat split; try assumption.
    rewrite !after_letters in Bc. rewrite !rev_app_distr, <- !app_assoc. apply Bc; try (unfold R; lia).
    + exact M.
    + intro N. apply Y. rewrite <- (rev_involutive y), N. reflexivity.
    + rewrite rev_length. unfold R. lia.
Qed.

(** A program of depth at most k fails if two mates of round k are told apart by a nonempty tail. *)
Theorem last_letter_fails A X p x q1 q2 k y P : In p X ->
  (forall v, In v X -> (exists u, run (inner_step A X) p u = Some v) /\
                       (exists u, run (inner_step A X) v u = Some p)) ->
  over A x -> state_after A 0 x = p -> In q1 X -> In q2 X -> mates_in A X k q1 q2 ->
  no_positions P = true -> depth P <= k ->
  y <> [] -> over A y -> accepted_from A q1 y <> accepted_from A q2 y ->
  exists w, w <> [] /\ over A w /\ accepts P w <> recognizes A w.
Proof.
  intros Ip C Ox Hx I1 I2 M U D Y Oy N.
  destruct (alike A X p x q1 q2 k (program_tree P) y) as (w1 & w2 & O1 & O2 & S1 & S2 & E); try assumption.
  { apply program_tree_uses, U. }
  { pose proof (program_tree_depth P). lia. }
  rewrite <- !accepts_tree in E.
  assert (R1 : recognizes A (w1 ++ y) = accepted_from A q1 y).
  { unfold recognizes, accepted_from. rewrite state_after_app, S1. reflexivity. }
  assert (R2 : recognizes A (w2 ++ y) = accepted_from A q2 y).
  { unfold recognizes, accepted_from. rewrite state_after_app, S2. reflexivity. }
  destruct (bool_dec (accepts P (w1 ++ y)) (recognizes A (w1 ++ y))) as [Q|Q].
  - exists (w2 ++ y). repeat split.
    + intro Z. apply Y. apply app_eq_nil in Z. tauto.
    + unfold over in *. rewrite Forall_app. auto.
    + congruence.
  - exists (w1 ++ y). repeat split.
    + intro Z. apply Y. apply app_eq_nil in Z. tauto.
    + unfold over in *. rewrite Forall_app. auto.
    + exact Q.
Qed.

(** Read at the end of the sequence, the tail may be empty. *)
Theorem eos_fails A X p x q1 q2 k y eos P : In p X ->
  (forall v, In v X -> (exists u, run (inner_step A X) p u = Some v) /\
                       (exists u, run (inner_step A X) v u = Some p)) ->
  over A x -> state_after A 0 x = p -> In q1 X -> In q2 X -> mates_in A X k q1 q2 ->
  no_positions P = true -> depth P <= k ->
  over A y -> accepted_from A q1 y <> accepted_from A q2 y ->
  exists w, over A w /\ accepts_eos eos P w <> recognizes A w.
Proof.
  intros Ip C Ox Hx I1 I2 M U D Oy N.
  destruct (alike A X p x q1 q2 k (program_tree P) (y ++ [eos])) as (w1 & w2 & O1 & O2 & S1 & S2 & E);
    try assumption.
  { apply program_tree_uses, U. }
  { pose proof (program_tree_depth P). lia. }
  { intro Z. apply app_eq_nil in Z. destruct Z. discriminate. }
  rewrite <- !accepts_tree, !app_assoc in E. fold (accepts_eos eos P (w1 ++ y)) (accepts_eos eos P (w2 ++ y)) in E.
  assert (R1 : recognizes A (w1 ++ y) = accepted_from A q1 y).
  { unfold recognizes, accepted_from. rewrite state_after_app, S1. reflexivity. }
  assert (R2 : recognizes A (w2 ++ y) = accepted_from A q2 y).
  { unfold recognizes, accepted_from. rewrite state_after_app, S2. reflexivity. }
  destruct (bool_dec (accepts_eos eos P (w1 ++ y)) (recognizes A (w1 ++ y))) as [Q|Q].
  - exists (w2 ++ y). split; [unfold over in *; rewrite Forall_app; auto|congruence].
  - exists (w1 ++ y). split; [unfold over in *; rewrite Forall_app; auto|exact Q].
Qed.

(** * Theorem A, only if

    Of a program of depth k. Since mates of all rounds are mates of round k, the condition for all rounds
    follows. Components may be any strongly connected sets of states. *)

Definition condition_last_letter (A : automaton) (k : nat) : Prop :=
  forall X q1 q2 a, component A X -> Forall (fun q => q < states A) X -> In q1 X -> In q2 X ->
    mates_in A X k q1 q2 -> a < letters A -> delta A q1 a = delta A q2 a.

Definition condition_eos (A : automaton) (k : nat) : Prop :=
  forall X q1 q2, component A X -> Forall (fun q => q < states A) X -> In q1 X -> In q2 X ->
    mates_in A X k q1 q2 -> q1 = q2.

Theorem theorem_A_only_if_last_letter A k P : complete A = true -> minimal A ->
  no_positions P = true -> depth P <= k ->
  (forall w, w <> [] -> over A w -> accepts P w = recognizes A w) -> condition_last_letter A k.
Proof.
  intros W (Re & Di) U D H X q1 q2 a C S I1 I2 M La. rewrite Forall_forall in S.
  destruct (Nat.eq_dec (delta A q1 a) (delta A q2 a)) as [E|E]; [exact E|exfalso].
  destruct (Di _ _ (delta_state A q1 a W) (delta_state A q2 a W) E) as (v & Ov & N).
  destruct (Re q1 (S q1 I1)) as (x & Ox & Hx).
  destruct (last_letter_fails A X q1 x q1 q2 k (a :: v) P) as (w & Nw & Ow & F); try assumption.
  - intros s Is. split; apply C; assumption.
  - discriminate.
  - constructor; assumption.
  - apply F, H; assumption.
Qed.

Theorem theorem_A_only_if_eos A k eos P : complete A = true -> minimal A ->
  no_positions P = true -> depth P <= k ->
  (forall w, over A w -> accepts_eos eos P w = recognizes A w) -> condition_eos A k.
Proof.
  intros W (Re & Di) U D H X q1 q2 C S I1 I2 M. rewrite Forall_forall in S.
  destruct (Nat.eq_dec q1 q2) as [E|E]; [exact E|exfalso].
  destruct (Di q1 q2 (S q1 I1) (S q2 I2) E) as (v & Ov & N).
  destruct (Re q1 (S q1 I1)) as (x & Ox & Hx).
  destruct (eos_fails A X q1 x q1 q2 k v eos P) as (w & Ow & F); try assumption.
  - intros s Is. split; apply C; assumption.
  - apply F, H; assumption.
Qed.
