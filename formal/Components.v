(** Every complete automaton has ranks: components in an order in which letters lead only forward. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Graphs Flows Automata TheoremA Construction.
Import ListNotations.

(** Components in an order in which letters lead only forward: the states of one rank are one component. *)
Definition ranked (A : automaton) (rank : nat -> nat) : Prop :=
  (forall q a, q < states A -> a < letters A -> rank q <= rank (delta A q a)) /\
  (forall m, component A (layer A rank m)).

Section Components.
Variable A : automaton.
Hypothesis A_complete : complete A = true.
Notation n := (states A).

Definition leads (q r : nat) : Prop := exists w, over A w /\ state_after A q w = r.

Lemma leads_refl q : leads q q.
Proof. exists []. split; [constructor|reflexivity]. Qed.

Lemma leads_trans q r s : leads q r -> leads r s -> leads q s.
Proof.
  intros (w & O & <-) (w' & O' & <-). exists (w ++ w'). split; [unfold over in *; rewrite Forall_app; auto|].
  apply state_after_app.
Qed.

Lemma leads_step q a : a < letters A -> leads q (delta A q a).
Proof. intro L. exists [a]. split; [repeat constructor; exact L|reflexivity]. Qed.

(** What can be reached, decided. *)
Variable goes : nat -> nat -> bool.
Hypothesis goes_leads : forall q r, q < n -> r < n -> (goes q r = true <-> leads q r).

Definition before_it (r : nat) : list nat := filter (fun q => goes q r) (seq 0 n).
Definition same (q r : nat) : bool := goes q r && goes r q.
Definition least (q : nat) : nat := match find (same q) (seq 0 n) with Some r => r | None => 0 end.
Definition the_rank (q : nat) : nat := length (before_it q) * n + least q.

Lemma same_spec q r : q < n -> r < n -> (same q r = true <-> leads q r /\ leads r q).
Proof. intros Q R. unfold same. rewrite andb_true_iff, !goes_leads by assumption. reflexivity. Qed.

Lemma least_spec q : q < n -> least q < n /\ same q (least q) = true.
Proof.
  intro Q. unfold least. destruct (find (same q) (seq 0 n)) as [r|] eqn:E.
  - apply find_some in E. destruct E as [I E]. apply in_seq in I. split; [lia|exact E].
  - pose proof (find_none _ _ E q ltac:(apply in_seq; lia)) as F.
    assert (same q q = true) by (apply same_spec; auto using leads_refl). congruence.
Qed.

Lemma same_ext q r : q < n -> r < n -> same q r = true -> least q = least r /\ before_it q = before_it r.
Proof.
  intros Q R S. apply same_spec in S; auto. destruct S as [S1 S2]. split.
  - unfold least. assert (G : forall l, (forall x, In x l -> x < n) -> find (same q) l = find (same r) l).
    { induction l as [|x l IH]; intro H; [reflexivity|]. cbn [find].
      assert (X : x < n) by (apply H; left; reflexivity).
      assert (E : same q x = same r x).
      { apply eq_true_iff_eq. rewrite !same_spec by assumption. split; intros [H1 H2]; split;
          eauto using leads_trans. }
      rewrite E. destruct (same r x); [reflexivity|]. apply IH. intros; apply H; right; assumption. }
    rewrite G; [reflexivity|]. intros x I. apply in_seq in I. lia.
  - unfold before_it. apply filter_ext_in. intros x I. apply in_seq in I.
    apply eq_true_iff_eq. rewrite !goes_leads by lia. split; intro H; eauto using leads_trans.
Qed.

Lemma filter_shorter (f g : nat -> bool) l : (forall x, In x l -> f x = true -> g x = true) ->
  length (filter f l) <= length (filter g l) /\
  ((exists x, In x l /\ f x = false /\ g x = true) -> length (filter f l) < length (filter g l)).
Proof.
  induction l as [|y l IH]; intro H; cbn [filter].
  - split; [lia|]. intros (x & [] & _).
  - destruct IH as [I1 I2]; [intros; apply H; simpl; auto|].
    pose proof (H y (or_introl eq_refl)) as Hy.
    destruct (f y) eqn:F, (g y) eqn:G; cbn [length]; try (specialize (Hy eq_refl); discriminate).
    + split; [lia|]. intros (x & [<-|I] & Fx & Gx); [congruence|]. apply -> Nat.succ_lt_mono. eauto.
    + split; [lia|]. intros _. lia.
    + split; [exact I1|]. intros (x & [<-|I] & Fx & Gx); [congruence|]. eauto.
Qed.

Lemma rank_of_step q a : q < n -> a < letters A -> the_rank q <= the_rank (delta A q a).
Proof.
  intros Q L. pose proof (delta_state A q a A_complete) as D. set (r := delta A q a) in *.
  assert (Lr : leads q r) by (apply leads_step, L). unfold the_rank.
  destruct (same q r) eqn:S.
  - destruct (same_ext q r Q D S) as [-> ->]. lia.
  - destruct (filter_shorter (fun x => goes x q) (fun x => goes x r) (seq 0 n)) as [_ Sh].
    { intros x I. apply in_seq in I. rewrite !goes_leads by lia. eauto using leads_trans. }
    assert (K : length (before_it q) < length (before_it r)).
    { apply Sh. exists r. split; [apply in_seq; lia|]. split.
      - destruct (goes r q) eqn:G; [|reflexivity]. apply goes_leads in G; auto.
        assert (same q r = true) by (apply same_spec; auto). congruence.
      - apply goes_leads; auto using leads_refl. }
    destruct (least_spec q Q) as [L1 _]. pose proof (Nat.mul_le_mono_r _ _ n K) as M. cbn [Nat.mul] in M. lia.
Qed.

Lemma rank_same q r : q < n -> r < n -> the_rank q = the_rank r -> leads q r /\ leads r q.
Proof.
  intros Q R E. unfold the_rank in E. destruct (least_spec q Q) as [L1 S1], (least_spec r R) as [L2 S2].
  assert (H : least q = least r).
  { destruct (Nat.lt_trichotomy (length (before_it q)) (length (before_it r))) as [K|[K|K]].
    - pose proof (Nat.mul_le_mono_r _ _ n K) as M. cbn [Nat.mul] in M. lia.
    - rewrite K in E. lia.
    - pose proof (Nat.mul_le_mono_r _ _ n K) as M. cbn [Nat.mul] in M. lia. }
  apply same_spec in S1; auto. apply same_spec in S2; auto. rewrite H in S1. destruct S1, S2.
  split; eauto using leads_trans.
Qed.

Lemma rank_path w : forall q, q < n -> over A w -> the_rank q = the_rank (state_after A q w) ->
  run (inner_step A (layer A the_rank (the_rank q))) q w = Some (state_after A q w).
Proof.
  induction w as [|a w IH]; intros q Q O E; [reflexivity|]. inversion O; subst. cbn [run state_after fold_left] in *.
  change (fold_left (delta A) w (delta A q a)) with (state_after A (delta A q a) w) in *.
  pose proof (delta_state A q a A_complete) as D. pose proof (rank_of_step q a Q H1) as R1.
  assert (R2 : the_rank (delta A q a) <= the_rank (state_after A (delta A q a) w)).
  { clear - A_complete goes_leads D H2. revert D H2. generalize (delta A q a). induction w as [|b w IH]; intros x D O; [apply le_n|].
    inversion O; subst. cbn [state_after fold_left]. eapply Nat.le_trans; [apply (rank_of_step x b D H1)|].
    apply (IH (delta A x b)); [apply delta_state, A_complete|assumption]. }
  assert (R : the_rank q = the_rank (delta A q a)) by lia.
  rewrite (inner_step_inside A the_rank (the_rank q)); auto.
  - rewrite R. apply IH; auto. lia.
  - apply in_layer. auto.
  - apply in_layer. auto.
Qed.

Theorem ranks_exist : ranked A the_rank.
Proof.
  split; [apply rank_of_step|]. intros m q r Iq Ir. apply in_layer in Iq, Ir. destruct Iq as [Q E], Ir as [R F].
  destruct (rank_same q r Q R ltac:(lia)) as [(w & O & H) _]. exists w. rewrite <- E, <- H. apply rank_path; auto.
  rewrite H. lia.
Qed.

(** The strongly connected component of a state. *)
Definition component_of (q : nat) (X : list nat) : Prop :=
  forall x, In x X <-> x < n /\ leads q x /\ leads x q.

Lemma layer_component q : q < n -> component_of q (layer A the_rank (the_rank q)).
Proof.
  intros Q x. rewrite in_layer. split.
  - intros [X E]. split; [exact X|]. apply rank_same; auto.
  - intros (X & L1 & L2). split; [exact X|]. unfold the_rank.
    destruct (same_ext x q X Q) as [-> ->]; [apply same_spec; auto|reflexivity].
Qed.

End Components.
