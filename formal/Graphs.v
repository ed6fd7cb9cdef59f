(** Graphs with labelled edges, potentials and mates (section 1 of the proofs).

    A graph is a set of vertices with at most one edge of each label out of each. Potentials have whole values
    here: on a finite graph every rational one has a whole multiple, so the mates are the same. *)

From Coq Require Import List Arith ZArith Lia Bool.
Import ListNotations.
Local Open Scope Z_scope.

Section Graph.
Variables V Lab : Type.
Variable inside : V -> Prop.
Variable step : V -> Lab -> option V.

Fixpoint run (v : V) (u : list Lab) : option V :=
  match u with
  | [] => Some v
  | l :: u' => match step v l with Some w => run w u' | None => None end
  end.

Definition closed (p : V) (u : list Lab) : Prop := run p u = Some p.

(** [f] changes alike along edges of one label whose sources are related. *)
Definition potential (R : V -> V -> Prop) (f : V -> Z) : Prop :=
  forall v v' l w w', inside v -> inside v' -> R v v' -> step v l = Some w -> step v' l = Some w' ->
    f w - f v = f w' - f v'.

(** The relation of round k. *)
Fixpoint mates (k : nat) (v w : V) : Prop :=
  match k with
  | O => True
  | S k' => forall f, potential (mates k') f -> f v = f w
  end.

Lemma potential_mono (R R' : V -> V -> Prop) f :
  (forall v w, R' v w -> R v w) -> potential R f -> potential R' f.
Proof. intros H P v v' l w w' I I' r. apply P; auto. Qed.

(** Lemma 1.1: each round refines the one before. *)
Lemma mates_refine k v w : mates (S k) v w -> mates k v w.
Proof.
  revert v w. induction k as [|k IH]; intros v w H; [exact I|].
  intros f P. apply H. apply potential_mono with (2 := P). exact IH.
Qed.

Lemma mates_refl k v : mates k v v.
Proof. destruct k; simpl; auto. Qed.

Lemma mates_sym k v w : mates k v w -> mates k w v.
Proof. destruct k; simpl; intros; auto. symmetry; auto. Qed.

Lemma mates_trans k v w x : mates k v w -> mates k w x -> mates k v x.
Proof. destruct k; simpl; intros A B; auto. intros f P. rewrite A, B by exact P. reflexivity. Qed.

Lemma run_app v u u' : run v (u ++ u') = match run v u with Some w => run w u' | None => None end.
Proof.
  revert v. induction u as [|l u IH]; simpl; intro v; [reflexivity|].
  destruct (step v l); [apply IH|reflexivity].
Qed.

Lemma run_app_some v u u' w : run v u = Some w -> run v (u ++ u') = run w u'.
Proof. intro H. rewrite run_app, H. reflexivity. Qed.

Lemma closed_concat p cs : (forall c, In c cs -> closed p c) -> closed p (concat cs).
Proof.
  induction cs as [|c cs IH]; simpl; intro H; [reflexivity|].
  unfold closed. rewrite (run_app_some _ _ _ p) by (apply H; auto). apply IH. auto.
Qed.

(** [v] and [w] can reach each other. *)
Definition strongly_connected : Prop :=
  forall v w, inside v -> inside w -> exists u, run v u = Some w.

Hypothesis step_inside : forall v l w, inside v -> step v l = Some w -> inside w.

Lemma run_inside u v w : inside v -> run v u = Some w -> inside w.
Proof.
  revert v. induction u as [|l u IH]; simpl; intros v I H; [congruence|].
  destruct (step v l) as [x|] eqn:E; [|discriminate]. eauto.
Qed.

End Graph.

Arguments run {V Lab} step v u.
Arguments closed {V Lab} step p u.
Arguments potential {V Lab} inside step R f.
Arguments mates {V Lab} inside step k v w.
Arguments strongly_connected {V Lab} inside step.

(** Choosing a path to each of finitely many vertices. *)
Lemma finite_choice {S T : Type} (eq_dec : forall x y : S, {x = y} + {x <> y}) (d : T)
    (R : S -> T -> Prop) (l : list S) :
  (forall s, In s l -> exists t, R s t) -> exists f, forall s, In s l -> R s (f s).
Proof.
  induction l as [|s l IH]; intro H.
  - exists (fun _ => d). intros s [].
  - destruct IH as [f F]; [intros; apply H; right; assumption|].
    destruct (H s) as [t Ht]; [left; reflexivity|].
    exists (fun x => if eq_dec s x then t else f x).
    intros x Hx. destruct (eq_dec s x) as [<-|N]; [exact Ht|].
    destruct Hx; [contradiction|auto].
Qed.
