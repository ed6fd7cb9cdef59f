(** Two words of one length, one of which runs through a cycle of states while the other stays at each of them:
    no decoder with attention to the last match is right. *)

From Coq Require Import List Arith Lia Bool.
From Longreach Require Import Automata LastMatch.
Import ListNotations.

Lemma last_match_from key b d : last_match key (b + d) =
  match last_match (fun j => key (b + j)) d with Some j => Some (b + j) | None => last_match key b end.
Proof.
  induction d as [|d IH]; [rewrite Nat.add_0_r; reflexivity|].
  rewrite Nat.add_succ_r. simpl. destruct (key (b + d)); [reflexivity|exact IH].
Qed.

(** * What tokens know when a piece of s letters is put in

    The tokens before place c are the same, those from place b on are s places further on. Each layer moves b by
    2 s. A head that finds a match at b or later finds the same one in both. Else it finds none in the piece
    either, as all there is known from the places after b, and further back both are the same. *)

Section Shift.
Variables m r s c : nat.
Hypothesis m_positive : m <> 0.
Hypothesis s_whole : s mod m = 0.
Hypothesis s_far : r <= s.

Definition alike (X X' : nat -> knowledge) (b : nat) : Prop :=
  (forall i, i < c -> X' i = X i) /\ (forall i, b <= i -> X' (i + s) = X i).

Lemma distance_both i j : distance m r (i + s) (j + s) = distance m r i j.
Proof. unfold distance. replace (i + s - (j + s)) with (i - j) by lia. reflexivity. Qed.

Lemma distance_far i j : j + s <= i -> distance m r (i + s) j = distance m r i j.
Proof.
  intro L. unfold distance. replace (i + s - j) with (i - j + s) by lia. f_equal; [lia|].
  rewrite <- Nat.add_mod_idemp_r, s_whole, Nat.add_0_r by exact m_positive. reflexivity.
Qed.

Lemma read_alike X X' b d key : alike X X' b -> b + s <= c -> 2 * s <= d ->
  read m r X' (b + d + s) key = read m r X (b + d) key.
Proof.
  intros (E & F) Bc Sd. unfold read. rewrite F by lia. set (q := X (b + d)).
  rewrite (last_match_from _ b d).
  replace (last_match _ (b + d + s)) with
    (last_match (fun j => key q (X' j) (distance m r (b + d + s) j)) (b + s + d)) by (f_equal; lia).
  rewrite (last_match_from _ (b + s) d).
  rewrite last_match_ext with (i := d) (key' := fun j => key q (X (b + j)) (distance m r (b + d) (b + j))).
  2: { intros j _. replace (b + s + j) with (b + j + s) by lia. rewrite F, distance_both by lia. reflexivity. }
  destruct (last_match _ d) as [j|] eqn:G.
  - replace (b + s + j) with (b + j + s) by lia. rewrite F, distance_both by lia. reflexivity.
  - rewrite last_match_ext with (i := b + s) (key' := fun j => key q (X j) (distance m r (b + d) j))
      by (intros j L; rewrite E, distance_far by lia; reflexivity).
    rewrite (last_match_from _ b s).
    rewrite (proj2 (last_match_none _ s)) by (intros j L; apply (proj1 (last_match_none _ _) G); lia).
    destruct (last_match _ b) as [j|] eqn:H; [|reflexivity].
    apply last_match_some in H. rewrite E, distance_far by lia. reflexivity.
Qed.

Lemma attend_alike X X' b l :
  alike X X' b -> b + s <= c -> alike (attend m r X l) (attend m r X' l) (b + 2 * s).
Proof.
  intros K Bc. split; intros i Li; unfold attend.
  - rewrite (proj1 K) by exact Li. f_equal. apply map_ext. intro key. unfold read. rewrite (proj1 K) by exact Li.
    rewrite last_match_ext with (key' := fun j => key (X i) (X j) (distance m r i j))
      by (intros j L; rewrite (proj1 K) by lia; reflexivity).
    destruct (last_match _ i) as [j|] eqn:F; [|reflexivity].
    apply last_match_some in F. rewrite (proj1 K) by lia. reflexivity.
  - rewrite (proj2 K) by lia. f_equal. apply map_ext. intro key.
    replace i with (b + (i - b)) by lia. apply read_alike; [exact K|exact Bc|lia].
Qed.

Lemma layers_alike ls : forall X X' b, alike X X' b -> b + length ls * (2 * s) <= c ->
  alike (fold_left (attend m r) ls X) (fold_left (attend m r) ls X') (b + length ls * (2 * s)).
Proof.
  induction ls as [|l ls IH]; intros X X' b K B; cbn [length fold_left] in *.
  - rewrite Nat.add_0_r. exact K.
  - replace (b + S (length ls) * (2 * s)) with (b + 2 * s + length ls * (2 * s)) in * by lia.
    apply IH; [|exact B]. apply attend_alike; [exact K|lia].
Qed.

End Shift.

(** * Repeating a word *)

Fixpoint times (k : nat) (u : list nat) : list nat := match k with 0 => [] | S k' => u ++ times k' u end.

Lemma times_app k u : times k u ++ u = u ++ times k u.
Proof. induction k as [|k IH]; simpl; [symmetry; apply app_nil_r|]. rewrite <- app_assoc, IH. reflexivity. Qed.

Lemma times_length k u : length (times k u) = k * length u.
Proof. induction k as [|k IH]; simpl; [reflexivity|]. rewrite app_length, IH. reflexivity. Qed.

Lemma times_over A k u : over A u -> over A (times k u).
Proof. intro O. induction k as [|k IH]; simpl; [constructor|]. apply Forall_app. split; assumption. Qed.

Section Pump.
Variable D : decoder.
Variable A : automaton.
Variables x u y : list nat.
Hypothesis positive : period D <> 0.
Hypothesis u_whole : length u mod period D = 0.
Hypothesis u_far : near D <= length u.

Let word (k : nat) : list nat := x ++ times k u ++ y.

Lemma says_alike k i : 2 * length (layers D) <= k -> length x + 1 + length (layers D) * (2 * length u) <= i ->
  says D A (word (S k)) (i + length u) = says D A (word k) i.
Proof.
  intros K I. unfold says. f_equal.
  apply (layers_alike (period D) (near D) (length u) (length x + 1 + k * length u) positive u_whole u_far)
    with (b := length x + 1); [|nia|exact I].
  split; intros j L; destruct j as [|j]; try reflexivity; try lia.
  - cbn [token]. do 2 f_equal. unfold word. cbn [times].
    rewrite <- times_app, <- (app_assoc (times k u)), !(app_assoc x).
    rewrite !(app_nth1 (x ++ times k u)) by (rewrite app_length, times_length; lia). reflexivity.
  - cbn [token plus]. do 2 f_equal. unfold word. cbn [times]. rewrite !(app_nth2 x) by lia.
    rewrite <- app_assoc, (app_nth2 u) by lia. f_equal. lia.
Qed.

Lemma says_same k d e : 2 * length (layers D) < k -> 0 < length u ->
  says D A (word (d + k)) (length (word (d + k)) + e) = says D A (word k) (length (word k) + e).
Proof.
  intros K U. induction d as [|d IH]; [reflexivity|]. rewrite <- IH. cbn [plus].
  replace (length (word (S (d + k))) + e) with (length (word (d + k)) + e + length u)
    by (unfold word; cbn [times]; rewrite !app_length; lia).
  apply says_alike; [lia|]. unfold word. rewrite !app_length, times_length. nia.
Qed.

End Pump.

(** * Certificates *)

(** What `longreach forecast --json` writes: the first word leads to the first state of the cycle. *)
Record group_certificate : Type := GroupCertificate {
  to_cycle : list nat;
  along_cycle : list nat;
  cycle : list nat;
  steady : list nat;
  pair1 : nat;
  pair2 : nat;
  told_apart : list nat
}.

Section Check.
Variables (M : machine) (c : group_certificate).
Let A := moves M.
Let n := length (cycle c).
Let state (i : nat) : nat := nth i (cycle c) 0.
Let answer (i : nat) : nat := nth (state_after A (state i) (told_apart c)) (answers M) 0.

Definition check_group : bool :=
  complete A && Nat.eqb (length (answers M)) (states A) &&
  over_b A (to_cycle c) && over_b A (along_cycle c) && over_b A (steady c) && over_b A (told_apart c) &&
  Nat.ltb 0 (length (along_cycle c)) && Nat.eqb (length (steady c)) (length (along_cycle c)) &&
  Nat.eqb (state_after A 0 (to_cycle c)) (state 0) &&
  forallb (fun i => Nat.eqb (state_after A (state i) (along_cycle c)) (state (S i mod n)) &&
                    Nat.eqb (state_after A (state i) (steady c)) (state i)) (seq 0 n) &&
  Nat.ltb (pair1 c) n && Nat.ltb (pair2 c) n &&
  negb (Nat.eqb (answer (pair1 c)) 0) && negb (Nat.eqb (answer (pair2 c)) 0) &&
  negb (Nat.eqb (answer (pair1 c)) (answer (pair2 c))).

Theorem check_group_sound : check_group = true -> never_answered M.
Proof.
  unfold check_group.
  rewrite !andb_true_iff, !negb_true_iff, !Nat.eqb_neq, !Nat.ltb_lt, !Nat.eqb_eq, forallb_forall.
  intros ((((((((((((((_ & _) & O1) & O2) & O3) & O4) & U) & E) & B) & F) & P1) & P2) & N1) & N2) & N) D Pos R.
  apply over_b_over in O1, O2, O3, O4.
  set (u := along_cycle c ++ times (S (near D) * period D - 1) (steady c)).
  assert (Lu : length u = length (along_cycle c) * S (near D) * period D).
  { unfold u. rewrite app_length, times_length, E. destruct (period D); [contradiction|]. nia. }
  assert (Ou : over A u) by (apply Forall_app; split; [exact O2|apply times_over, O3]).
  assert (Step : forall i, i < n -> state_after A (state i) u = state (S i mod n)).
  { intros i L. assert (L' : S i mod n < n) by (apply Nat.mod_upper_bound; lia).
    destruct (proj1 (andb_true_iff _ _) (F i ltac:(apply in_seq; lia))) as (G & _).
    destruct (proj1 (andb_true_iff _ _) (F (S i mod n) ltac:(apply in_seq; lia))) as (_ & H).
    apply Nat.eqb_eq in G, H. unfold u. rewrite state_after_app, G.
    generalize (S (near D) * period D - 1). intro k. induction k as [|k IH]; [reflexivity|].
    simpl. rewrite state_after_app, H. exact IH. }
  assert (Cycle : forall k, state_after A 0 (to_cycle c ++ times k u) = state (k mod n)).
  { induction k as [|k IH].
    - simpl. rewrite app_nil_r, Nat.mod_0_l by lia. exact B.
    - cbn [times]. rewrite <- times_app, app_assoc, state_after_app, IH, Step by (apply Nat.mod_upper_bound; lia).
      rewrite <- (Nat.add_1_r (k mod n)), Nat.add_mod_idemp_l, Nat.add_1_r by lia. reflexivity. }
  set (L := S (2 * length (layers D))). set (e := if at_end M then 1 else 0).
  set (word := fun k => to_cycle c ++ times k u ++ told_apart c).
  assert (Says : forall i, i < n -> answer i <> 0 -> says D A (word L) (length (word L) + e) = answer i).
  { intros i Li Ai. assert (K : (i + n * L) mod n = i).
    { rewrite Nat.mul_comm, Nat.mod_add by lia. apply Nat.mod_small, Li. }
    assert (Right : right_after M (word (i + n * L)) = answer i).
    { unfold right_after, word. fold A. rewrite app_assoc, state_after_app, Cycle, K. reflexivity. }
    assert (O : over A (word (i + n * L))).
    { apply Forall_app. split; [exact O1|]. apply Forall_app. split; [apply times_over, Ou|exact O4]. }
    assert (V : says D A (word (i + n * L)) (length (word (i + n * L)) + e) = answer i).
    { specialize (R _ O). unfold e. destruct (at_end M).
      - rewrite Nat.add_1_r, <- Right. apply R. rewrite Right. exact Ai.
      - rewrite Nat.add_0_r. specialize (R _ (le_n _)). rewrite firstn_all, Right in R. apply R, Ai. }
    rewrite <- V. replace (i + n * L) with (i + n * L - L + L) by nia. symmetry.
    apply says_same; [exact Pos| |rewrite Lu; nia|unfold L; lia|rewrite Lu; nia].
    rewrite Lu. apply Nat.mod_mul, Pos. }
  apply N. rewrite <- (Says _ P1 N1). apply Says; assumption.
Qed.

End Check.
