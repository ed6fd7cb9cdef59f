(** Theorem A, both halves. The only file that uses an axiom: the law of excluded middle, by which two states
    are mates or some potential separates them. *)

From Coq Require Import List Arith ZArith Lia Bool Classical_Prop Classical_Pred_Type.
From Longreach Require Import Expressions Programs Graphs Flows Automata TheoremA Definable Construction EndOfSequence Components.
Import ListNotations.

(** Mates in every round. *)
Definition alike_in (A : automaton) (X : list nat) (q q' : nat) : Prop := forall k, mates_in A X k q q'.

Lemma mates_le V Lab (inside : V -> Prop) (step : V -> Lab -> option V) k k' v w :
  k <= k' -> mates inside step k' v w -> mates inside step k v w.
Proof. induction 1 as [|k' _ IH]; [auto|]. intro M. apply IH, mates_refine, M. Qed.

Lemma mates_refining A X round : refining A X round (mates_in A X).
Proof.
  repeat split.
  - intros. apply mates_refl.
  - intros k q q' _ _. apply mates_sym.
  - intros k q q' q'' _ _ _. apply mates_trans.
  - intros k q q' _ _ _. destruct k as [|k]; [left; exact I|].
    destruct (classic (mates_in A X (S k) q q')) as [M|M]; [left; exact M|].
    right. apply not_all_ex_not in M. destruct M as (f & M). exists f. apply imply_to_and in M.
    destruct M as [P N]. split; [exact P|]. split; [|exact N]. intros x y _ _ M. apply M, P.
Qed.

Lemma last_round A X : exists l, forall q q', In q X -> In q' X -> mates_in A X l q q' -> alike_in A X q q'.
Proof.
  destruct (finite_choice pair_dec 0 (fun p l => mates_in A X l (fst p) (snd p) -> alike_in A X (fst p) (snd p))
    (list_prod X X)) as [l H].
  { intros [q q'] _. cbn. destruct (classic (alike_in A X q q')) as [C|C]; [exists 0; auto|].
    apply not_all_ex_not in C. destruct C as (k & C). exists k. intro M. contradiction. }
  exists (list_max (map l (list_prod X X))). intros q q' I I' M.
  assert (Ip : In (q, q') (list_prod X X)) by (apply in_prod; assumption).
  apply (H (q, q') Ip). cbn. eapply mates_le; [|exact M].
  pose proof (proj1 (list_max_le (map l (list_prod X X)) _) (le_n _)) as F. rewrite Forall_forall in F.
  apply F, in_map, Ip.
Qed.

Lemma ranked_last_letter A rank : complete A = true -> minimal A -> ranked A rank ->
  (exists P, no_positions P = true /\ forall w, w <> [] -> over A w -> accepts P w = recognizes A w) <->
  (forall m q1 q2 a, In q1 (layer A rank m) -> In q2 (layer A rank m) -> alike_in A (layer A rank m) q1 q2 ->
     a < letters A -> delta A q1 a = delta A q2 a).
Proof.
  intros W Mi (Up & Co). split.
  - intros (P & U & H) m q1 q2 a I1 I2 M La.
    apply (theorem_A_only_if_last_letter A (depth P) P W Mi U (le_n _) H (layer A rank m)); auto.
    apply Forall_forall. intros q I. apply in_layer in I. tauto.
  - intro C.
    destruct (finite_choice Nat.eq_dec 0 (fun m l => forall q q', In q (layer A rank m) -> In q' (layer A rank m) ->
        mates_in A (layer A rank m) l q q' -> alike_in A (layer A rank m) q q')
      (map rank (seq 0 (states A)))) as [round R].
    { intros m _. apply last_round. }
    apply (construction A rank W Up round (fun m => mates_in A (layer A rank m))).
    + intro m. apply mates_refining.
    + intros m q q' a I I' M La. apply (C m q q' a I I'); [|exact La]. apply R; auto.
      pose proof (proj1 (in_layer A rank m q) I) as [L <-]. apply in_map, in_seq. lia.
Qed.

Lemma ranked_eos A rank : complete A = true -> minimal A -> ranked A rank ->
  (exists eos P, no_positions P = true /\ forall w, over A w -> accepts_eos eos P w = recognizes A w) <->
  (forall m q1 q2, In q1 (layer A rank m) -> In q2 (layer A rank m) -> alike_in A (layer A rank m) q1 q2 ->
     q1 = q2).
Proof.
  intros W Mi (Up & Co). split.
  - intros (eos & P & U & H) m q1 q2 I1 I2 M.
    apply (theorem_A_only_if_eos A (depth P) eos P W Mi U (le_n _) H (layer A rank m)); auto.
    apply Forall_forall. intros q I. apply in_layer in I. tauto.
  - intro C. exists (letters A).
    pose (X := fun m => layer (with_end A) (rank_end A rank) m).
    destruct (finite_choice Nat.eq_dec 0 (fun m l => forall q q', In q (X m) -> In q' (X m) ->
        mates_in (with_end A) (X m) l q q' -> alike_in (with_end A) (X m) q q')
      (map (rank_end A rank) (seq 0 (states (with_end A))))) as [round R].
    { intros m _. apply last_round. }
    destruct (construction (with_end A) (rank_end A rank) (with_end_complete A W) (rank_end_up A W rank Up) round
      (fun m => mates_in (with_end A) (X m))) as (P & U & H).
    + intro m. apply mates_refining.
    + intros m q q' a I I' M La. assert (E : q = q'); [|rewrite E; reflexivity].
      assert (Al : alike_in (with_end A) (X m) q q').
      { apply R; auto. pose proof (proj1 (in_layer _ _ m q) I) as [L <-]. apply in_map, in_seq. lia. }
      destruct (layer_end A rank m q I) as [(L & K & Hm)|(L & E)].
      * apply (C m q q' K); [apply layer_old; assumption|]. intro k. specialize (Al k). revert Al.
        apply mates_same; [intro v; apply layer_old, Hm|]. intros v l. apply step_end; assumption.
      * destruct (layer_end A rank m q' I') as [(L' & K' & Hm)|(L' & E')]; lia.
    + exists P. split; [exact U|]. intros w O. unfold accepts_eos. rewrite H.
      * apply recognizes_end; assumption.
      * intro Z. apply app_eq_nil in Z. destruct Z. discriminate.
      * apply over_end, O.
Qed.

(** * Theorem A *)

Lemma inner_step_same A X Y q a : (forall x, In x X <-> In x Y) -> inner_step A X q a = inner_step A Y q a.
Proof.
  intro H. assert (M : forall x, mem x X = mem x Y) by (intro x; apply eq_true_iff_eq; rewrite !mem_in; apply H).
  unfold inner_step. rewrite !M. reflexivity.
Qed.

Lemma alike_same A X Y q r : (forall x, In x X <-> In x Y) -> alike_in A X q r -> alike_in A Y q r.
Proof.
  intros H M k. specialize (M k). revert M. apply mates_same; [exact H|]. intros. apply inner_step_same, H.
Qed.

(** Ranks, and that the states of one rank are the component of each of them. *)
Lemma components_exist A : complete A = true ->
  exists rank, ranked A rank /\ forall q, q < states A -> component_of A q (layer A rank (rank q)).
Proof.
  intro W. destruct (finite_choice pair_dec false (fun p b => b = true <-> leads A (fst p) (snd p))
    (list_prod (seq 0 (states A)) (seq 0 (states A)))) as [goes G].
  { intros [q r] _. cbn. destruct (classic (leads A q r)) as [C|C]; [exists true; tauto|].
    exists false. split; [discriminate|contradiction]. }
  assert (G' : forall q r, q < states A -> r < states A -> goes (q, r) = true <-> leads A q r).
  { intros q r Q R. apply (G (q, r)). apply in_prod; apply in_seq; lia. }
  exists (the_rank A (fun q r => goes (q, r))). split; [apply ranks_exist; assumption|].
  intros q Q. apply layer_component; assumption.
Qed.

(** Read at the last letter, for all words but the empty one: a program exists if and only if in every
    component states that are mates in every round have the same successors. *)
Theorem theorem_A_last_letter A : complete A = true -> minimal A ->
  (exists P, no_positions P = true /\ forall w, w <> [] -> over A w -> accepts P w = recognizes A w) <->
  (forall X q1 q2 a, q1 < states A -> component_of A q1 X -> In q2 X -> alike_in A X q1 q2 ->
     a < letters A -> delta A q1 a = delta A q2 a).
Proof.
  intros W Mi. destruct (components_exist A W) as (rank & Ra & Co).
  rewrite (ranked_last_letter A rank W Mi Ra). split.
  - intros H X q1 q2 a Q C I M La. specialize (Co q1 Q).
    assert (E : forall x, In x X <-> In x (layer A rank (rank q1))) by (intro x; rewrite (C x), (Co x); tauto).
    apply (H (rank q1)); auto; [apply in_layer; auto|apply E, I|apply (alike_same A X); assumption].
  - intros H m q1 q2 a I1 I2 M La. pose proof (proj1 (in_layer A rank m q1) I1) as [Q <-].
    apply (H (layer A rank (rank q1))); auto.
Qed.

(** Read at the end of the sequence: if and only if in every component states that are mates in every round
    are equal. *)
Theorem theorem_A_eos A : complete A = true -> minimal A ->
  (exists eos P, no_positions P = true /\ forall w, over A w -> accepts_eos eos P w = recognizes A w) <->
  (forall X q1 q2, q1 < states A -> component_of A q1 X -> In q2 X -> alike_in A X q1 q2 -> q1 = q2).
Proof.
  intros W Mi. destruct (components_exist A W) as (rank & Ra & Co).
  rewrite (ranked_eos A rank W Mi Ra). split.
  - intros H X q1 q2 Q C I M. specialize (Co q1 Q).
    assert (E : forall x, In x X <-> In x (layer A rank (rank q1))) by (intro x; rewrite (C x), (Co x); tauto).
    apply (H (rank q1)); auto; [apply in_layer; auto|apply E, I|apply (alike_same A X); assumption].
  - intros H m q1 q2 I1 I2 M. pose proof (proj1 (in_layer A rank m q1) I1) as [Q <-].
    apply (H (layer A rank (rank q1))); auto.
Qed.
