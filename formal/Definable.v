(** What programs without positions can define: closure properties, and from expressions to programs. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions Programs Forms Automata.
Import ListNotations.
Local Open Scope Z_scope.

(** Expressions that test letters one by one. *)
Fixpoint plain (b : bexp nat) : Prop :=
  match b with
  | BTest f => exists a, f = Nat.eqb a
  | BTop => True
  | BPeriodic _ _ => False
  | BNot p => plain p
  | BAnd p q => plain p /\ plain q
  | BLeq c d => cplain c /\ cplain d
  end
with cplain (c : cexp nat) : Prop :=
  match c with
  | CCount p => plain p
  | CCountAt _ _ => False
  | CCond p c d => plain p /\ cplain c /\ cplain d
  | CAdd c d | CSub c d => cplain c /\ cplain d
  | COne => True
  end.

(** * Every plain expression is an operation of some program *)

Lemma trees_snoc os o : trees (os ++ [o]) = trees os ++ [op_tree (trees os) o].
Proof. unfold trees. rewrite fold_left_app. reflexivity. Qed.

Lemma trees_length os : length (trees os) = length os.
Proof.
  induction os as [|o os IH] using rev_ind; [reflexivity|].
  rewrite trees_snoc, !app_length, IH. reflexivity.
Qed.

Lemma trees_keep os os' k t : nth_error (trees os) k = Some t -> nth_error (trees (os ++ os')) k = Some t.
Proof.
  intro H. induction os' as [|o os' IH] using rev_ind; [rewrite app_nil_r; exact H|].
  rewrite app_assoc, trees_snoc, nth_error_app1; [exact IH|].
  apply nth_error_Some. rewrite IH. discriminate.
Qed.

Lemma trees_last os o : nth_error (trees (os ++ [o])) (length os) = Some (op_tree (trees os) o).
Proof. rewrite trees_snoc, nth_error_app2, trees_length, Nat.sub_diag by (rewrite trees_length; lia). reflexivity. Qed.

Definition good (os : list op) : Prop := forallb (op_uses false false) os = true.

Lemma good_app os os' : good os -> good os' -> good (os ++ os').
Proof. unfold good. rewrite forallb_app. intros -> ->. reflexivity. Qed.

Lemma flatten :
  (forall b, plain b -> forall os, exists os' k, good os' /\ nth_error (trees (os ++ os')) k = Some (TB b)) /\
  (forall c, cplain c -> forall os, exists os' k, good os' /\ nth_error (trees (os ++ os')) k = Some (TC c)).
Proof.
  apply (exp_ind nat
    (fun b => plain b -> forall os, exists os' k, good os' /\ nth_error (trees (os ++ os')) k = Some (TB b))
    (fun c => cplain c -> forall os, exists os' k, good os' /\ nth_error (trees (os ++ os')) k = Some (TC c)));
    cbn [plain cplain].
  - intros f (a & ->) os. exists [Token a], (length os). split; [reflexivity|]. apply trees_last.
  - intros _ os. exists [Top], (length os). split; [reflexivity|]. apply trees_last.
  - intros p IH P os. destruct (IH P os) as (o1 & k & G & N).
    exists (o1 ++ [Not k]), (length (os ++ o1)). split; [apply good_app; [exact G|reflexivity]|].
    rewrite app_assoc, trees_last. cbn [op_tree]. unfold tree_b. rewrite N. reflexivity.
  - intros p IHp q IHq (P & Q) os. destruct (IHp P os) as (o1 & k1 & G1 & N1).
    destruct (IHq Q (os ++ o1)) as (o2 & k2 & G2 & N2). apply (trees_keep _ o2) in N1.
    exists (o1 ++ o2 ++ [And k1 k2]), (length ((os ++ o1) ++ o2)).
    split; [repeat apply good_app; try assumption; reflexivity|].
    rewrite !app_assoc, trees_last. cbn [op_tree]. unfold tree_b. rewrite N1, N2. reflexivity.
  - intros m rs [].
  - intros c IHc d IHd (C & D) os. destruct (IHc C os) as (o1 & k1 & G1 & N1).
    destruct (IHd D (os ++ o1)) as (o2 & k2 & G2 & N2). apply (trees_keep _ o2) in N1.
    exists (o1 ++ o2 ++ [Leq k1 k2]), (length ((os ++ o1) ++ o2)).
    split; [repeat apply good_app; try assumption; reflexivity|].
    rewrite !app_assoc, trees_last. cbn [op_tree]. unfold tree_c. rewrite N1, N2. reflexivity.
  - intros p IH P os. destruct (IH P os) as (o1 & k & G & N).
    exists (o1 ++ [Count k]), (length (os ++ o1)). split; [apply good_app; [exact G|reflexivity]|].
    rewrite app_assoc, trees_last. cbn [op_tree]. unfold tree_b. rewrite N. reflexivity.
  - intros ds p _ [].
  - intros p IHp c IHc d IHd (P & C & D) os. destruct (IHp P os) as (o0 & k0 & G0 & N0).
    destruct (IHc C (os ++ o0)) as (o1 & k1 & G1 & N1).
    destruct (IHd D ((os ++ o0) ++ o1)) as (o2 & k2 & G2 & N2).
    apply (trees_keep _ o1), (trees_keep _ o2) in N0. apply (trees_keep _ o2) in N1.
    exists (o0 ++ o1 ++ o2 ++ [Conditional k0 k1 k2]), (length (((os ++ o0) ++ o1) ++ o2)).
    split; [repeat apply good_app; try assumption; reflexivity|].
    rewrite !app_assoc, trees_last. cbn [op_tree]. unfold tree_b, tree_c. rewrite N0, N1, N2. reflexivity.
  - intros c IHc d IHd (C & D) os. destruct (IHc C os) as (o1 & k1 & G1 & N1).
    destruct (IHd D (os ++ o1)) as (o2 & k2 & G2 & N2). apply (trees_keep _ o2) in N1.
    exists (o1 ++ o2 ++ [Add k1 k2]), (length ((os ++ o1) ++ o2)).
    split; [repeat apply good_app; try assumption; reflexivity|].
    rewrite !app_assoc, trees_last. cbn [op_tree]. unfold tree_c. rewrite N1, N2. reflexivity.
  - intros c IHc d IHd (C & D) os. destruct (IHc C os) as (o1 & k1 & G1 & N1).
    destruct (IHd D (os ++ o1)) as (o2 & k2 & G2 & N2). apply (trees_keep _ o2) in N1.
    exists (o1 ++ o2 ++ [Subtract k1 k2]), (length ((os ++ o1) ++ o2)).
    split; [repeat apply good_app; try assumption; reflexivity|].
    rewrite !app_assoc, trees_last. cbn [op_tree]. unfold tree_c. rewrite N1, N2. reflexivity.
  - intros _ os. exists [One], (length os). split; [reflexivity|]. apply trees_last.
Qed.

Theorem plain_program b : plain b ->
  exists P, no_positions P = true /\ forall w, accepts P w = bval b (rev w).
Proof.
  intro H. destruct (proj1 flatten b H []) as (os & k & G & N). exists (Program os k). split; [exact G|].
  intro w. rewrite accepts_tree. unfold program_tree, tree_b. cbn in *. rewrite N. reflexivity.
Qed.

(** * Definable functions of histories over an alphabet *)

Section Definable.
Variable A : automaton.

Definition definable (g : list nat -> bool) : Prop :=
  exists b, plain b /\ forall h, h <> [] -> over A h -> bval b h = g h.
Definition countable (F : list nat -> Z) : Prop :=
  exists c, cplain c /\ forall h, h <> [] -> over A h -> cval c h = F h.

Lemma definable_ext f g : definable f -> (forall h, h <> [] -> over A h -> f h = g h) -> definable g.
Proof. intros (b & P & H) E. exists b. split; [exact P|]. intros. rewrite H, E; auto. Qed.

Lemma countable_ext f g : countable f -> (forall h, h <> [] -> over A h -> f h = g h) -> countable g.
Proof. intros (b & P & H) E. exists b. split; [exact P|]. intros. rewrite H, E; auto. Qed.

Definition reads (a : nat) (h : list nat) : bool := match h with [] => false | b :: _ => Nat.eqb a b end.

Lemma def_reads a : definable (reads a).
Proof. exists (BTest (Nat.eqb a)). split; [exists a; reflexivity|]. intros [|x h] _ _; reflexivity. Qed.

Lemma def_not f : definable f -> definable (fun h => negb (f h)).
Proof. intros (b & P & H). exists (BNot b). split; [exact P|]. intros; cbn [bval]; rewrite H; auto. Qed.

Lemma def_and f g : definable f -> definable g -> definable (fun h => f h && g h).
Proof.
  intros (b & P & H) (d & Q & K). exists (BAnd b d). split; [split; assumption|].
  intros; cbn [bval]; rewrite H, K; auto.
Qed.

Lemma def_const (z : bool) : definable (fun _ => z).
Proof. destruct z; [exists BTop|exists (BNot BTop)]; split; cbn; auto. Qed.

Lemma def_or f g : definable f -> definable g -> definable (fun h => f h || g h).
Proof.
  intros F G. apply definable_ext with (fun h => negb (negb (f h) && negb (g h))).
  - apply def_not, def_and; apply def_not; assumption.
  - intros. destruct (f h), (g h); reflexivity.
Qed.

Lemma def_existsb {T} (g : T -> list nat -> bool) l : (forall x, In x l -> definable (g x)) ->
  definable (fun h => existsb (fun x => g x h) l).
Proof.
  induction l as [|x l IH]; cbn [existsb]; intro H; [apply def_const|].
  apply def_or; [apply H; left; reflexivity|apply IH]. intros; apply H; right; assumption.
Qed.

Lemma def_forallb {T} (g : T -> list nat -> bool) l : (forall x, In x l -> definable (g x)) ->
  definable (fun h => forallb (fun x => g x h) l).
Proof.
  induction l as [|x l IH]; cbn [forallb]; intro H; [apply def_const|].
  apply def_and; [apply H; left; reflexivity|apply IH]. intros; apply H; right; assumption.
Qed.

Lemma count_ext f g h : over A h -> (forall h, h <> [] -> over A h -> f h = g h) -> count f h = count g h.
Proof.
  intros O H. induction h as [|a h IH]; cbn [count]; [reflexivity|].
  rewrite H by (assumption || discriminate). rewrite IH; [reflexivity|]. inversion O; assumption.
Qed.

(** Counts of earlier positions. *)
Lemma countable_before g : definable g -> countable (fun h => count g (tl h)).
Proof.
  intros (b & P & H). exists (CSub (CCount b) (CCond b COne (CSub COne COne))). split; [cbn; tauto|].
  intros h N O. destruct h as [|a h]; [contradiction|]. cbn [cval tl].
  change (fun g0 => bval b g0) with (bval b). rewrite (count_ext (bval b) g) by assumption.
  rewrite H by assumption. cbn [count]. destruct (g (a :: h)); cbn [b2z]; lia.
Qed.

Lemma countable_add F G : countable F -> countable G -> countable (fun h => F h + G h).
Proof.
  intros (b & P & H) (d & Q & K). exists (CAdd b d). split; [split; assumption|].
  intros; cbn [cval]; rewrite H, K; auto.
Qed.

Lemma countable_sub F G : countable F -> countable G -> countable (fun h => F h - G h).
Proof.
  intros (b & P & H) (d & Q & K). exists (CSub b d). split; [split; assumption|].
  intros; cbn [cval]; rewrite H, K; auto.
Qed.

Lemma countable_one : countable (fun _ => 1).
Proof. exists COne. split; [exact I|reflexivity]. Qed.

Lemma countable_zero : countable (fun _ => 0).
Proof. apply countable_ext with (fun _ => 1 - 1); [apply countable_sub; apply countable_one|reflexivity]. Qed.

Lemma countable_nat n F : countable F -> countable (fun h => Z.of_nat n * F h).
Proof.
  intro H. induction n as [|n IH].
  - apply countable_ext with (fun _ => 0); [apply countable_zero|]. intros; lia.
  - apply countable_ext with (fun h => F h + Z.of_nat n * F h); [apply countable_add; assumption|].
    intros; lia.
Qed.

Lemma countable_scale z F : countable F -> countable (fun h => z * F h).
Proof.
  intro H. destruct (Z_le_gt_dec 0 z) as [L|L].
  - apply countable_ext with (fun h => Z.of_nat (Z.to_nat z) * F h); [apply countable_nat, H|].
    intros. rewrite Z2Nat.id by lia. reflexivity.
  - apply countable_ext with (fun h => 0 - Z.of_nat (Z.to_nat (- z)) * F h).
    + apply countable_sub; [apply countable_zero|apply countable_nat, H].
    + intros. rewrite Z2Nat.id by lia. lia.
Qed.

Lemma countable_const z : countable (fun _ => z).
Proof. apply countable_ext with (fun _ => z * 1); [apply countable_scale, countable_one|]. intros; lia. Qed.

Lemma countable_sum {T} (F : T -> list nat -> Z) l : (forall x, In x l -> countable (F x)) ->
  countable (fun h => zsum (map (fun x => F x h) l)).
Proof.
  induction l as [|x l IH]; cbn [map zsum]; intro H; [apply countable_zero|].
  apply countable_add; [apply H; left; reflexivity|apply IH]. intros; apply H; right; assumption.
Qed.

Lemma def_leb F G : countable F -> countable G -> definable (fun h => F h <=? G h).
Proof.
  intros (b & P & H) (d & Q & K). exists (BLeq b d). split; [split; assumption|].
  intros; cbn [bval]; rewrite H, K; auto.
Qed.

Lemma def_eqb F G : countable F -> countable G -> definable (fun h => F h =? G h).
Proof.
  intros HF HG. apply definable_ext with (fun h => (F h <=? G h) && (G h <=? F h)).
  - apply def_and; apply def_leb; assumption.
  - intros. destruct (Z.leb_spec (F h) (G h)), (Z.leb_spec (G h) (F h)), (Z.eqb_spec (F h) (G h));
      cbn; auto; lia.
Qed.

End Definable.
