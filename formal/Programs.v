(** Core programs: lists of operations, as in longreach's [crasp/core.py], with the values of docs/crasp.md.

    Each operation has one value per position 0, 1, …, n of the word; an operation names its operands by their
    place in the list. Columns of values are lists with the value at the last position first. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions.
Import ListNotations.
Local Open Scope Z_scope.

Inductive op : Type :=
| Token (a : nat)
| Top
| Not (p : nat)
| And (p q : nat)
| Periodic (m : nat) (rs : list nat)
| Leq (c d : nat)
| Count (p : nat)
| CountAt (ds : list nat) (p : nat)
| Conditional (p c d : nat)
| Add (c d : nat)
| Subtract (c d : nat)
| One.

(** [accept] is the Boolean operation that is read at the last position. *)
Record program : Type := Program { ops : list op; accept : nat }.

Inductive column : Type := Bools (l : list bool) | Ints (l : list Z).

(** What an operand that is missing or of the other sort stands for; longreach rejects such programs. *)
Definition bools (n : nat) (cs : list column) (k : nat) : list bool :=
  match nth_error cs k with Some (Bools l) => l | _ => repeat false (S n) end.
Definition ints (n : nat) (cs : list column) (k : nat) : list Z :=
  match nth_error cs k with Some (Ints l) => l | _ => repeat 0 (S n) end.

Fixpoint tails {T : Type} (l : list T) : list (list T) :=
  l :: match l with [] => [] | _ :: l' => tails l' end.

Fixpoint map2 {S T U : Type} (f : S -> T -> U) (s : list S) (t : list T) : list U :=
  match s, t with a :: s', b :: t' => f a b :: map2 f s' t' | _, _ => [] end.

(** Prefix sums; the last entry is position 0 and counts nothing. *)
Fixpoint counts (l : list bool) : list Z :=
  match l with
  | [] => []
  | b :: l' => match l' with [] => [0] | _ => let r := counts l' in b2z b + hd 0 r :: r end
  end.

Fixpoint counts_at (ds : list nat) (l : list bool) : list Z :=
  match l with
  | [] => []
  | _ :: l' => zsum (map (fun d => if (d <? length l')%nat then b2z (nth d l false) else 0) ds)
               :: counts_at ds l'
  end.

Definition select (p : bool) (x : Z * Z) : Z := if p then fst x else snd x.

Definition op_column (h : list nat) (cs : list column) (o : op) : column :=
  let n := length h in
  match o with
  | Token a => Bools (map (fun g => match g with [] => false | b :: _ => Nat.eqb a b end) (tails h))
  | Top => Bools (map (fun _ => true) (tails h))
  | Not p => Bools (map negb (bools n cs p))
  | And p q => Bools (map2 andb (bools n cs p) (bools n cs q))
  | Periodic m rs => Bools (map (fun g : list nat => existsb (Nat.eqb (length g mod m)) rs) (tails h))
  | Leq c d => Bools (map2 Z.leb (ints n cs c) (ints n cs d))
  | Count p => Ints (counts (bools n cs p))
  | CountAt ds p => Ints (counts_at ds (bools n cs p))
  | Conditional p c d => Ints (map2 select (bools n cs p) (map2 pair (ints n cs c) (ints n cs d)))
  | Add c d => Ints (map2 Z.add (ints n cs c) (ints n cs d))
  | Subtract c d => Ints (map2 Z.sub (ints n cs c) (ints n cs d))
  | One => Ints (map (fun _ => 1) (tails h))
  end.

Definition columns (os : list op) (h : list nat) : list column :=
  fold_left (fun cs o => cs ++ [op_column h cs o]) os [].

(** The value of a Boolean operation at the end of a word. *)
Definition value (os : list op) (k : nat) (w : list nat) : bool :=
  hd false (bools (length w) (columns os (rev w)) k).

(** Last-letter reading, and end-of-sequence reading with the letter [eos]. *)
Definition accepts (P : program) (w : list nat) : bool := value (ops P) (accept P) w.
Definition accepts_eos (eos : nat) (P : program) (w : list nat) : bool := accepts P (w ++ [eos]).

(** Which positional relations a program uses; a modulus is not 0. *)
Definition op_uses (periodic local : bool) (o : op) : bool :=
  match o with
  | Periodic m _ => periodic && negb (Nat.eqb m 0)
  | CountAt _ _ => local
  | _ => true
  end.
Definition uses (periodic local : bool) (P : program) : bool := forallb (op_uses periodic local) (ops P).
Definition no_positions (P : program) : bool := uses false false P.

(** How deeply counts are nested, in the list of operations. *)
Definition op_depth (ds : list nat) (o : op) : nat :=
  let d k := nth k ds 0%nat in
  match o with
  | Token _ | Top | Periodic _ _ | One => 0
  | Not p => d p
  | And p q | Leq p q | Add p q | Subtract p q => Nat.max (d p) (d q)
  | Count p | CountAt _ p => S (d p)
  | Conditional p c e => Nat.max (d p) (Nat.max (d c) (d e))
  end.
Definition depths (os : list op) : list nat := fold_left (fun ds o => ds ++ [op_depth ds o]) os [].
Definition depth (P : program) : nat := nth (accept P) (depths (ops P)) 0%nat.

(** * Programs as expressions *)

Inductive tree : Type := TB (b : bexp nat) | TC (c : cexp nat).

Definition tree_b (ts : list tree) (k : nat) : bexp nat :=
  match nth_error ts k with Some (TB b) => b | _ => BNot BTop end.
Definition tree_c (ts : list tree) (k : nat) : cexp nat :=
  match nth_error ts k with Some (TC c) => c | _ => CSub COne COne end.

Definition op_tree (ts : list tree) (o : op) : tree :=
  match o with
  | Token a => TB (BTest (Nat.eqb a))
  | Top => TB BTop
  | Not p => TB (BNot (tree_b ts p))
  | And p q => TB (BAnd (tree_b ts p) (tree_b ts q))
  | Periodic m rs => TB (BPeriodic m rs)
  | Leq c d => TB (BLeq (tree_c ts c) (tree_c ts d))
  | Count p => TC (CCount (tree_b ts p))
  | CountAt ds p => TC (CCountAt ds (tree_b ts p))
  | Conditional p c d => TC (CCond (tree_b ts p) (tree_c ts c) (tree_c ts d))
  | Add c d => TC (CAdd (tree_c ts c) (tree_c ts d))
  | Subtract c d => TC (CSub (tree_c ts c) (tree_c ts d))
  | One => TC COne
  end.
Definition trees (os : list op) : list tree := fold_left (fun ts o => ts ++ [op_tree ts o]) os [].
Definition program_tree (P : program) : bexp nat := tree_b (trees (ops P)) (accept P).

Definition matches (h : list nat) (c : column) (t : tree) : Prop :=
  match c, t with
  | Bools l, TB b => l = map (bval b) (tails h)
  | Ints l, TC c => l = map (cval c) (tails h)
  | _, _ => False
  end.

Lemma length_tails {T} (l : list T) : length (tails l) = S (length l).
Proof. induction l; simpl in *; auto. Qed.

Lemma map_const {S T} (t : T) (l : list S) : map (fun _ => t) l = repeat t (length l).
Proof. induction l; simpl; congruence. Qed.

Lemma map2_map {S T U V} (f : S -> T -> U) (a : V -> S) (b : V -> T) l :
  map2 f (map a l) (map b l) = map (fun v => f (a v) (b v)) l.
Proof. induction l; simpl; congruence. Qed.

Lemma default_bools (h : list nat) : repeat false (S (length h)) = map (bval (BNot BTop)) (tails h).
Proof. rewrite <- length_tails. symmetry. exact (map_const false (tails h)). Qed.

Lemma default_ints (h : list nat) : repeat 0 (S (length h)) = map (cval (CSub COne COne)) (tails h).
Proof. rewrite <- length_tails. symmetry. exact (map_const 0 (tails h)). Qed.

Lemma matches_bools h cs ts k : Forall2 (matches h) cs ts ->
  bools (length h) cs k = map (bval (tree_b ts k)) (tails h).
Proof.
  intro H. unfold bools, tree_b. revert k. induction H as [|c t cs ts H1 H IH]; intros [|k]; simpl.
  1-2: apply default_bools.
  - destruct c, t; simpl in H1; try tauto. apply default_bools.
  - apply IH.
Qed.

Lemma matches_ints h cs ts k : Forall2 (matches h) cs ts ->
  ints (length h) cs k = map (cval (tree_c ts k)) (tails h).
Proof.
  intro H. unfold ints, tree_c. revert k. induction H as [|c t cs ts H1 H IH]; intros [|k]; simpl.
  1-2: apply default_ints.
  - destruct c, t; simpl in H1; try tauto. apply default_ints.
  - apply IH.
Qed.

Lemma counts_tails (f : list nat -> bool) h : counts (map f (tails h)) = map (count f) (tails h).
Proof.
  induction h as [|a h IH]; [reflexivity|].
  change (tails (a :: h)) with ((a :: h) :: tails h).
  rewrite !map_cons. destruct h as [|b h]; [reflexivity|].
  remember (map f (tails (b :: h))) as l. destruct l; [discriminate|].
  change (counts (f (a :: b :: h) :: b0 :: l))
    with (b2z (f (a :: b :: h)) + hd 0 (counts (b0 :: l)) :: counts (b0 :: l)).
  rewrite IH. reflexivity.
Qed.

Lemma nth_tails (f : list nat -> bool) h d : (d < length h)%nat ->
  nth d (map f (tails h)) false = f (skipn d h).
Proof.
  revert d; induction h as [|a h IH]; simpl; intros [|d] H; try lia; try reflexivity.
  apply IH. lia.
Qed.

Lemma counts_at_tails ds (f : list nat -> bool) h :
  counts_at ds (map f (tails h)) = map (count_at ds f) (tails h).
Proof.
  induction h as [|a h IH].
  - simpl. unfold count_at. f_equal.
  - change (tails (a :: h)) with ((a :: h) :: tails h). rewrite !map_cons.
    change (counts_at ds (f (a :: h) :: map f (tails h)))
      with (zsum (map (fun d => if (d <? length (map f (tails h)))%nat
                     then b2z (nth d (map f (tails (a :: h))) false) else 0) ds)
            :: counts_at ds (map f (tails h))).
    rewrite IH. f_equal. unfold count_at. f_equal. apply map_ext. intro d.
    rewrite map_length, length_tails. simpl length.
    destruct (d <? S (length h))%nat eqn:E; [|reflexivity].
    apply Nat.ltb_lt in E. rewrite nth_tails; [reflexivity|simpl; lia].
Qed.

Lemma op_matches h cs ts o : Forall2 (matches h) cs ts -> matches h (op_column h cs o) (op_tree ts o).
Proof.
  intro H. destruct o; simpl;
    rewrite ?(matches_bools h cs ts) by assumption; rewrite ?(matches_ints h cs ts) by assumption;
    rewrite ?map2_map, ?map_map, ?counts_tails, ?counts_at_tails; try reflexivity.
Qed.

Lemma columns_matches os h : Forall2 (matches h) (columns os h) (trees os).
Proof.
  unfold columns, trees.
  assert (G : forall cs ts, Forall2 (matches h) cs ts ->
    Forall2 (matches h) (fold_left (fun cs o => cs ++ [op_column h cs o]) os cs)
      (fold_left (fun ts o => ts ++ [op_tree ts o]) os ts)).
  { induction os as [|o os IH]; simpl; intros cs ts H; [exact H|].
    apply IH. apply Forall2_app; [exact H|]. constructor; [apply op_matches, H|constructor]. }
  apply G. constructor.
Qed.

(** The columns hold the values of the expressions. *)
Theorem accepts_tree P w : accepts P w = bval (program_tree P) (rev w).
Proof.
  unfold accepts, value, program_tree. rewrite <- (rev_length w).
  rewrite (matches_bools (rev w) _ (trees (ops P))) by apply columns_matches.
  destruct (rev w); reflexivity.
Qed.

Lemma trees_uses periodic local os : forallb (op_uses periodic local) os = true ->
  forall k, buses periodic local (tree_b (trees os) k) = true /\
            cuses periodic local (tree_c (trees os) k) = true.
Proof.
  unfold trees.
  assert (G : forall ts, (forall k, buses periodic local (tree_b ts k) = true /\
                                    cuses periodic local (tree_c ts k) = true) ->
    forallb (op_uses periodic local) os = true ->
    forall k, buses periodic local (tree_b (fold_left (fun ts o => ts ++ [op_tree ts o]) os ts) k) = true
           /\ cuses periodic local (tree_c (fold_left (fun ts o => ts ++ [op_tree ts o]) os ts) k) = true).
  { induction os as [|o os IH]; simpl; intros ts H F; [exact H|].
    apply andb_prop in F. destruct F as [F1 F2]. apply IH; [|exact F2].
    intro k. unfold tree_b, tree_c. destruct (Nat.lt_ge_cases k (length ts)) as [C|C].
    - rewrite nth_error_app1 by exact C. apply H.
    - rewrite nth_error_app2 by exact C. destruct (k - length ts)%nat as [|j]; simpl.
      2: destruct j; split; reflexivity.
      destruct o; simpl; split; try reflexivity; try exact F1; cbn [buses cuses];
        rewrite ?andb_true_iff; repeat split;
        try apply H; try exact F1. }
  intro F. apply (G [] ); [|exact F]. intros [|k]; split; reflexivity.
Qed.

Corollary program_tree_uses periodic local P : uses periodic local P = true ->
  buses periodic local (program_tree P) = true.
Proof. intro H. apply trees_uses, H. Qed.

Lemma trees_depth os k :
  (bdepth (tree_b (trees os) k) <= nth k (depths os) 0)%nat /\
  (cdepth (tree_c (trees os) k) <= nth k (depths os) 0)%nat.
Proof.
  unfold trees, depths. revert k.
  assert (G : forall ts ds, length ts = length ds -> (forall k,
      (bdepth (tree_b ts k) <= nth k ds 0)%nat /\ (cdepth (tree_c ts k) <= nth k ds 0)%nat) ->
    forall k,
      (bdepth (tree_b (fold_left (fun ts o => ts ++ [op_tree ts o]) os ts) k)
        <= nth k (fold_left (fun ds o => ds ++ [op_depth ds o]) os ds) 0)%nat /\
      (cdepth (tree_c (fold_left (fun ts o => ts ++ [op_tree ts o]) os ts) k)
        <= nth k (fold_left (fun ds o => ds ++ [op_depth ds o]) os ds) 0)%nat).
  { induction os as [|o os IH]; simpl; intros ts ds E H; [exact H|].
    apply IH; [rewrite !app_length, E; reflexivity|].
    intro k. unfold tree_b, tree_c. destruct (Nat.lt_ge_cases k (length ts)) as [C|C].
    - rewrite nth_error_app1 by exact C. rewrite app_nth1 by lia. apply H.
    - rewrite nth_error_app2 by exact C. rewrite app_nth2 by lia. rewrite <- E.
      destruct (k - length ts)%nat as [|j]; simpl.
      2: destruct j; split; cbn; lia.
      assert (HB : forall k, (bdepth (tree_b ts k) <= nth k ds 0)%nat) by apply H.
      assert (HC : forall k, (cdepth (tree_c ts k) <= nth k ds 0)%nat) by apply H.
      destruct o; simpl; split; cbn [bdepth cdepth]; try lia;
        repeat match goal with
        | |- context [bdepth (tree_b ts ?p)] => generalize (HB p); generalize (bdepth (tree_b ts p))
        | |- context [cdepth (tree_c ts ?p)] => generalize (HC p); generalize (cdepth (tree_c ts p))
        end; intros; lia. }
  apply G; [reflexivity|]. intros [|k]; simpl; lia.
Qed.

Corollary program_tree_depth P : (bdepth (program_tree P) <= depth P)%nat.
Proof. apply trees_depth. Qed.
