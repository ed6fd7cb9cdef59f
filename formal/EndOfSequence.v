(** An automaton that reads the end of the sequence as a letter: a program read at the end of the sequence for
    the one is a program read at the last letter for the other. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions Programs Graphs Flows Automata TheoremA Definable Construction.
Import ListNotations.

Section End.
Variable A : automaton.
Hypothesis A_complete : complete A = true.
Notation n := (states A).

(** Two new states, n after an accepted word and n + 1 for all else, and a new letter. *)
Definition with_end : automaton :=
  Automaton (S (letters A))
    (map (fun q => nth q (rows A) [] ++ [if mem q (accepting A) then n else S n]) (seq 0 n) ++
     [repeat (S n) (S (letters A)); repeat (S n) (S (letters A))])
    [n].

Lemma with_end_states : states with_end = S (S n).
Proof. unfold states at 1. cbn [rows with_end]. rewrite app_length, map_length, seq_length. cbn. lia. Qed.

Lemma row_length q : q < n -> length (nth q (rows A) []) = letters A.
Proof.
  intro Q. pose proof A_complete as C. unfold complete in C. rewrite !andb_true_iff, !forallb_forall in C.
  destruct C as (_ & R). specialize (R _ (nth_In _ [] Q)). rewrite andb_true_iff in R. apply Nat.eqb_eq, R.
Qed.

Lemma with_end_row q : q < n ->
  nth q (rows with_end) [] = nth q (rows A) [] ++ [if mem q (accepting A) then n else S n].
Proof.
  intro Q. cbn [rows with_end]. rewrite app_nth1 by (rewrite map_length, seq_length; exact Q).
  rewrite (nth_indep _ [] (nth 0 (rows A) [] ++ [if mem 0 (accepting A) then n else S n]))
    by (rewrite map_length, seq_length; exact Q).
  rewrite (map_nth (fun q => nth q (rows A) [] ++ [if mem q (accepting A) then n else S n])).
  rewrite seq_nth by exact Q. reflexivity.
Qed.

Lemma delta_inner q a : q < n -> a < letters A -> delta with_end q a = delta A q a.
Proof.
  intros Q L. unfold delta. rewrite with_end_row by exact Q. apply app_nth1. rewrite row_length; assumption.
Qed.

Lemma delta_end q : q < n -> delta with_end q (letters A) = if mem q (accepting A) then n else S n.
Proof.
  intro Q. unfold delta. rewrite with_end_row, app_nth2, row_length, Nat.sub_diag by (rewrite ?row_length; auto).
  reflexivity.
Qed.

Lemma delta_new q a : n <= q < S (S n) -> a < S (letters A) -> delta with_end q a = S n.
Proof.
  intros Q L. unfold delta. cbn [rows with_end]. rewrite app_nth2 by (rewrite map_length, seq_length; lia).
  rewrite map_length, seq_length. assert (q - n = 0 \/ q - n = 1) as [-> | ->] by lia; cbn [nth];
    (rewrite (nth_indep _ 0 (S n)) by (rewrite repeat_length; exact L)); apply nth_repeat.
Qed.

Lemma with_end_complete : complete with_end = true.
Proof.
  pose proof A_complete as C. unfold complete in C. rewrite !andb_true_iff, !forallb_forall in C.
  destruct C as (((N & La) & _) & R). apply Nat.ltb_lt in N.
  unfold complete. rewrite with_end_states. cbn [letters accepting rows with_end].
  rewrite !andb_true_iff. repeat split.
  - cbn [forallb]. rewrite andb_true_r. apply Nat.ltb_lt. lia.
  - rewrite forallb_app, andb_true_iff. split.
    + apply forallb_forall. intros row I. apply in_map_iff in I. destruct I as (q & <- & I).
      apply in_seq in I. rewrite andb_true_iff, app_length, row_length by lia. cbn [length]. split.
      { apply Nat.eqb_eq. lia. }
      rewrite forallb_app, andb_true_iff. split.
      * specialize (R _ (nth_In (rows A) [] (proj2 I))). rewrite andb_true_iff, forallb_forall in R.
        apply forallb_forall. intros x Ix. destruct R as [_ R]. specialize (R x Ix). apply Nat.ltb_lt in R.
        apply Nat.ltb_lt. lia.
      * cbn [forallb]. rewrite andb_true_r. apply Nat.ltb_lt. destruct (mem q (accepting A)); lia.
    + assert (G : (length (repeat (S n) (S (letters A))) =? S (letters A)) &&
        forallb (fun q => q <? S (S n)) (repeat (S n) (S (letters A))) = true).
      { rewrite repeat_length, Nat.eqb_refl. cbn [andb]. apply forallb_forall. intros x I.
        apply repeat_spec in I. subst x. apply Nat.ltb_lt. lia. }
      cbn [forallb]. rewrite G. reflexivity.
Qed.

Lemma state_inner w : forall q, q < n -> over A w -> state_after with_end q w = state_after A q w /\
  state_after A q w < n.
Proof.
  induction w as [|a w IH]; intros q Q O; [auto|]. inversion O; subst. cbn [state_after fold_left].
  rewrite delta_inner by assumption. apply IH; [apply delta_state, A_complete|assumption].
Qed.

Lemma recognizes_end w : over A w -> recognizes with_end (w ++ [letters A]) = recognizes A w.
Proof.
  intro O. assert (Q : 0 < n).
  { pose proof A_complete as C. unfold complete in C. rewrite !andb_true_iff in C. apply Nat.ltb_lt, C. }
  unfold recognizes, accepted_from. rewrite state_after_app.
  destruct (state_inner w 0 Q O) as [E L]. rewrite E. cbn [state_after fold_left].
  rewrite delta_end by exact L. cbn [accepting with_end mem existsb]. unfold mem at 2.
  fold (mem (state_after A 0 w) (accepting A)).
  destruct (mem (state_after A 0 w) (accepting A)); cbn [existsb]; rewrite orb_false_r.
  - apply Nat.eqb_refl.
  - apply Nat.eqb_neq. lia.
Qed.

Lemma over_end w : over A w -> over with_end (w ++ [letters A]).
Proof.
  intro O. unfold over in *. cbn [letters with_end]. rewrite Forall_app. split.
  - eapply Forall_impl; [|exact O]. cbn. lia.
  - constructor; [lia|constructor].
Qed.

(** Ranks: the new states come last. *)
Variable rank : nat -> nat.
Hypothesis rank_up : forall q a, q < n -> a < letters A -> rank q <= rank (delta A q a).
Definition highest : nat := list_max (map rank (seq 0 n)).
Definition rank_end (q : nat) : nat := if q <? n then rank q else q + S highest.

Lemma rank_highest q : q < n -> rank q <= highest.
Proof.
  intro Q. pose proof (proj1 (list_max_le (map rank (seq 0 n)) _) (le_n _)) as F.
  rewrite Forall_forall in F. apply F, in_map, in_seq. lia.
Qed.

Lemma rank_end_up q a : q < states with_end -> a < letters with_end -> rank_end q <= rank_end (delta with_end q a).
Proof.
  rewrite with_end_states. cbn [letters with_end]. intros Q L. unfold rank_end at 1.
  destruct (Nat.ltb_spec q n) as [C|C].
  - pose proof (rank_highest q C). destruct (Nat.eq_dec a (letters A)) as [->|E].
    + rewrite delta_end by exact C. unfold rank_end. destruct (mem q (accepting A)).
      * destruct (Nat.ltb_spec n n); lia.
      * destruct (Nat.ltb_spec (S n) n); lia.
    + rewrite delta_inner by lia. unfold rank_end.
      pose proof (delta_state A q a A_complete). destruct (Nat.ltb_spec (delta A q a) n); [|lia].
      apply rank_up; lia.
  - rewrite delta_new by lia. unfold rank_end. destruct (Nat.ltb_spec (S n) n); lia.
Qed.

(** The layers of old states are as before; each new state is alone. *)
Lemma layer_end m q : In q (layer with_end rank_end m) ->
  (q < n /\ In q (layer A rank m) /\ m <= highest) \/ (n <= q < S (S n) /\ m = q + S highest).
Proof.
  rewrite in_layer, with_end_states. unfold rank_end. destruct (Nat.ltb_spec q n) as [C|C]; intros (L & E).
  - left. split; [exact C|]. rewrite in_layer. pose proof (rank_highest q C). auto with zarith.
  - right. lia.
Qed.

Lemma layer_old m q : m <= highest -> (In q (layer with_end rank_end m) <-> In q (layer A rank m)).
Proof.
  intro Hm. split; intro I.
  - destruct (layer_end m q I) as [(_ & K & _)|(K & E)]; [exact K|lia].
  - apply in_layer in I. destruct I as [L E]. apply in_layer. rewrite with_end_states.
    unfold rank_end. destruct (Nat.ltb_spec q n); [auto with zarith|lia].
Qed.

Lemma step_end m q a : m <= highest -> inner_step with_end (layer with_end rank_end m) q a =
  inner_step A (layer A rank m) q a.
Proof.
  intro Hm. assert (M : forall x, mem x (layer with_end rank_end m) = mem x (layer A rank m)).
  { intro x. apply eq_true_iff_eq. rewrite !mem_in. apply layer_old, Hm. }
  unfold inner_step. rewrite !M. cbn [letters with_end].
  destruct (mem q (layer A rank m)) eqn:E; [|rewrite !andb_false_r; reflexivity].
  apply mem_in, in_layer in E. destruct E as [L _].
  destruct (Nat.ltb_spec a (letters A)) as [C|C], (Nat.ltb_spec a (S (letters A))) as [D|D]; try lia;
    cbn [andb]; try reflexivity.
  - rewrite delta_inner by assumption. reflexivity.
  - assert (a = letters A) by lia. subst a. rewrite delta_end by exact L.
    destruct (mem (if mem q (accepting A) then n else S n) (layer A rank m)) eqn:F; [|reflexivity].
    apply mem_in, in_layer in F. destruct (mem q (accepting A)); lia.
Qed.

End End.

(** Mates depend on vertices and edges only. *)
Lemma mates_same {V Lab} (I I' : V -> Prop) (s s' : V -> Lab -> option V) :
  (forall v, I v <-> I' v) -> (forall v l, s v l = s' v l) ->
  forall k v w, mates I s k v w -> mates I' s' k v w.
Proof.
  intros HI Hs. assert (G : forall k v w, mates I s k v w <-> mates I' s' k v w).
  { induction k as [|k IH]; [tauto|]. intros v w. cbn [mates].
    assert (P : forall f, potential I s (mates I s k) f <-> potential I' s' (mates I' s' k) f).
    { intro f. unfold potential. split; intros H x x' l y y' A1 A2 A3 A4 A5.
      - apply (H x x' l y y'); try apply HI; try apply IH; auto; rewrite Hs; assumption.
      - apply (H x x' l y y'); try (apply HI; assumption); try (apply IH; assumption);
          rewrite <- Hs; assumption. }
    split; intros H f K; apply H, P, K. }
  intros k v w. apply G.
Qed.
