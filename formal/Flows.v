(** Lemma 1.4: flows show that vertices are mates in every round. With the functions that check flows.

    Vertices and labels are numbers here. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions Graphs.
Import ListNotations.
Local Open Scope Z_scope.

Definition mem (v : nat) (l : list nat) : bool := existsb (Nat.eqb v) l.

Lemma mem_in v l : mem v l = true <-> In v l.
Proof.
  unfold mem. rewrite existsb_exists. split.
  - intros (x & I & E). apply Nat.eqb_eq in E. subst x. exact I.
  - intro I. exists v. split; [exact I|apply Nat.eqb_refl].
Qed.

(** * What can be reached *)

Fixpoint search (next : nat -> list nat) (fuel : nat) (todo seen : list nat) : list nat :=
  match fuel, todo with
  | S fuel', v :: todo' =>
      let new := nodup Nat.eq_dec (filter (fun w => negb (mem w seen)) (next v)) in
      search next fuel' (todo' ++ new) (new ++ seen)
  | _, _ => seen
  end.
Definition reached (next : nat -> list nat) (fuel v : nat) : list nat := search next fuel [v] [v].

Lemma search_sound (next : nat -> list nat) (P : nat -> Prop) :
  (forall v w, P v -> In w (next v) -> P w) ->
  forall fuel todo seen, Forall P todo -> Forall P seen -> Forall P (search next fuel todo seen).
Proof.
  intro H. induction fuel as [|fuel IH]; intros todo seen T S; [exact S|].
  destruct todo as [|v todo]; [exact S|]. cbn [search]. inversion T as [|v' todo' Pv T']; subst.
  assert (N : Forall P (nodup Nat.eq_dec (filter (fun w => negb (mem w seen)) (next v)))).
  { apply Forall_forall. intros w I. apply nodup_In, filter_In in I. destruct I. eauto. }
  apply IH; apply Forall_app; auto.
Qed.

Lemma reached_sound next (P : nat -> Prop) fuel v w :
  P v -> (forall v w, P v -> In w (next v) -> P w) -> In w (reached next fuel v) -> P w.
Proof.
  intros Pv H I. assert (S : Forall P (reached next fuel v)) by (apply search_sound; auto).
  rewrite Forall_forall in S. auto.
Qed.

(** * Sums by groups *)

Section Regroup.
Context {E K : Type}.
Variable eqb : K -> K -> bool.
Hypothesis eqb_eq : forall a b, eqb a b = true <-> a = b.

(** The sum of [c] over the entries with the key [k]. *)
Definition group (key : E -> K) (c : E -> Z) (es : list E) (k : K) : Z :=
  zsum (map (fun e => if eqb (key e) k then c e else 0) es).

Lemma zsum_map_add {T} (a b : T -> Z) l : zsum (map (fun t => a t + b t) l) = zsum (map a l) + zsum (map b l).
Proof. induction l; simpl; lia. Qed.

Lemma zsum_map_zero {T} (a : T -> Z) l : (forall t, In t l -> a t = 0) -> zsum (map a l) = 0.
Proof. induction l; simpl; intro H; [reflexivity|]. rewrite H by auto. rewrite IHl by auto. reflexivity. Qed.

Lemma pick (g : K -> Z) k ks : NoDup ks -> In k ks ->
  zsum (map (fun x => if eqb k x then g x else 0) ks) = g k.
Proof.
  induction ks as [|x ks IH]; simpl; intros N I; [contradiction|].
  inversion N as [|x' ks' N1 N2]; subst. destruct (eqb k x) eqn:Q.
  - apply eqb_eq in Q. subst x. rewrite zsum_map_zero; [lia|]. intros y Iy.
    destruct (eqb k y) eqn:Q; [apply eqb_eq in Q; subst y; contradiction|reflexivity].
  - destruct I as [<-|I]; [|rewrite IH by assumption; lia].
    assert (eqb x x = true) by (apply eqb_eq; reflexivity). congruence.
Qed.

Lemma regroup (key : E -> K) (c : E -> Z) (g : K -> Z) es ks : NoDup ks ->
  (forall e, In e es -> In (key e) ks) ->
  zsum (map (fun e => c e * g (key e)) es) = zsum (map (fun k => g k * group key c es k) ks).
Proof.
  intros N. induction es as [|e es IH]; intro H.
  - unfold group; cbn. rewrite zsum_map_zero; [reflexivity|intros; lia].
  - cbn [map zsum]. rewrite IH by (intros; apply H; right; assumption).
    rewrite (map_ext (fun k => g k * group key c (e :: es) k)
      (fun k => (if eqb (key e) k then c e * g k else 0) + g k * group key c es k)).
    2: { intro k. unfold group. cbn [map zsum]. destruct (eqb (key e) k); ring. }
    rewrite zsum_map_add. f_equal. symmetry. apply (pick (fun k => c e * g k)); [exact N|].
    apply H. left. reflexivity.
Qed.

Lemma regroup_zero (key : E -> K) (c s : E -> Z) es
    (dec : forall a b : K, {a = b} + {a <> b}) :
  (forall e e', In e es -> In e' es -> key e = key e' -> s e = s e') ->
  (forall e, In e es -> group key c es (key e) = 0) ->
  zsum (map (fun e => c e * s e) es) = 0.
Proof.
  intros H Z.
  pose (g := fun k => match find (fun e => eqb (key e) k) es with Some e => s e | None => 0 end).
  rewrite (map_ext_in _ (fun e => c e * g (key e))).
  - rewrite (regroup key c g es (nodup dec (map key es))).
    + apply zsum_map_zero. intros k I. apply nodup_In, in_map_iff in I. destruct I as (e & <- & I).
      rewrite Z by exact I. lia.
    + apply NoDup_nodup.
    + intros e I. apply nodup_In, in_map, I.
  - intros e I. f_equal. unfold g. destruct (find (fun x => eqb (key x) (key e)) es) as [x|] eqn:F.
    + apply find_some in F. destruct F as [Ix Q]. apply eqb_eq in Q. auto.
    + exfalso. pose proof (find_none _ _ F e I) as Q. cbn in Q.
      assert (eqb (key e) (key e) = true) by (apply eqb_eq; reflexivity). congruence.
Qed.
End Regroup.

(** * Flows *)

(** [scale] times a flow from [first] to [second], so that weights are whole. *)
Record flow : Type := Flow { first : nat; second : nat; scale : Z; weights : list (nat * nat * Z) }.

Section Check.
Variable vertices : list nat.
Variable step : nat -> nat -> option nat.
Variable classes : list (list nat).

(** The place of the class in which a vertex stands. *)
Fixpoint place (cs : list (list nat)) (v : nat) : nat :=
  match cs with [] => O | c :: cs' => if mem v c then O else S (place cs' v) end.
Definition kind (v : nat) : nat := place classes v.

Definition source (e : nat * nat * Z) : nat := fst (fst e).
Definition label (e : nat * nat * Z) : nat := snd (fst e).
Definition amount (e : nat * nat * Z) : Z := snd e.
Definition target (e : nat * nat * Z) : nat :=
  match step (source e) (label e) with Some w => w | None => O end.
Definition key (e : nat * nat * Z) : nat * nat := (kind (source e), label e).
Definition pair_eqb (a b : nat * nat) : bool := Nat.eqb (fst a) (fst b) && Nat.eqb (snd a) (snd b).

Lemma pair_eqb_eq a b : pair_eqb a b = true <-> a = b.
Proof.
  destruct a, b. unfold pair_eqb. cbn. rewrite andb_true_iff, !Nat.eqb_eq. split; [intros []; congruence|].
  intro H; injection H; auto.
Qed.

Lemma pair_dec (a b : nat * nat) : {a = b} + {a <> b}.
Proof. decide equality; apply Nat.eq_dec. Qed.

Definition flow_ok (f : flow) : bool :=
  negb (scale f =? 0) && mem (first f) vertices && mem (second f) vertices &&
  forallb (fun e => mem (source e) vertices && match step (source e) (label e) with
                                               | Some w => mem w vertices | None => false end) (weights f) &&
  let es := map (fun e => (source e, target e, amount e)) (weights f) in
  forallb (fun v => group Nat.eqb (fun e => fst (fst e)) snd es v - group Nat.eqb (fun e => snd (fst e)) snd es v
                    =? (if Nat.eqb (first f) v then scale f else 0) - (if Nat.eqb (second f) v then scale f else 0))
          vertices &&
  let ks := map (fun e => (key e, amount e)) (weights f) in
  forallb (fun k => group pair_eqb fst snd ks (fst k) =? 0) ks.

Lemma flow_mates f (R : nat -> nat -> Prop) (g : nat -> Z) :
  (forall v w, In v vertices -> In w vertices -> kind v = kind w -> R v w) ->
  potential (fun v => In v vertices) step R g -> flow_ok f = true -> g (first f) = g (second f).
Proof.
  intros HR P C. unfold flow_ok in C. cbv zeta in C. rewrite !andb_true_iff in C.
  destruct C as ((((Cs & C1) & C2) & Ce) & Cv & Cg).
  rewrite forallb_forall in Ce, Cv, Cg. rewrite mem_in in C1, C2.
  assert (Edge : forall e, In e (weights f) -> In (source e) vertices /\
            step (source e) (label e) = Some (target e) /\ In (target e) vertices).
  { intros e I. specialize (Ce e I). rewrite andb_true_iff in Ce. destruct Ce as [A B].
    unfold target. destruct (step (source e) (label e)) as [w|]; [|discriminate].
    rewrite mem_in in A, B. auto. }
  assert (S0 : zsum (map (fun e => amount e * (g (target e) - g (source e))) (weights f)) = 0).
  { apply regroup_zero with (eqb := pair_eqb) (key := key).
    - apply pair_eqb_eq.
    - exact pair_dec.
    - intros e e' I I' Q. destruct (Edge e I) as (A & B & _), (Edge e' I') as (A' & B' & _).
      injection Q as Q1 Q2. apply (P _ _ (label e) _ _ A A'); [apply HR; auto|exact B|congruence].
    - intros e I. specialize (Cg _ (in_map (fun e => (key e, amount e)) _ _ I)). apply Z.eqb_eq in Cg.
      unfold group in *. rewrite map_map in Cg. exact Cg. }
  assert (S1 : zsum (map (fun e => amount e * (g (target e) - g (source e))) (weights f)) =
               zsum (map (fun v => - g v * (group Nat.eqb source amount (weights f) v -
                                            group Nat.eqb target amount (weights f) v))
                         (nodup Nat.eq_dec vertices))).
  { rewrite (map_ext _ (fun e => amount e * g (target e) + amount e * - g (source e))) by (intro; lia).
    rewrite zsum_map_add.
    rewrite (regroup Nat.eqb Nat.eqb_eq target amount g (weights f) (nodup Nat.eq_dec vertices)).
    2: apply NoDup_nodup.
    2: intros e I; apply nodup_In, Edge, I.
    rewrite (regroup Nat.eqb Nat.eqb_eq source amount (fun v => - g v) (weights f) (nodup Nat.eq_dec vertices)).
    2: apply NoDup_nodup.
    2: intros e I; apply nodup_In, Edge, I.
    rewrite <- zsum_map_add. f_equal. apply map_ext. intro v. lia. }
  rewrite S0 in S1.
  rewrite (map_ext_in _ (fun v => (if Nat.eqb (first f) v then - g v * scale f else 0) +
                                  (if Nat.eqb (second f) v then g v * scale f else 0))) in S1.
  2: { intros v I. apply nodup_In in I. specialize (Cv v I). apply Z.eqb_eq in Cv.
       unfold group in Cv at 1 2. rewrite !map_map in Cv. cbn [fst snd] in Cv.
       fold (group Nat.eqb source amount (weights f) v) (group Nat.eqb target amount (weights f) v) in Cv. rewrite Cv.
       destruct (Nat.eqb (first f) v), (Nat.eqb (second f) v); lia. }
  rewrite zsum_map_add in S1.
  rewrite (pick Nat.eqb Nat.eqb_eq (fun v => - g v * scale f) (first f)) in S1.
  2: apply NoDup_nodup.
  2: apply nodup_In, C1.
  rewrite (pick Nat.eqb Nat.eqb_eq (fun v => g v * scale f) (second f)) in S1.
  2: apply NoDup_nodup.
  2: apply nodup_In, C2.
  apply negb_true_iff, Z.eqb_neq in Cs. nia.
Qed.

(** The flows connect each class. *)
Variable flows : list flow.

Definition joined (v : nat) : list nat :=
  flat_map (fun f => if Nat.eqb (first f) v then [second f]
                     else if Nat.eqb (second f) v then [first f] else []) flows.

Definition class_ok (c : list nat) : bool :=
  match c with
  | [] => true
  | v :: _ => let r := reached joined (S (length vertices)) v in forallb (fun w => mem w r) c
  end.

(** Each vertex stands in a class, all flows are right, and they connect each class. *)
Definition flows_ok : bool :=
  forallb (fun v => existsb (mem v) classes) vertices && forallb flow_ok flows && forallb class_ok classes.

Lemma place_in cs v : existsb (mem v) cs = true -> exists c, nth_error cs (place cs v) = Some c /\ In v c.
Proof.
  induction cs as [|c cs IH]; simpl; [discriminate|]. destruct (mem v c) eqn:E; simpl; intro H.
  - exists c. split; [reflexivity|]. apply mem_in, E.
  - apply IH, H.
Qed.

(** Lemma 1.4, first half. *)
Theorem flows_mates k v w : flows_ok = true -> In v vertices -> In w vertices -> kind v = kind w ->
  mates (fun v => In v vertices) step k v w.
Proof.
  intro C. unfold flows_ok in C. rewrite !andb_true_iff, !forallb_forall in C. destruct C as ((Cv & Cf) & Cc).
  revert v w. induction k as [|k IH]; intros v w Iv Iw Q; [exact I|].
  intros g P.
  assert (F : forall f, In f flows -> g (first f) = g (second f)).
  { intros f If. apply flow_mates with (R := mates (fun v => In v vertices) step k); auto. }
  destruct (place_in classes v (Cv v Iv)) as (c & Nc & Vc).
  destruct (place_in classes w (Cv w Iw)) as (c' & Nc' & Wc').
  unfold kind in Q. rewrite Q in Nc. assert (c' = c) by congruence. subst c'.
  pose proof (Cc c (nth_error_In _ _ Nc')) as K. unfold class_ok in K.
  destruct c as [|x c]; [contradiction|]. rewrite forallb_forall in K.
  assert (G : forall y, In y (x :: c) -> g y = g x).
  { intros y Iy. specialize (K y Iy). apply mem_in in K.
    apply (reached_sound joined (fun z => g z = g x) _ _ _ eq_refl) with (2 := K).
    intros a b Ga Ib. apply in_flat_map in Ib. destruct Ib as (f & If & Ib). pose proof (F f If) as E.
    destruct (Nat.eqb (first f) a) eqn:E1.
    - apply Nat.eqb_eq in E1. destruct Ib as [<-|[]]. congruence.
    - destruct (Nat.eqb (second f) a) eqn:E2; [|contradiction]. apply Nat.eqb_eq in E2.
      destruct Ib as [<-|[]]. congruence. }
  rewrite (G v Vc), (G w Wc'). reflexivity.
Qed.

(** * Strong connection *)

Variable labels : nat.

Definition forward (v : nat) : list nat :=
  flat_map (fun l => match step v l with Some w => [w] | None => [] end) (seq 0 labels).
Definition backward (w : nat) : list nat := filter (fun v => mem w (forward v)) vertices.

Definition connected (p : nat) : bool :=
  let n := S (length vertices) in
  let f := reached forward n p in let b := reached backward n p in
  forallb (fun v => mem v f && mem v b) vertices.

Lemma forward_step v w : In w (forward v) -> exists l, step v l = Some w.
Proof.
  intro H. apply in_flat_map in H. destruct H as (l & _ & H). exists l.
  destruct (step v l); [|contradiction]. destruct H as [->|[]]. reflexivity.
Qed.

Theorem connected_sound p : connected p = true -> forall v, In v vertices ->
  (exists u, run step p u = Some v) /\ (exists u, run step v u = Some p).
Proof.
  intros C v Iv. unfold connected in C. rewrite forallb_forall in C. specialize (C v Iv).
  rewrite andb_true_iff, !mem_in in C. destruct C as [F B]. split.
  - apply (reached_sound forward (fun v => exists u, run step p u = Some v)) with (3 := F).
    + exists []. reflexivity.
    + intros x y (u & Hu) Iy. destruct (forward_step _ _ Iy) as (l & Hl). exists (u ++ [l]).
      rewrite (run_app_some _ _ _ _ _ _ x) by exact Hu. simpl. rewrite Hl. reflexivity.
  - apply (reached_sound backward (fun v => exists u, run step v u = Some p)) with (3 := B).
    + exists []. reflexivity.
    + intros x y (u & Hu) Iy. apply filter_In in Iy. destruct Iy as [_ Iy]. apply mem_in in Iy.
      destruct (forward_step _ _ Iy) as (l & Hl). exists (l :: u). simpl. rewrite Hl. exact Hu.
Qed.

End Check.
