(** Lemma 2 of the proofs: cropping along loops.

    A strongly connected graph whose labels carry nonempty words. Whatever finitely many operations of depth at
    most k are given, some product of loops at the vertex [p] makes them blind: after it, and a path of bounded
    length, they see no more than the round-k class of the path's end and the letters that follow. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions Graphs Forms.
Import ListNotations.
Local Open Scope Z_scope.

Section Cropping.
Variables L V Lab : Type.
Variable vertices : list V.
Variable labels : list Lab.
Variable step : V -> Lab -> option V.
Variable block : Lab -> list L.
Variable p : V.
(** A path from [p] to each vertex, and a way back. *)
Variables there back : V -> list Lab.

Notation inside := (fun v => In v vertices).
Notation run := (run step).
Notation closed := (closed step).
Notation mates := (mates inside step).

Hypothesis p_inside : In p vertices.
Hypothesis step_inside : forall v l w, In v vertices -> step v l = Some w -> In w vertices.
Hypothesis step_labels : forall v l w, step v l = Some w -> In l labels.
Hypothesis there_run : forall v, In v vertices -> run p (there v) = Some v.
Hypothesis back_run : forall v, In v vertices -> run v (back v) = Some p.

(** The history after a path. *)
Fixpoint after (h : list L) (u : list Lab) : list L :=
  match u with [] => h | l :: u' => after (rev (block l) ++ h) u' end.

Lemma after_app h u u' : after h (u ++ u') = after (after h u) u'.
Proof. revert h. induction u; simpl; auto. Qed.

(** The finite set C of loops. *)
Definition loops : list (list Lab) :=
  map (fun v => there v ++ back v) vertices ++
  flat_map (fun v => flat_map (fun l =>
    match step v l with Some w => [there v ++ l :: back w] | None => [] end) labels) vertices.

Definition product (c : list Lab) : Prop := exists cs, incl cs loops /\ c = concat cs.

Lemma loops_vertex v : In v vertices -> In (there v ++ back v) loops.
Proof. intro H. apply in_or_app. left. apply (in_map (fun v => there v ++ back v)), H. Qed.

Lemma loops_edge v l w : In v vertices -> step v l = Some w -> In (there v ++ l :: back w) loops.
Proof.
  intros H E. apply in_or_app. right. apply in_flat_map. exists v. split; [exact H|].
  apply in_flat_map. exists l. split; [eapply step_labels, E|]. rewrite E. left. reflexivity.
Qed.

Lemma loops_closed c : In c loops -> closed p c.
Proof.
  intro H. apply in_app_or in H. destruct H as [H|H].
  - apply in_map_iff in H. destruct H as (v & <- & H). unfold Graphs.closed.
    rewrite (run_app_some _ _ _ _ _ _ v) by auto. auto.
  - apply in_flat_map in H. destruct H as (v & Hv & H). apply in_flat_map in H. destruct H as (l & _ & H).
    destruct (step v l) as [w|] eqn:E; [|contradiction]. destruct H as [<-|[]]. unfold Graphs.closed.
    rewrite (run_app_some _ _ _ _ _ _ v) by auto. simpl. rewrite E. eauto.
Qed.

Lemma product_closed c : product c -> closed p c.
Proof. intros (cs & I & ->). apply closed_concat. intros c H. apply loops_closed, I, H. Qed.

Lemma product_app c c' : product c -> product c' -> product (c ++ c').
Proof.
  intros (cs & I & ->) (cs' & I' & ->). exists (cs ++ cs'). split; [apply incl_app; assumption|].
  symmetry. apply concat_app.
Qed.

Lemma product_nil : product [].
Proof. exists []. split; [intros x []|reflexivity]. Qed.

(** The longest loop, and the longest block. *)
Definition reach : nat := list_max (map (@length Lab) loops).
Definition width : nat := list_max (map (fun l => length (block l)) labels).

Lemma list_max_in l n : In n l -> (n <= list_max l)%nat.
Proof.
  intro H. pose proof (proj1 (list_max_le l (list_max l)) (le_n _)) as F.
  rewrite Forall_forall in F. auto.
Qed.

Lemma reach_loops c : In c loops -> (length c <= reach)%nat.
Proof. intro H. apply list_max_in, in_map, H. Qed.

Lemma reach_there v : In v vertices -> (length (there v) <= reach)%nat.
Proof. intro H. pose proof (reach_loops _ (loops_vertex v H)) as R. rewrite app_length in R. lia. Qed.

Lemma width_block v l w : step v l = Some w -> (length (block l) <= width)%nat.
Proof. intro H. apply list_max_in, (in_map (fun l => length (block l))). eapply step_labels, H. Qed.

Lemma after_length u : forall v w, run v u = Some w ->
  exists y, (forall h, after h u = y ++ h) /\ (length y <= width * length u)%nat.
Proof.
  induction u as [|l u IH]; simpl; intros v w H.
  - exists []. split; [reflexivity|simpl; lia].
  - destruct (step v l) as [x|] eqn:E; [|discriminate]. destruct (IH _ _ H) as (y & Hy & Ly).
    exists (y ++ rev (block l)). split.
    + intro h. rewrite Hy, app_assoc. reflexivity.
    + pose proof (width_block _ _ _ E). rewrite app_length, rev_length. lia.
Qed.

(** The statement (star) of Lemma 2 for one operation, or any function [g] of histories. *)
Definition blind (h : list L) (R : nat) (k : nat) (g : list L -> bool) : Prop :=
  forall u u' v v' y, run p u = Some v -> run p u' = Some v' -> (length u <= R)%nat ->
    (length u' <= R)%nat -> mates k v v' -> y <> [] -> (length y <= R)%nat ->
    g (y ++ after h u) = g (y ++ after h u').

(** The remark: what has been achieved survives further loops, if it was achieved with a larger radius. *)
Lemma blind_after h R n k g c : blind h n k g -> closed p c -> (length c + R <= n)%nat ->
  blind (after h c) R k g.
Proof.
  intros B C Hn u u' v v' y Hu Hu' Lu Lu' M Y Ly. rewrite <- !after_app.
  apply (B _ _ v v'); try rewrite app_length; try lia; try assumption;
    rewrite (run_app_some _ _ _ _ _ _ p) by exact C; assumption.
Qed.

(** * One inequality *)
Section Inequality.
Variable f : @form L.
Variable k : nat.
Variable h : list L.
Variable N : nat.
Hypothesis N_reach : (reach + 1 <= N)%nat.
Hypothesis N_width : (width <= N)%nat.
Hypothesis counted : forall t, In t (fst f) -> blind h N k (bval (snd t)).

Lemma gain_alike u u' v v' y : run p u = Some v -> run p u' = Some v' -> (length u <= N)%nat ->
  (length u' <= N)%nat -> mates k v v' -> y <> [] -> (length y <= N)%nat ->
  gain f (y ++ after h u) = gain f (y ++ after h u').
Proof.
  intros. unfold gain. f_equal. apply map_ext_in. intros t I. do 2 f_equal.
  eapply (counted t I); eassumption.
Qed.

Lemma increase_alike u u' v v' y : run p u = Some v -> run p u' = Some v' -> (length u <= N)%nat ->
  (length u' <= N)%nat -> mates k v v' -> (length y <= N)%nat ->
  fval f (y ++ after h u) - fval f (after h u) = fval f (y ++ after h u') - fval f (after h u').
Proof.
  intros Hu Hu' Lu Lu' M. induction y as [|a y IH]; cbn [app length]; intro Ly; [lia|].
  rewrite !fval_cons. specialize (IH ltac:(lia)).
  pose proof (gain_alike u u' v v' (a :: y) Hu Hu' Lu Lu' M ltac:(discriminate) ltac:(simpl; lia)) as G.
  cbn [app] in G. lia.
Qed.

(** How much an edge adds. *)
Definition edge (v : V) (l : Lab) : Z :=
  fval f (after h (there v ++ [l])) - fval f (after h (there v)).

Lemma after_edge u l : after h (u ++ [l]) = rev (block l) ++ after h u.
Proof. rewrite after_app. reflexivity. Qed.

Lemma edge_alike v v' l w w' : In v vertices -> In v' vertices -> mates k v v' ->
  step v l = Some w -> step v' l = Some w' -> edge v l = edge v' l.
Proof.
  intros I I' M E E'. unfold edge. rewrite !after_edge.
  pose proof (reach_there v I). pose proof (reach_there v' I'). pose proof (width_block _ _ _ E).
  apply increase_alike with (v := v) (v' := v'); auto; try lia. rewrite rev_length. lia.
Qed.

Lemma edge_path u v l w : In v vertices -> run p u = Some v -> (length u <= N)%nat -> step v l = Some w ->
  fval f (after h (u ++ [l])) = fval f (after h u) + edge v l.
Proof.
  intros I Hu Lu E. unfold edge. rewrite !after_edge.
  pose proof (reach_there v I). pose proof (width_block _ _ _ E).
  pose proof (increase_alike u (there v) v v (rev (block l)) Hu (there_run v I) Lu ltac:(lia)
    (mates_refl _ _ _ _ _ _) ltac:(rewrite rev_length; lia)). lia.
Qed.

(** The sum along a path. *)
Fixpoint along (v : V) (u : list Lab) : Z :=
  match u with
  | [] => 0
  | l :: u' => edge v l + match step v l with Some w => along w u' | None => 0 end
  end.

Lemma along_path u : forall u0 v w, run p u0 = Some v -> run v u = Some w ->
  (length u0 + length u <= N)%nat -> fval f (after h (u0 ++ u)) = fval f (after h u0) + along v u.
Proof.
  induction u as [|l u IH]; simpl; intros u0 v w H0 H Ln.
  - rewrite app_nil_r. lia.
  - destruct (step v l) as [x|] eqn:E; [|discriminate].
    assert (I : In v vertices) by (eapply (run_inside _ _ inside); eassumption).
    change (l :: u) with ([l] ++ u). rewrite app_assoc.
    rewrite (IH (u0 ++ [l]) x w).
    + rewrite (edge_path u0 v l x) by (auto; lia). lia.
    + rewrite (run_app_some _ _ _ _ _ _ v) by exact H0. simpl. rewrite E. reflexivity.
    + exact H.
    + rewrite app_length. simpl. lia.
Qed.

Lemma along_app v u w u' : run v u = Some w -> along v (u ++ u') = along v u + along w u'.
Proof.
  clear N_reach N_width counted. revert v. induction u as [|l u IH]; simpl; intros v H.
  - injection H as ->. reflexivity.
  - destruct (step v l) as [x|]; [|discriminate]. rewrite (IH x H). lia.
Qed.

(** If no loop adds anything, there is a potential. *)
Hypothesis balanced : forall c, In c loops -> along p c = 0.

Definition height (v : V) : Z := along p (there v).

Lemma edge_height v l w : In v vertices -> step v l = Some w -> edge v l = height w - height v.
Proof.
  intros I E. assert (W : In w vertices) by eauto.
  pose proof (balanced _ (loops_edge v l w I E)) as A. pose proof (balanced _ (loops_vertex w W)) as B.
  rewrite (along_app _ _ v) in A by auto. rewrite (along_app _ _ w) in B by auto.
  simpl in A. rewrite E in A. unfold height. lia.
Qed.

Lemma height_potential : potential inside step (mates k) height.
Proof.
  intros v v' l w w' I I' M E E'. rewrite <- (edge_height v l w), <- (edge_height v' l w') by assumption.
  eapply edge_alike; eassumption.
Qed.

Lemma along_height u : forall v w, In v vertices -> run v u = Some w -> along v u = height w - height v.
Proof.
  induction u as [|l u IH]; simpl; intros v w I H; [injection H as ->; lia|].
  destruct (step v l) as [x|] eqn:E; [|discriminate].
  rewrite (IH x w) by eauto. rewrite (edge_height v l x) by assumption. lia.
Qed.

(** So the inequality sees the class of the next round only. *)
Lemma balanced_blind R : (R <= N)%nat -> blind h R (S k) (sign f).
Proof.
  intros HR u u' v v' y Hu Hu' Lu Lu' M _ Ly. unfold sign. f_equal.
  pose proof (increase_alike u u' v v' y Hu Hu' ltac:(lia) ltac:(lia)
    (mates_refine _ _ _ _ _ _ _ M) ltac:(lia)) as D.
  pose proof (along_path u [] p v eq_refl Hu ltac:(simpl; lia)) as A.
  pose proof (along_path u' [] p v' eq_refl Hu' ltac:(simpl; lia)) as A'.
  simpl in A, A'. rewrite (along_height u p v) in A by assumption.
  rewrite (along_height u' p v') in A' by assumption.
  pose proof (M height height_potential). lia.
Qed.

End Inequality.

Lemma along_repeat f h c n : closed p c -> along f h p (concat (repeat c n)) = Z.of_nat n * along f h p c.
Proof.
  intro C. induction n as [|n IH]; [reflexivity|]. cbn [repeat concat].
  rewrite (along_app f h p c p) by exact C. rewrite IH. lia.
Qed.

Lemma length_repeat (c : list Lab) n : length (concat (repeat c n)) = (n * length c)%nat.
Proof. induction n; simpl; [|rewrite app_length]; lia. Qed.

(** How far the form can move within the radius [R]; how often a loop is taken; the radius that is needed. *)
Definition drift (f : @form L) (R : nat) : Z := weight f * Z.of_nat ((width + 1) * R).
Definition copies (f : @form L) (R : nat) : nat := Z.to_nat (2 * drift f R + 1).
Definition needed (f : @form L) (R : nat) : nat := (R + copies f R * reach + reach + 1 + width)%nat.

Lemma far_blind f h R k : Z.abs (fval f h) > drift f R -> blind h R k (sign f).
Proof.
  intros F u u' v v' y Hu Hu' Lu Lu' _ _ Ly.
  assert (G : forall u v, run p u = Some v -> (length u <= R)%nat ->
    Z.abs (fval f (y ++ after h u) - fval f h) <= drift f R).
  { clear u u' v v' Hu Hu' Lu Lu'. intros u v Hu Lu. destruct (after_length u p v Hu) as (z & Hz & Lz).
    rewrite Hz, app_assoc. eapply Z.le_trans; [apply fval_bound|]. unfold drift.
    apply Z.mul_le_mono_nonneg_l; [apply weight_nonneg|]. rewrite app_length. nia. }
  pose proof (G u v Hu Lu). pose proof (G u' v' Hu' Lu'). unfold sign.
  destruct (Z.leb_spec 0 (fval f (y ++ after h u))), (Z.leb_spec 0 (fval f (y ++ after h u'))); auto; lia.
Qed.

Lemma drift_nonneg f R : 0 <= drift f R.
Proof. unfold drift. pose proof (weight_nonneg f). nia. Qed.

Lemma one_form f k R h : (forall t, In t (fst f) -> blind h (needed f R) k (bval (snd t))) ->
  exists c, product c /\ (length c + R <= needed f R)%nat /\ blind (after h c) R (S k) (sign f).
Proof.
  intro H. pose proof (drift_nonneg f R) as D.
  destruct (Exists_dec (fun c => along f h p c <> 0) loops) as [X|X].
  { intro c. destruct (Z.eq_dec (along f h p c) 0); [right|left]; tauto. }
  - apply Exists_exists in X. destruct X as (c & Ic & T). pose proof (loops_closed c Ic) as C.
    destruct (Z_gt_dec (Z.abs (fval f h)) (drift f R)) as [G|G].
    + exists []. split; [apply product_nil|]. split; [unfold needed; simpl; lia|]. apply far_blind, G.
    + exists (concat (repeat c (copies f R))). pose proof (reach_loops c Ic) as Rc.
      assert (Ln : (length (concat (repeat c (copies f R))) <= copies f R * reach)%nat).
      { rewrite length_repeat. nia. }
      split; [|split; [unfold needed; lia|]].
      * exists (repeat c (copies f R)). split; [|reflexivity]. intros x Ix.
        apply repeat_spec in Ix. subst x. exact Ic.
      * apply far_blind.
        assert (K : closed p (concat (repeat c (copies f R)))).
        { apply closed_concat. intros x Ix. apply repeat_spec in Ix. subst x. exact C. }
        pose proof (along_path f k h (needed f R) ltac:(unfold needed; lia) ltac:(unfold needed; lia) H
          (concat (repeat c (copies f R))) [] p p eq_refl K ltac:(unfold needed; simpl; lia)) as A.
        simpl in A. rewrite A, along_repeat by exact C. unfold copies. rewrite Z2Nat.id by lia. nia.
  - exists []. split; [apply product_nil|]. split; [unfold needed; simpl; lia|]. simpl.
    apply balanced_blind with (N := needed f R); try (unfold needed; lia); [exact H|].
    intros c Ic. destruct (Z.eq_dec (along f h p c) 0) as [E|E]; [exact E|]. exfalso. apply X.
    apply Exists_exists. exists c. auto.
Qed.

(** * All inequalities, one after the other *)
Lemma all_forms fs k R : exists R0, (R <= R0)%nat /\ forall h,
  (forall f, In f fs -> forall t, In t (fst f) -> blind h R0 k (bval (snd t))) ->
  exists c, product c /\ (length c + R <= R0)%nat /\ forall f, In f fs -> blind (after h c) R (S k) (sign f).
Proof.
  induction fs as [|f fs IH].
  - exists R. split; [lia|]. intros h _. exists []. split; [apply product_nil|]. split; [simpl; lia|].
    intros f [].
  - destruct IH as (R1 & L1 & IH). exists (needed f R1). split; [unfold needed; lia|].
    intros h H. destruct (one_form f k R1 h) as (c & C & Lc & B).
    { intros t It. apply (H f); simpl; auto. }
    destruct (IH (after h c)) as (c' & C' & Lc' & B').
    { intros g Ig t It. apply blind_after with (n := needed f R1).
      - apply (H g); simpl; auto.
      - apply product_closed, C.
      - lia. }
    exists (c ++ c'). split; [apply product_app; assumption|]. split; [rewrite app_length; lia|].
    rewrite after_app. intros g [<-|Ig]; [|auto].
    apply blind_after with (n := R1); [exact B|apply product_closed, C'|lia].
Qed.

Lemma blind_atoms h R k b : buses false false b = true ->
  (forall f, In f (atoms b) -> blind h R k (sign f)) -> blind h R k (bval b).
Proof.
  intros U H u u' v v' y Hu Hu' Lu Lu' M Y Ly. apply atoms_decide; [|exact U|].
  - destruct y; [contradiction|reflexivity].
  - intros f I. apply (H f I) with (v := v) (v' := v'); assumption.
Qed.

(** Lemma 2. *)
Theorem cropping k : forall (bs : list (bexp L)) (x : list L) (R : nat),
  (forall b, In b bs -> buses false false b = true /\ (bdepth b <= k)%nat) ->
  exists c, product c /\ forall b, In b bs -> blind (after x c) R k (bval b).
Proof.
  induction k as [|k IH]; intros bs x R H.
  - exists []. split; [apply product_nil|]. intros b I. destruct (H b I) as [U D].
    apply blind_atoms; [exact U|]. intros f If.
    pose proof (proj1 atoms_below b U) as F. rewrite Forall_forall in F. specialize (F f If).
    destruct f as [[|t ts] z].
    + intros u u' v v' y _ _ _ _ _ _ _. reflexivity.
    + destruct (F t) as [F1 _]; [left; reflexivity|]. lia.
  - destruct (all_forms (flat_map atoms bs) k R) as (R0 & _ & A).
    destruct (IH (flat_map (fun f => map snd (fst f)) (flat_map atoms bs)) x R0) as (c & C & B).
    { intros q Iq. apply in_flat_map in Iq. destruct Iq as (f & If & Iq).
      apply in_map_iff in Iq. destruct Iq as (t & <- & It).
      apply in_flat_map in If. destruct If as (b & Ib & If). destruct (H b Ib) as [U D].
      pose proof (proj1 atoms_below b U) as F. rewrite Forall_forall in F.
      destruct (F f If t It). split; [assumption|lia]. }
    destruct (A (after x c)) as (c' & C' & _ & B').
    { intros f If t It. apply B. apply in_flat_map. exists f. split; [exact If|]. apply in_map, It. }
    exists (c ++ c'). split; [apply product_app; assumption|]. rewrite after_app. intros b Ib.
    apply blind_atoms; [apply H, Ib|]. intros f If. apply B'. apply in_flat_map. eauto.
Qed.

End Cropping.
