(** Certificates that a program without positions exists: potentials, checked by a function, and its soundness. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions Programs Graphs Flows Automata TheoremA Definable Construction.
Import ListNotations.
Local Open Scope Z_scope.

(** The rank of each state; and for each rank, round by round, potentials as lists of values by state. *)
Record yes_certificate : Type := YesCertificate {
  ranks : list nat;
  potentials : list (list (list (list Z)))
}.

Section Yes.
Variable A : automaton.
Variable c : yes_certificate.

Definition rank_of (q : nat) : nat := nth q (ranks c) 0%nat.
Definition rounds_of (m : nat) : list (list (list Z)) := nth m (potentials c) [].
Definition at_state (f : list Z) (q : nat) : Z := nth q f 0.

(** States are related after some rounds if the potentials of all these rounds agree on them. *)
Fixpoint agree_b (rounds : list (list (list Z))) (k : nat) (q q' : nat) : bool :=
  match k, rounds with
  | S k', fs :: rounds' => forallb (fun f => at_state f q =? at_state f q') fs && agree_b rounds' k' q q'
  | _, _ => true
  end.

Definition potential_b (X : list nat) (related : nat -> nat -> bool) (f : list Z) : bool :=
  forallb (fun q => forallb (fun q' => negb (related q q') || forallb (fun a =>
    negb (mem (delta A q a) X) || negb (mem (delta A q' a) X) ||
    (at_state f (delta A q a) - at_state f q =? at_state f (delta A q' a) - at_state f q'))
    (seq 0 (letters A))) X) X.

Definition layer_ok (m : nat) : bool :=
  let X := layer A rank_of m in
  let rounds := rounds_of m in
  forallb (fun k => forallb (potential_b X (agree_b rounds k)) (nth k rounds [])) (seq 0 (length rounds)) &&
  forallb (fun q => forallb (fun q' => negb (agree_b rounds (length rounds) q q') ||
    forallb (fun a => Nat.eqb (delta A q a) (delta A q' a)) (seq 0 (letters A))) X) X.

Definition check_yes : bool :=
  complete A &&
  forallb (fun q => forallb (fun a => Nat.leb (rank_of q) (rank_of (delta A q a))) (seq 0 (letters A)))
    (seq 0 (states A)) &&
  forallb layer_ok (nodup Nat.eq_dec (map rank_of (seq 0 (states A)))).

Lemma agree_all rounds : forall k q q', (agree_b rounds k q q' = true <->
  forall i f, (i < k)%nat -> In f (nth i rounds []) -> at_state f q = at_state f q').
Proof.
  induction rounds as [|fs rounds IH]; intros k q q'.
  - destruct k; cbn [agree_b]; (split; [|reflexivity]); intros _ i f _ I; destruct i; destruct I.
  - destruct k as [|k]; cbn [agree_b]; [split; [intros _ i f L; lia|reflexivity]|].
    rewrite andb_true_iff, IH, forallb_forall. split.
    + intros (H0 & H) i f L I. destruct i as [|i]; cbn [nth] in I; [apply Z.eqb_eq, H0, I|].
      apply (H i f); [lia|exact I].
    + intro H. split.
      * intros f I. apply Z.eqb_eq, (H 0%nat f); [lia|exact I].
      * intros i f L I. apply (H (S i) f); [lia|exact I].
Qed.

Lemma layer_refining m : layer_ok m = true ->
  refining A (layer A rank_of m) (length (rounds_of m)) (fun k q q' => agree_b (rounds_of m) k q q' = true).
Proof.
  unfold layer_ok. rewrite andb_true_iff, !forallb_forall. intros (P & _). split; [|split; [|split; [|split]]].
  - intros q q' _ _. destruct (rounds_of m); reflexivity.
  - intros k q _. apply agree_all. reflexivity.
  - intros k q q' _ _. rewrite !agree_all. intros H i f L I. symmetry. eauto.
  - intros k q q' q'' _ _ _. rewrite !agree_all. intros H H' i f L I. rewrite (H i f L I). eauto.
  - intros k q q' L Iq Iq'. destruct k as [|k]; [left; destruct (rounds_of m); reflexivity|].
    destruct (forallb (fun i => forallb (fun f => at_state f q =? at_state f q') (nth i (rounds_of m) []))
      (seq 0 (S k))) eqn:E.
    + left. apply agree_all. intros i f Li I. rewrite forallb_forall in E.
      specialize (E i ltac:(apply in_seq; lia)). rewrite forallb_forall in E. apply Z.eqb_eq, E, I.
    + right. cbn [separated].
      assert (N : exists i f, (i < S k)%nat /\ In f (nth i (rounds_of m) []) /\ at_state f q <> at_state f q').
      { clear - E. revert E. generalize (rounds_of m). intros rs E.
        assert (G : forall l, forallb (fun i => forallb (fun f => at_state f q =? at_state f q') (nth i rs [])) l = false ->
          exists i f, In i l /\ In f (nth i rs []) /\ at_state f q <> at_state f q').
        { induction l as [|i l IH]; cbn [forallb]; intro F; [discriminate|].
          apply andb_false_iff in F. destruct F as [F|F].
          - assert (K : forall fs, forallb (fun f => at_state f q =? at_state f q') fs = false ->
              exists f, In f fs /\ at_state f q <> at_state f q').
            { induction fs as [|f fs IHf]; cbn [forallb]; intro K; [discriminate|].
              destruct (Z.eqb_spec (at_state f q) (at_state f q')) as [Q|Q].
              - cbn [andb] in K. destruct (IHf K) as (g & I & N). exists g. split; [right; exact I|exact N].
              - exists f. split; [left; reflexivity|exact Q]. }
            destruct (K _ F) as (f & I & N). exists i, f. split; [left; reflexivity|auto].
          - destruct (IH F) as (j & f & I & N). exists j, f. split; [right; exact I|exact N]. }
        destruct (G _ E) as (i & f & I & N). exists i, f. apply in_seq in I. split; [lia|exact N]. }
      destruct N as (i & f & Li & If & N). exists (at_state f). split; [|split; [|exact N]].
      * intros v v' l w w' Iv Iv' Rv Sv Sv'.
        assert (Pi : potential_b (layer A rank_of m) (agree_b (rounds_of m) i) f = true).
        { specialize (P i ltac:(apply in_seq; lia)). rewrite forallb_forall in P. apply P, If. }
        unfold potential_b in Pi. rewrite forallb_forall in Pi. specialize (Pi v Iv).
        rewrite forallb_forall in Pi. specialize (Pi v' Iv').
        assert (Ri : agree_b (rounds_of m) i v v' = true).
        { rewrite agree_all in *. intros j g Lj Ig. apply (Rv j g); [lia|exact Ig]. }
        rewrite Ri in Pi. cbn [negb orb] in Pi. rewrite forallb_forall in Pi.
        apply inner_step_some in Sv, Sv'. destruct Sv as (Ll & _ & Iw & ->), Sv' as (_ & _ & Iw' & ->).
        specialize (Pi l ltac:(apply in_seq; lia)). apply mem_in in Iw, Iw'. rewrite Iw, Iw' in Pi.
        apply Z.eqb_eq, Pi.
      * intros x y _ _ H. rewrite agree_all in H. apply (H i f Li If).
Qed.

(** If the check says true, some program without positions, read at the last letter, agrees with the automaton
    on all nonempty words. *)
Theorem check_yes_sound : check_yes = true -> exists P, no_positions P = true /\
  forall w, w <> [] -> over A w -> accepts P w = recognizes A w.
Proof.
  unfold check_yes. rewrite !andb_true_iff, !forallb_forall. intros ((W & Up) & Ok).
  assert (Each : forall m q, In q (layer A rank_of m) -> layer_ok m = true).
  { intros m q I. apply Ok, nodup_In. apply in_layer in I. destruct I as [L <-]. apply in_map, in_seq. lia. }
  apply (construction A rank_of W) with (round := fun m => length (rounds_of m))
    (R := fun m k q q' => agree_b (rounds_of m) k q q' = true).
  - intros q a Q L. specialize (Up q ltac:(apply in_seq; lia)). rewrite forallb_forall in Up.
    apply Nat.leb_le, Up, in_seq. lia.
  - intro m. destruct (layer A rank_of m) as [|q X] eqn:E.
    + repeat split; intros; contradiction.
    + rewrite <- E. apply layer_refining, (Each m q). rewrite E. left. reflexivity.
  - intros m q q' a I I' Rq L. pose proof (Each m q I) as K. unfold layer_ok in K.
    rewrite andb_true_iff, !forallb_forall in K. destruct K as [_ K]. specialize (K q I).
    rewrite forallb_forall in K. specialize (K q' I'). rewrite Rq in K. cbn [negb orb] in K.
    rewrite forallb_forall in K. apply Nat.eqb_eq, K, in_seq. lia.
Qed.

End Yes.

Definition some_program (A : automaton) : Prop := exists P, no_positions P = true /\
  forall w, w <> [] -> over A w -> accepts P w = recognizes A w.
