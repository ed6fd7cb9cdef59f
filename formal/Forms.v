(** Linear forms of counts, and operations as Boolean combinations of letter tests and signs of forms. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions.
Import ListNotations.
Local Open Scope Z_scope.

Section Forms.
Context {L : Type}.

(** The form a1 #[p1] + a2 #[p2] + ... + b. *)
Definition form : Type := (list (Z * bexp L) * Z)%type.

Definition terms (h : list L) (ts : list (Z * bexp L)) : Z :=
  zsum (map (fun t => fst t * count (bval (snd t)) h) ts).
Definition fval (f : form) (h : list L) : Z := terms h (fst f) + snd f.

Definition scale (z : Z) (ts : list (Z * bexp L)) : list (Z * bexp L) :=
  map (fun t => (z * fst t, snd t)) ts.
Definition fadd (f g : form) : form := (fst f ++ fst g, snd f + snd g).
Definition fsub (f g : form) : form := (fst f ++ scale (-1) (fst g), snd f - snd g).

Lemma zsum_app l l' : zsum (l ++ l') = zsum l + zsum l'.
Proof. induction l; simpl; lia. Qed.

Lemma terms_app h ts ts' : terms h (ts ++ ts') = terms h ts + terms h ts'.
Proof. unfold terms. rewrite map_app, zsum_app. reflexivity. Qed.

Lemma terms_scale h z ts : terms h (scale z ts) = z * terms h ts.
Proof. unfold terms, scale. rewrite map_map. induction ts; simpl in *; lia. Qed.

Lemma fval_add f g h : fval (fadd f g) h = fval f h + fval g h.
Proof. unfold fval, fadd; simpl. rewrite terms_app. lia. Qed.

Lemma fval_sub f g h : fval (fsub f g) h = fval f h - fval g h.
Proof. unfold fval, fsub; simpl. rewrite terms_app, terms_scale. lia. Qed.

(** One more letter. *)
Definition gain (f : form) (h : list L) : Z :=
  zsum (map (fun t => fst t * b2z (bval (snd t) h)) (fst f)).

Lemma fval_cons f a h : fval f (a :: h) = fval f h + gain f (a :: h).
Proof.
  unfold fval, gain, terms. destruct f as [ts b]; simpl.
  induction ts as [|t ts IH]; cbn [map zsum fst snd]; [lia|].
  cbn [count]. lia.
Qed.

Definition weight (f : form) : Z := zsum (map (fun t => Z.abs (fst t)) (fst f)).

Lemma weight_nonneg f : 0 <= weight f.
Proof. unfold weight. induction (fst f); simpl; lia. Qed.

Lemma gain_bound f h : Z.abs (gain f h) <= weight f.
Proof.
  unfold gain, weight. induction (fst f) as [|t ts IH]; cbn [map zsum]; [lia|].
  destruct (bval (snd t) h); cbn [b2z]; lia.
Qed.

Lemma fval_bound f y h : Z.abs (fval f (y ++ h) - fval f h) <= weight f * Z.of_nat (length y).
Proof.
  induction y as [|a y IH]; cbn [app length]; [lia|].
  rewrite fval_cons. pose proof (gain_bound f (a :: y ++ h)). lia.
Qed.

(** * The forms that a count may be, and the forms whose signs decide an operation *)

Fixpoint forms (c : cexp L) : list form :=
  match c with
  | CCount p => [([(1, p)], 0)]
  | CCountAt _ _ => []
  | CCond _ c d => forms c ++ forms d
  | CAdd c d => flat_map (fun f => map (fun g => fadd f g) (forms d)) (forms c)
  | CSub c d => flat_map (fun f => map (fun g => fsub f g) (forms d)) (forms c)
  | COne => [([], 1)]
  end.

Fixpoint atoms (b : bexp L) : list form :=
  match b with
  | BTest _ | BTop | BPeriodic _ _ => []
  | BNot p => atoms p
  | BAnd p q => atoms p ++ atoms q
  | BLeq c d => catoms c ++ catoms d ++ flat_map (fun f => map (fun g => fsub g f) (forms d)) (forms c)
  end
with catoms (c : cexp L) : list form :=
  match c with
  | CCount _ | CCountAt _ _ | COne => []
  | CCond p c d => atoms p ++ catoms c ++ catoms d
  | CAdd c d | CSub c d => catoms c ++ catoms d
  end.

Definition sign (f : form) (h : list L) : bool := 0 <=? fval f h.

Definition agree (h h' : list L) (fs : list form) : Prop :=
  forall f, In f fs -> sign f h = sign f h'.

Lemma agree_app h h' fs gs : agree h h' (fs ++ gs) -> agree h h' fs /\ agree h h' gs.
Proof. intro H. split; intros f I; apply H, in_or_app; auto. Qed.

Lemma in_flat_map2 (o : form -> form -> form) fs gs f g : In f fs -> In g gs ->
  In (o f g) (flat_map (fun f => map (fun g => o f g) gs) fs).
Proof. intros F G. apply in_flat_map. exists f. split; [exact F|]. apply in_map_iff. eauto. Qed.

Lemma leb_sub a b : (0 <=? b - a) = (a <=? b).
Proof. destruct (Z.leb_spec 0 (b - a)), (Z.leb_spec a b); auto; lia. Qed.

(** If the last letters and the signs of all atoms agree, so do the values. *)
Lemma atoms_decide h h' : (forall f, match h with [] => false | a :: _ => f a end =
                                     match h' with [] => false | a :: _ => f a end) ->
  (forall b, buses false false b = true -> agree h h' (atoms b) -> bval b h = bval b h') /\
  (forall c, cuses false false c = true -> agree h h' (catoms c) ->
     exists f, In f (forms c) /\ cval c h = fval f h /\ cval c h' = fval f h').
Proof.
  intro T. apply (exp_ind L
    (fun b => buses false false b = true -> agree h h' (atoms b) -> bval b h = bval b h')
    (fun c => cuses false false c = true -> agree h h' (catoms c) ->
       exists f, In f (forms c) /\ cval c h = fval f h /\ cval c h' = fval f h'));
    cbn [buses cuses atoms catoms forms bval cval]; intros;
    repeat match goal with
    | H : _ && _ = true |- _ => apply andb_prop in H; destruct H
    | H : agree _ _ (_ ++ _) |- _ => apply agree_app in H; destruct H
    end; try discriminate.
  - apply T.
  - reflexivity.
  - rewrite H by assumption. reflexivity.
  - rewrite H, H0 by assumption. reflexivity.
  - destruct H as (f & F & F1 & F2); [assumption..|]. destruct H0 as (g & G & G1 & G2); [assumption..|].
    rewrite F1, F2, G1, G2.
    match goal with H : agree _ _ (flat_map _ _) |- _ =>
      specialize (H (fsub g f) (in_flat_map2 (fun f g => fsub g f) _ _ f g F G)) end.
    match goal with H : sign _ _ = sign _ _ |- _ =>
      unfold sign in H; rewrite !fval_sub, !leb_sub in H; exact H end.
  - eexists. split; [left; reflexivity|]. unfold fval, terms. cbn [fst snd map zsum].
    change (fun g => bval p g) with (bval p). split; lia.
  - match goal with H : _ -> _ -> bval _ _ = bval _ _ |- _ => rewrite H by assumption end.
    destruct (bval p h'); [destruct H0 as (f & F & ?)|destruct H1 as (f & F & ?)]; try assumption;
      exists f; (split; [apply in_or_app; auto|assumption]).
  - destruct H as (f & F & F1 & F2); [assumption..|]. destruct H0 as (g & G & G1 & G2); [assumption..|].
    exists (fadd f g). rewrite !fval_add. split; [apply in_flat_map2; assumption|lia].
  - destruct H as (f & F & F1 & F2); [assumption..|]. destruct H0 as (g & G & G1 & G2); [assumption..|].
    exists (fsub f g). rewrite !fval_sub. split; [apply in_flat_map2; assumption|lia].
  - eexists. split; [left; reflexivity|]. unfold fval, terms. cbn. split; lia.
Qed.

(** What is counted in the atoms of an operation is less deep than the operation. *)
Definition below (k : nat) (f : form) : Prop :=
  forall t, In t (fst f) -> (bdepth (snd t) < k)%nat /\ buses false false (snd t) = true.

Lemma below_mono k k' f : (k <= k')%nat -> below k f -> below k' f.
Proof. intros H B t I. destruct (B t I). split; [lia|assumption]. Qed.

Lemma below_add k f g : below k f -> below k g -> below k (fadd f g).
Proof. intros F G t I. apply in_app_or in I. destruct I; auto. Qed.

Lemma below_sub k f g : below k f -> below k g -> below k (fsub f g).
Proof.
  intros F G t I. apply in_app_or in I. destruct I as [I|I]; auto.
  apply in_map_iff in I. destruct I as (s & <- & I). apply (G s I).
Qed.

Lemma Forall_flat_map2 (P : form -> Prop) (o : form -> form -> form) fs gs :
  (forall f g, P f -> P g -> P (o f g)) -> Forall P fs -> Forall P gs ->
  Forall P (flat_map (fun f => map (fun g => o f g) gs) fs).
Proof.
  intros H F G. apply Forall_forall. intros x I. apply in_flat_map in I. destruct I as (f & If & I).
  apply in_map_iff in I. destruct I as (g & <- & Ig).
  rewrite Forall_forall in F, G. auto.
Qed.

Lemma Forall_below_mono k k' fs : (k <= k')%nat -> Forall (below k) fs -> Forall (below k') fs.
Proof. intros H. apply Forall_impl. intro. apply below_mono, H. Qed.

Lemma Forall_below_app k fs gs : Forall (below k) fs -> Forall (below k) gs -> Forall (below k) (fs ++ gs).
Proof. intros. apply Forall_app. auto. Qed.

Lemma atoms_below :
  (forall b, buses false false b = true -> Forall (below (bdepth b)) (atoms b)) /\
  (forall c, cuses false false c = true ->
     Forall (below (cdepth c)) (catoms c) /\ Forall (below (cdepth c)) (forms c)).
Proof.
  Ltac deeper := eapply Forall_below_mono; [|eassumption]; lia.
  apply (exp_ind L
    (fun b => buses false false b = true -> Forall (below (bdepth b)) (atoms b))
    (fun c => cuses false false c = true ->
       Forall (below (cdepth c)) (catoms c) /\ Forall (below (cdepth c)) (forms c)));
    cbn [buses cuses atoms catoms forms bdepth cdepth]; intros;
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end;
    try discriminate.
  - constructor.
  - constructor.
  - auto.
  - apply Forall_below_app; [specialize (H H1)|specialize (H0 H2)]; deeper.
  - destruct (H H1), (H0 H2). repeat apply Forall_below_app; [deeper|deeper|].
    apply (Forall_flat_map2 _ (fun f g => fsub g f)); [intros; apply below_sub; assumption|deeper|deeper].
  - split; constructor; [|constructor]. intros t [<-|[]]. simpl. auto.
  - destruct (H0 H4), (H1 H3). specialize (H H2).
    split; repeat apply Forall_below_app; deeper.
  - destruct (H H1), (H0 H2). split; [apply Forall_below_app; deeper|].
    apply Forall_flat_map2; [apply below_add|deeper|deeper].
  - destruct (H H1), (H0 H2). split; [apply Forall_below_app; deeper|].
    apply Forall_flat_map2; [apply below_sub|deeper|deeper].
  - split; constructor; [|constructor]. intros t [].
Qed.

End Forms.
