(** Theorem C, "only if": certificates against programs that predict, on prefixes of words of the language,
    which letters may follow and whether the word may end. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions Programs Graphs Flows Automata TheoremA Certificates TheoremB.
Import ListNotations.

(** One Boolean operation for each letter, and one for the end. *)
Record predictor : Type := Predictor { predictor_ops : list op; outputs : list nat; output_end : nat }.

Definition predicts (P : predictor) (a : nat) (w : list nat) : bool :=
  value (predictor_ops P) (nth a (outputs P) 0) w.
Definition predicts_end (P : predictor) (w : list nat) : bool := value (predictor_ops P) (output_end P) w.
Definition predictor_uses (periodic local : bool) (P : predictor) : bool :=
  forallb (op_uses periodic local) (predictor_ops P).

(** The word begins a word of the language; a letter may follow it. *)
Definition begins (A : automaton) (w : list nat) : Prop :=
  exists v, over A v /\ recognizes A (w ++ v) = true.
Definition legal (A : automaton) (w : list nat) (a : nat) : Prop := begins A (w ++ [a]).

(** Right after all nonempty words that begin words of the language. *)
Definition right_on_prefixes (A : automaton) (P : predictor) : Prop :=
  forall w, w <> [] -> over A w -> begins A w ->
    (forall a, a < letters A -> (predicts P a w = true <-> legal A w a)) /\
    predicts_end P w = recognizes A w.

Definition no_predictor (A : automaton) : Prop :=
  forall P, predictor_uses false false P = true -> ~ right_on_prefixes A P.
Definition no_predictor_with (periodic : bool) (A : automaton) : Prop :=
  forall P, predictor_uses periodic true P = true -> ~ right_on_prefixes A P.

(** * Live states *)

Definition live (A : automaton) (q : nat) : Prop := exists v, over A v /\ accepted_from A q v = true.

Definition targets (A : automaton) (q : nat) : list nat := map (delta A q) (seq 0 (letters A)).
Definition all_reached (A : automaton) (q : nat) : list nat := reached (targets A) (S (states A)) q.

(** Some accepting state is reached; or what is reached is closed and has none. *)
Definition alive (A : automaton) (q : nat) : bool := existsb (fun r => mem r (accepting A)) (all_reached A q).
Definition dead (A : automaton) (q : nat) : bool :=
  let r := all_reached A q in
  mem q r && forallb (fun s => negb (mem s (accepting A)) && forallb (fun t => mem t r) (targets A s)) r.

Lemma alive_live A q : alive A q = true -> live A q.
Proof.
  unfold alive. rewrite existsb_exists. intros (r & I & Acc).
  assert (L : exists v, over A v /\ state_after A q v = r).
  { apply (reached_sound (targets A) (fun r => exists v, over A v /\ state_after A q v = r) (S (states A)) q);
      [|intros s t (v & O & <-) It|exact I].
    - exists []. split; [constructor|reflexivity].
    - apply in_map_iff in It. destruct It as (a & <- & Ia). apply in_seq in Ia. exists (v ++ [a]).
      rewrite state_after_app. split; [|reflexivity]. unfold over in *. rewrite Forall_app.
      split; [exact O|]. constructor; [lia|constructor]. }
  destruct L as (v & O & E). exists v. split; [exact O|]. unfold accepted_from. rewrite E. exact Acc.
Qed.

Lemma dead_not_live A q : dead A q = true -> ~ live A q.
Proof.
  unfold dead. rewrite andb_true_iff, mem_in, forallb_forall. intros (I & C) (v & O & Acc).
  assert (S : forall w s, In s (all_reached A q) -> over A w -> In (state_after A s w) (all_reached A q)).
  { induction w as [|a w IH]; intros s Is Ow; [exact Is|]. inversion Ow; subst. cbn [state_after fold_left].
    apply IH; [|assumption]. specialize (C s Is). rewrite andb_true_iff, forallb_forall in C.
    apply mem_in, C. apply in_map, in_seq. lia. }
  specialize (C _ (S v q I O)). unfold accepted_from in Acc. rewrite Acc in C. discriminate.
Qed.

(** A letter, or the end, is legal at exactly one of two states. *)
Definition symbol_differs (A : automaton) (r1 r2 : nat) (s : option nat) : bool :=
  match s with
  | None => negb (Bool.eqb (mem r1 (accepting A)) (mem r2 (accepting A)))
  | Some b => Nat.ltb b (letters A) &&
      ((alive A (delta A r1 b) && dead A (delta A r2 b)) || (dead A (delta A r1 b) && alive A (delta A r2 b)))
  end.

Definition prediction_differs (A : automaton) (q1 q2 : nat) (t : list nat) (s : option nat) : bool :=
  let r1 := state_after A q1 t in let r2 := state_after A q2 t in
  negb (Nat.eqb (length t) 0) && over_b A t && alive A r1 && alive A r2 && symbol_differs A r1 r2 s.

Lemma begins_live A w : over A w -> (begins A w <-> live A (state_after A 0 w)).
Proof.
  intro O. unfold begins, live, recognizes, accepted_from. split; intros (v & Ov & H); exists v;
    (split; [exact Ov|]); rewrite state_after_app in *; exact H.
Qed.

Lemma legal_live A w a : over A w -> a < letters A -> (legal A w a <-> live A (delta A (state_after A 0 w) a)).
Proof.
  intros O L. unfold legal. rewrite begins_live.
  - rewrite state_after_app. reflexivity.
  - unfold over in *. rewrite Forall_app. split; [exact O|]. constructor; [exact L|constructor].
Qed.

Lemma prediction_fails A q1 q2 t s P : prediction_differs A q1 q2 t s = true ->
  (forall k, t <> [] -> exists w1 w2, over A w1 /\ over A w2 /\ state_after A 0 w1 = q1 /\
     state_after A 0 w2 = q2 /\ value (predictor_ops P) k (w1 ++ t) = value (predictor_ops P) k (w2 ++ t)) ->
  ~ right_on_prefixes A P.
Proof.
  unfold prediction_differs. rewrite !andb_true_iff. intros ((((N & O) & L1) & L2) & D) H R.
  assert (T : t <> []) by (intros ->; discriminate). apply over_b_over in O.
  apply alive_live in L1, L2.
  destruct (H (match s with Some b => nth b (outputs P) 0 | None => output_end P end) T)
    as (w1 & w2 & O1 & O2 & S1 & S2 & E).
  assert (Each : forall w q, over A w -> state_after A 0 w = q -> live A (state_after A q t) ->
    (forall a, a < letters A -> (predicts P a (w ++ t) = true <-> live A (delta A (state_after A q t) a))) /\
    predicts_end P (w ++ t) = mem (state_after A q t) (accepting A)).
  { intros w q Ow Sw L. assert (Owt : over A (w ++ t)) by (unfold over in *; rewrite Forall_app; auto).
    assert (Swt : state_after A 0 (w ++ t) = state_after A q t) by (rewrite state_after_app, Sw; reflexivity).
    destruct (R (w ++ t)) as [Ra Re].
    - intro Z. apply app_eq_nil in Z. tauto.
    - exact Owt.
    - apply begins_live; [exact Owt|]. rewrite Swt. exact L.
    - split.
      + intros a La. rewrite (Ra a La), legal_live, Swt by assumption. reflexivity.
      + rewrite Re. unfold recognizes, accepted_from. rewrite Swt. reflexivity. }
  destruct (Each w1 q1 O1 S1 L1) as [A1 E1], (Each w2 q2 O2 S2 L2) as [A2 E2].
  destruct s as [b|]; cbn [symbol_differs] in D.
  - rewrite andb_true_iff, orb_true_iff, !andb_true_iff, Nat.ltb_lt in D. destruct D as (Lb & D).
    specialize (A1 b Lb). specialize (A2 b Lb). unfold predicts in A1, A2. rewrite E in A1.
    destruct D as [(D1 & D2)|(D1 & D2)].
    + apply (dead_not_live _ _ D2), A2, A1, alive_live, D1.
    + apply (dead_not_live _ _ D1), A1, A2, alive_live, D2.
  - unfold predicts_end in E1, E2. rewrite E in E1. rewrite E1 in E2. rewrite E2, Bool.eqb_reflx in D. discriminate.
Qed.

(** * Certificates *)

Definition check_prediction (t : list nat) (s : option nat) (A : automaton) (c : certificate) : bool :=
  check A c && prediction_differs A (mate1 c) (mate2 c) t s.

Theorem check_prediction_sound t s A c : check_prediction t s A c = true -> no_predictor A.
Proof.
  unfold check_prediction. rewrite andb_true_iff. intros (C & D) P U.
  destruct (check_parts A c C) as (Ip & S & Ob & _ & I1 & I2 & M & _).
  apply (prediction_fails A (mate1 c) (mate2 c) t s P D). intros k T.
  destruct (alike A (component_states c) (state_after A 0 (before c)) (before c) (mate1 c) (mate2 c)
    (depth (Program (predictor_ops P) k)) (program_tree (Program (predictor_ops P) k)) t)
    as (w1 & w2 & O1 & O2 & S1 & S2 & E); auto.
  - apply program_tree_uses, U.
  - apply program_tree_depth.
  - exists w1, w2. rewrite <- !accepts_tree in E. auto.
Qed.

Definition check_prediction_with (periodic : bool) (t : list nat) (s : option nat) (A : automaton)
    (c : arrow_certificate) : bool :=
  check_arrows A c periodic && prediction_differs A (vertex_state c (end1 c)) (vertex_state c (end2 c)) t s.

Theorem check_prediction_with_sound periodic t s A c :
  check_prediction_with periodic t s A c = true -> no_predictor_with periodic A.
Proof.
  unfold check_prediction_with. rewrite andb_true_iff. intros (C & D) P U.
  apply (prediction_fails A _ _ t s P D). intros k T.
  exact (check_arrows_alike periodic A c (Program (predictor_ops P) k) t C U T).
Qed.

(** * Membership and prediction together, as certificates claim them *)

Definition check_both (t : list nat) (s : option nat) (A : automaton) (c : certificate) : bool :=
  check_last_letter A c && check_prediction t s A c.
Definition no_program_nor_predictor (A : automaton) : Prop := no_program A /\ no_predictor A.

Theorem check_both_sound t s A c : check_both t s A c = true -> no_program_nor_predictor A.
Proof.
  unfold check_both. rewrite andb_true_iff. intros (C & D).
  split; [eapply check_last_letter_sound, C|eapply check_prediction_sound, D].
Qed.

Definition check_both_with (periodic : bool) (t : list nat) (s : option nat) (A : automaton)
    (c : arrow_certificate) : bool :=
  check_positions periodic A c && check_prediction_with periodic t s A c.
Definition no_program_nor_predictor_with (periodic : bool) (A : automaton) : Prop :=
  no_program_with_positions periodic A /\ no_predictor_with periodic A.

Theorem check_both_with_sound periodic t s A c :
  check_both_with periodic t s A c = true -> no_program_nor_predictor_with periodic A.
Proof.
  unfold check_both_with. rewrite andb_true_iff. intros (C & D).
  split; [eapply check_positions_sound, C|eapply check_prediction_with_sound, D].
Qed.
