(** C-RASP operations as expressions, and their values.

    A word is read from left to right; the value of an operation at position i depends on the first i letters
    only. So values are functions of a _history_: the letters read so far, the newest first. The empty history
    is position 0, where no token test holds and every count is 0. *)

From Coq Require Import List Arith ZArith Lia Bool.
Import ListNotations.
Local Open Scope Z_scope.

Definition b2z (b : bool) : Z := if b then 1 else 0.

Fixpoint zsum (l : list Z) : Z := match l with [] => 0 | z :: l' => z + zsum l' end.

(** How many of the nonempty histories up to this one satisfy [f]. *)
Fixpoint count {L : Type} (f : list L -> bool) (h : list L) : Z :=
  match h with [] => 0 | _ :: h' => b2z (f h) + count f h' end.

(** How many of the histories at the given distances satisfy [f]. *)
Definition count_at {L : Type} (ds : list nat) (f : list L -> bool) (h : list L) : Z :=
  zsum (map (fun d => if (d <? length h)%nat then b2z (f (skipn d h)) else 0) ds).

Section Expressions.
Variable L : Type.

(** Letter tests are any tests of the letter, so that letters may be of any type. *)
Inductive bexp : Type :=
| BTest (f : L -> bool)
| BTop
| BNot (p : bexp)
| BAnd (p q : bexp)
| BPeriodic (m : nat) (rs : list nat)
| BLeq (c d : cexp)
with cexp : Type :=
| CCount (p : bexp)
| CCountAt (ds : list nat) (p : bexp)
| CCond (p : bexp) (c d : cexp)
| CAdd (c d : cexp)
| CSub (c d : cexp)
| COne.

Scheme bexp_mut := Induction for bexp Sort Prop
with cexp_mut := Induction for cexp Sort Prop.
Combined Scheme exp_ind from bexp_mut, cexp_mut.

End Expressions.

Arguments BTest {L} f.
Arguments BTop {L}.
Arguments BNot {L} p.
Arguments BAnd {L} p q.
Arguments BPeriodic {L} m rs.
Arguments BLeq {L} c d.
Arguments CCount {L} p.
Arguments CCountAt {L} ds p.
Arguments CCond {L} p c d.
Arguments CAdd {L} c d.
Arguments CSub {L} c d.
Arguments COne {L}.

Fixpoint bval {L : Type} (b : bexp L) (h : list L) : bool :=
  match b with
  | BTest f => match h with [] => false | a :: _ => f a end
  | BTop => true
  | BNot p => negb (bval p h)
  | BAnd p q => bval p h && bval q h
  | BPeriodic m rs => existsb (Nat.eqb (length h mod m)) rs
  | BLeq c d => cval c h <=? cval d h
  end
with cval {L : Type} (c : cexp L) (h : list L) : Z :=
  match c with
  | CCount p => count (fun g => bval p g) h
  | CCountAt ds p => count_at ds (fun g => bval p g) h
  | CCond p c d => if bval p h then cval c h else cval d h
  | CAdd c d => cval c h + cval d h
  | CSub c d => cval c h - cval d h
  | COne => 1
  end.

(** How deeply counts are nested. *)
Fixpoint bdepth {L : Type} (b : bexp L) : nat :=
  match b with
  | BTest _ | BTop | BPeriodic _ _ => 0
  | BNot p => bdepth p
  | BAnd p q => Nat.max (bdepth p) (bdepth q)
  | BLeq c d => Nat.max (cdepth c) (cdepth d)
  end
with cdepth {L : Type} (c : cexp L) : nat :=
  match c with
  | CCount p | CCountAt _ p => S (bdepth p)
  | CCond p c d => Nat.max (bdepth p) (Nat.max (cdepth c) (cdepth d))
  | CAdd c d | CSub c d => Nat.max (cdepth c) (cdepth d)
  | COne => 0
  end.

(** Whether only the given kinds of positional relations are used. *)
Fixpoint buses {L : Type} (periodic local : bool) (b : bexp L) : bool :=
  match b with
  | BTest _ | BTop => true
  | BPeriodic m _ => periodic && negb (Nat.eqb m 0)
  | BNot p => buses periodic local p
  | BAnd p q => buses periodic local p && buses periodic local q
  | BLeq c d => cuses periodic local c && cuses periodic local d
  end
with cuses {L : Type} (periodic local : bool) (c : cexp L) : bool :=
  match c with
  | CCount p => buses periodic local p
  | CCountAt _ p => local && buses periodic local p
  | CCond p c d => buses periodic local p && cuses periodic local c && cuses periodic local d
  | CAdd c d | CSub c d => cuses periodic local c && cuses periodic local d
  | COne => true
  end.
