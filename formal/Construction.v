(** Theorem A, "if": the construction of section 3.

    The automaton comes with a rank for each state such that letters never lead to a lower rank; the states of
    one rank are a component. For each component relations are given that get finer from round to round by means of
    potentials, such as the mates of each round, and a round in which the condition holds. *)

From Coq Require Import List Arith ZArith Lia Bool FinFun Wellfounded.
From Longreach Require Import Expressions Programs Graphs Flows Automata TheoremA Definable.
Import ListNotations.
Local Open Scope Z_scope.

Section Construction.
Variable A : automaton.
Variable rank : nat -> nat.
Hypothesis A_complete : complete A = true.
Hypothesis rank_up : forall q a, (q < states A)%nat -> (a < letters A)%nat -> (rank q <= rank (delta A q a))%nat.

Notation definable := (definable A).
Notation countable := (countable A).
Notation over := (over A).

(** The state after a history. *)
Fixpoint st (h : list nat) : nat := match h with [] => 0%nat | a :: h' => delta A (st h') a end.

Lemma st_rev w : st (rev w) = state_after A 0 w.
Proof.
  induction w as [|a w IH] using rev_ind; [reflexivity|].
  rewrite rev_app_distr, state_after_app, <- IH. reflexivity.
Qed.

Lemma st_state h : (st h < states A)%nat.
Proof.
  destruct h; cbn [st]; [|apply delta_state, A_complete].
  unfold complete in A_complete. rewrite !andb_true_iff in A_complete. apply Nat.ltb_lt, A_complete.
Qed.

Lemma st_up a h : over (a :: h) -> (rank (st h) <= rank (st (a :: h)))%nat.
Proof. intro O. inversion O; subst. apply rank_up; [apply st_state|assumption]. Qed.

(** The states of rank m. *)
Definition layer (m : nat) : list nat := filter (fun q => Nat.eqb (rank q) m) (seq 0 (states A)).

Lemma in_layer m q : In q (layer m) <-> (q < states A)%nat /\ rank q = m.
Proof. unfold layer. rewrite filter_In, in_seq, Nat.eqb_eq. intuition lia. Qed.

Lemma layer_NoDup m : NoDup (layer m).
Proof. apply NoDup_filter, seq_NoDup. Qed.

(** Relations that get finer from round to round: what is not related is separated by a potential with respect
    to the round before, which is constant on related states. Mates are such relations, and so are the classes
    of given potentials. *)
Definition separated (X : list nat) (R : nat -> nat -> nat -> Prop) (k q q' : nat) : Prop :=
  match k with
  | O => False
  | S k' => exists f, potential (fun v => In v X) (inner_step A X) (R k') f /\
              (forall x y, In x X -> In y X -> R (S k') x y -> f x = f y) /\ f q <> f q'
  end.

Definition refining (X : list nat) (round : nat) (R : nat -> nat -> nat -> Prop) : Prop :=
  (forall q q', In q X -> In q' X -> R 0%nat q q') /\
  (forall k q, In q X -> R k q q) /\
  (forall k q q', In q X -> In q' X -> R k q q' -> R k q' q) /\
  (forall k q q' q'', In q X -> In q' X -> In q'' X -> R k q q' -> R k q' q'' -> R k q q'') /\
  (forall k q q', (k <= round)%nat -> In q X -> In q' X -> R k q q' \/ separated X R k q q').

(** The next state is r, coming from rank m. *)
Definition moves (m r : nat) (h : list nat) : bool := Nat.eqb (rank (st (tl h))) m && Nat.eqb (st h) r.

Section Component.
Variable m : nat.
Notation X := (layer m).
Variable round : nat.
Variable Rel : nat -> nat -> nat -> Prop.
Hypothesis R_refining : refining X round Rel.
Hypothesis condition : forall q q' a, In q X -> In q' X -> Rel round q q' -> (a < letters A)%nat ->
  delta A q a = delta A q' a.
Hypothesis earlier : forall m' r, (m' < m)%nat -> definable (moves m' r).

(** Where the run entered, if it did. *)
Fixpoint entry (h : list nat) : option nat :=
  match h with
  | [] => if Nat.eqb (rank 0) m then Some 0%nat else None
  | a :: h' => match entry h' with
               | Some v => Some v
               | None => if Nat.eqb (rank (st h)) m then Some (st h) else None
               end
  end.

Lemma entry_some h v : over h -> entry h = Some v -> (m <= rank (st h))%nat /\ In v X.
Proof.
  revert v. induction h as [|a h IH]; intros v O H; cbn [entry] in H.
  - destruct (Nat.eqb_spec (rank 0) m); [|discriminate]. injection H as <-. cbn. split; [lia|].
    apply in_layer. split; [|assumption]. apply (st_state []).
  - pose proof (st_up a h O) as U. inversion O; subst. destruct (entry h) as [u|].
    + injection H as <-. destruct (IH u) as [L I]; [assumption|reflexivity|]. split; [lia|exact I].
    + destruct (Nat.eqb_spec (rank (st (a :: h))) m); [|discriminate]. injection H as <-.
      split; [lia|]. apply in_layer. split; [apply (st_state (a :: h))|assumption].
Qed.

Lemma entry_none h : entry h = None -> rank (st h) <> m.
Proof.
  destruct h as [|a h]; cbn [entry].
  - destruct (Nat.eqb_spec (rank 0) m); [discriminate|auto].
  - destruct (entry h); [discriminate|]. destruct (Nat.eqb_spec (rank (st (a :: h))) m); [discriminate|auto].
Qed.

Definition enters (v : nat) (h : list nat) : bool := existsb (fun m' => moves m' v h) (seq 0 m).

Lemma enters_spec v a h : enters v (a :: h) = true <-> (rank (st h) < m)%nat /\ st (a :: h) = v.
Proof.
  unfold enters, moves. rewrite existsb_exists. cbn [tl]. split.
  - intros (x & I & E). rewrite andb_true_iff, !Nat.eqb_eq in E. apply in_seq in I. destruct E. split; lia.
  - intros (L & E). exists (rank (st h)). rewrite andb_true_iff, !Nat.eqb_eq, in_seq. repeat split; auto; lia.
Qed.

Lemma count_nonneg {T} (f : list T -> bool) h : 0 <= count f h.
Proof. induction h; cbn [count]; [lia|]. destruct (f (a :: h)); cbn [b2z]; lia. Qed.

Lemma entry_count v h : In v X -> over h ->
  (entry h = Some v <-> (rank 0 = m /\ v = 0%nat) \/ 1 <= count (enters v) h).
Proof.
  intros Iv O. apply in_layer in Iv. destruct Iv as [_ Rv].
  induction h as [|a h IH]; cbn [entry count].
  - destruct (Nat.eqb_spec (rank 0) m); split.
    + intro H. injection H as <-. auto.
    + intros [[_ ->]|]; [reflexivity|lia].
    + discriminate.
    + intros [[]|]; [contradiction|lia].
  - pose proof (st_up a h O) as U. inversion O; subst. specialize (IH H2).
    pose proof (count_nonneg (enters v) h) as N.
    destruct (entry h) as [u|] eqn:E.
    + destruct (entry_some h u H2 E) as [L _].
      assert (F : enters v (a :: h) = false).
      { destruct (enters v (a :: h)) eqn:F; [|reflexivity]. apply enters_spec in F. lia. }
      rewrite F. cbn [b2z]. rewrite IH. lia.
    + pose proof (entry_none h E) as M.
      assert (Z : ~ ((rank 0 = m /\ v = 0%nat) \/ 1 <= count (enters v) h)).
      { intro C. apply IH in C. discriminate. }
      destruct (enters v (a :: h)) eqn:F; cbn [b2z].
      * apply enters_spec in F. destruct F as [F1 F2]. rewrite F2.
        destruct (Nat.eqb_spec (rank v) m); [|lia]. split; [|reflexivity]. intros _. right. lia.
      * destruct (Nat.eqb_spec (rank (st (a :: h))) m) as [Q|Q].
        -- split.
           ++ intro C. exfalso. injection C as C.
              assert (enters v (a :: h) = true); [|congruence]. apply enters_spec. split; [lia|exact C].
           ++ intro C. exfalso. apply Z. destruct C as [C|C]; [left; exact C|right; lia].
        -- split; [discriminate|]. intro C. exfalso. apply Z. destruct C as [C|C]; [left; exact C|right; lia].
Qed.

(** Entered at v before this position. *)
Definition came (v : nat) (h : list nat) : bool :=
  match entry (tl h) with Some u => Nat.eqb u v | None => false end.
Definition been (h : list nat) : bool := match entry (tl h) with Some _ => true | None => false end.

Lemma over_tl h : over h -> over (tl h).
Proof. destruct h; [auto|]. intro O. inversion O; assumption. Qed.

Lemma def_came v : In v X -> definable (came v).
Proof.
  intro I. apply definable_ext with
    (fun h => (Nat.eqb (rank 0) m && Nat.eqb v 0) || (1 <=? count (enters v) (tl h))).
  - apply def_or; [apply def_const|]. apply def_leb; [apply countable_const|].
    apply countable_before. apply def_existsb. intros m' Im. apply earlier. apply in_seq in Im. lia.
  - intros h _ O. pose proof (entry_count v (tl h) I (over_tl h O)) as E. apply eq_true_iff_eq.
    rewrite orb_true_iff, andb_true_iff, !Nat.eqb_eq, Z.leb_le, <- E. unfold came.
    destruct (entry (tl h)); [rewrite Nat.eqb_eq; split; congruence|split; discriminate].
Qed.

Lemma def_been : definable been.
Proof.
  apply definable_ext with (fun h => existsb (fun v => came v h) X).
  - apply def_existsb. intros. apply def_came. assumption.
  - intros h _ O. unfold been, came. destruct (entry (tl h)) as [u|] eqn:E.
    + apply existsb_exists. exists u. split; [apply (entry_some _ _ (over_tl h O) E)|apply Nat.eqb_refl].
    + assert (G : forall l : list nat, existsb (fun _ => false) l = false) by (induction l; auto). apply G.
Qed.

(** * Classes *)

Lemma R_zero q q' : In q X -> In q' X -> Rel 0%nat q q'.
Proof. apply R_refining. Qed.
Lemma R_refl k q : In q X -> Rel k q q.
Proof. apply R_refining. Qed.
Lemma R_sym k q q' : In q X -> In q' X -> Rel k q q' -> Rel k q' q.
Proof. apply R_refining. Qed.
Lemma R_trans k q q' q'' : In q X -> In q' X -> In q'' X -> Rel k q q' -> Rel k q' q'' -> Rel k q q''.
Proof. apply R_refining. Qed.
Lemma decided k q q' : (k <= round)%nat -> In q X -> In q' X -> Rel k q q' \/ separated X Rel k q q'.
Proof. apply R_refining. Qed.

(** A function that numbers the classes of a round. *)
Definition numbers (k : nat) (cl : nat -> nat) : Prop :=
  (forall q, In q X -> In (cl q) X /\ Rel k q (cl q)) /\
  (forall q q', In q X -> In q' X -> (cl q = cl q' <-> Rel k q q')).

Lemma separated_not_mates k q q' : In q X -> In q' X -> separated X Rel k q q' -> ~ Rel k q q'.
Proof. intros I I'. destruct k; [intros []|]. intros (f & _ & C & N) M. apply N, C; auto. Qed.

Lemma numbers_exist k : (k <= round)%nat -> exists cl, numbers k cl.
Proof.
  intro Hk.
  destruct (finite_choice pair_dec false (fun p b => b = true <-> Rel k (fst p) (snd p))
    (list_prod X X)) as [mb M].
  { intros [q q'] I. apply in_prod_iff in I. destruct I as [I I']. cbn.
    destruct (decided k q q' Hk I I') as [D|D].
    - exists true. tauto.
    - exists false. split; [discriminate|]. intro C. destruct (separated_not_mates k q q' I I' D C). }
  assert (M' : forall q q', In q X -> In q' X -> mb (q, q') = true <-> Rel k q q').
  { intros q q' I I'. apply (M (q, q')). apply in_prod; assumption. }
  exists (fun q => match find (fun r => mb (q, r)) X with Some r => r | None => q end).
  assert (F : forall q, In q X -> exists r, find (fun r => mb (q, r)) X = Some r /\ In r X /\ Rel k q r).
  { intros q I. destruct (find (fun r => mb (q, r)) X) as [r|] eqn:E.
    - exists r. apply find_some in E. destruct E as [Ir E]. split; [reflexivity|]. split; [exact Ir|].
      apply M'; assumption.
    - exfalso. pose proof (find_none _ _ E q I) as N. cbn in N.
      assert (mb (q, q) = true) by (apply M'; auto; apply R_refl; assumption). congruence. }
  split.
  - intros q I. destruct (F q I) as (r & -> & Ir & Mr). auto.
  - intros q q' I I'. destruct (F q I) as (r & E & Ir & Mr), (F q' I') as (r' & E' & Ir' & Mr').
    rewrite E, E'. split.
    + intros <-. apply (R_trans k q r q'); auto. apply R_sym; auto.
    + intro C. assert (S : find (fun r => mb (q, r)) X = find (fun r => mb (q', r)) X).
      { clear E E'. assert (G : forall l, incl l X ->
          find (fun r => mb (q, r)) l = find (fun r => mb (q', r)) l).
        { induction l as [|x l IH]; intro L; [reflexivity|]. cbn [find].
          assert (Ix : In x X) by (apply L; left; reflexivity).
          assert (B : mb (q, x) = mb (q', x)).
          { apply eq_true_iff_eq. rewrite !M' by assumption. split; intro K.
            - apply (R_trans k q' q x); auto. apply R_sym; auto.
            - apply (R_trans k q q' x); auto. }
          rewrite B. destruct (mb (q', x)); [reflexivity|]. apply IH. intros y Iy. apply L. right. exact Iy. }
        apply G. intros x Ix. exact Ix. }
      congruence.
Qed.

(** Definable operations that know the class while the run is in the component. *)
Definition knows (cl : nat -> nat) (cls : nat -> list nat -> bool) : Prop :=
  (forall r, In r X -> definable (cls r)) /\
  (forall r h, In r X -> h <> [] -> over h -> rank (st (tl h)) = m -> cls r h = Nat.eqb (cl (st (tl h))) r).

(** The sum of the shifts of f since the run entered. *)
Definition pairs : list (nat * nat) := list_prod X (seq 0 (letters A)).
Definition sees (cls : nat -> list nat -> bool) (p : nat * nat) (h : list nat) : bool :=
  been h && reads (snd p) h && cls (fst p) h.
Definition counter (cls : nat -> list nat -> bool) (shift : nat * nat -> Z) (h : list nat) : Z :=
  zsum (map (fun p => shift p * count (sees cls p) h) pairs).

Lemma pairs_NoDup : NoDup pairs.
Proof.
  unfold pairs. generalize (layer_NoDup m). generalize X. induction l as [|x l IH]; intro N; [constructor|].
  inversion N; subst. cbn [list_prod].
  assert (G : forall l1 l2 : list (nat * nat), NoDup l1 -> NoDup l2 ->
    (forall p, In p l1 -> ~ In p l2) -> NoDup (l1 ++ l2)).
  { induction l1 as [|p l1 IH1]; intros l2 N1 N2 D; [exact N2|]. inversion N1; subst. constructor.
    - rewrite in_app_iff. intros [C|C]; [contradiction|]. apply (D p); [left; reflexivity|exact C].
    - apply IH1; auto. intros; apply D; right; assumption. }
  apply G.
  - apply Injective_map_NoDup; [intros a b E; congruence|apply seq_NoDup].
  - apply IH. assumption.
  - intros [u v] I C. apply in_map_iff in I. destruct I as (y & E & _). injection E as <- <-.
    apply in_prod_iff in C. tauto.
Qed.

Lemma counter_cons cls shift a h :
  counter cls shift (a :: h) =
  zsum (map (fun p => shift p * b2z (sees cls p (a :: h))) pairs) + counter cls shift h.
Proof. unfold counter. cbn [count]. rewrite <- zsum_map_add. f_equal. apply map_ext. intro p. lia. Qed.

Lemma counter_none cls shift h : entry h = None -> counter cls shift h = 0.
Proof.
  induction h as [|a h IH]; intro E.
  - unfold counter. apply zsum_map_zero. intros; cbn [count]; lia.
  - assert (N : entry h = None) by (cbn [entry] in E; destruct (entry h); [discriminate|reflexivity]).
    rewrite counter_cons, (IH N), zsum_map_zero; [reflexivity|].
    intros p _. unfold sees, been. cbn [tl]. rewrite N. cbn. lia.
Qed.

Lemma counter_right k cl cls f shift : numbers k cl -> knows cl cls ->
  (forall q r a, In q X -> (a < letters A)%nat -> In (delta A q a) X -> cl q = r ->
     f (delta A q a) - f q = shift (r, a)) ->
  forall h v, over h -> rank (st h) = m -> entry h = Some v -> counter cls shift h = f (st h) - f v.
Proof.
  intros (Nin & _) (_ & K) S. induction h as [|a h IH]; intros v O R E.
  - cbn [entry] in E. destruct (Nat.eqb (rank 0) m); [|discriminate]. injection E as <-.
    unfold counter. rewrite zsum_map_zero; [cbn; lia|]. intros; cbn [count]; lia.
  - rewrite counter_cons. pose proof (st_up a h O) as U. inversion O as [|? ? La Oh]; subst.
    destruct (entry h) as [u|] eqn:Eh.
    + assert (E' : u = v) by (cbn [entry] in E; rewrite Eh in E; congruence). subst u.
      destruct (entry_some h v Oh Eh) as [L _]. assert (Rh : rank (st h) = m) by lia.
      assert (Ih : In (st h) X) by (apply in_layer; split; [apply st_state|exact Rh]).
      rewrite (IH v Oh Rh eq_refl).
      rewrite (map_ext_in _ (fun p => if pair_eqb (cl (st h), a) p then shift p else 0)).
      2: { intros [r b] I. unfold pairs in I. apply in_prod_iff in I. destruct I as [Ir Ib].
           unfold sees, been. cbn [tl fst snd]. rewrite Eh. cbn [andb reads].
           rewrite K by (auto; discriminate). cbn [tl]. unfold pair_eqb. cbn [fst snd].
           rewrite (Nat.eqb_sym b a). destruct (Nat.eqb a b), (Nat.eqb (cl (st h)) r); cbn [andb b2z]; lia. }
      rewrite (pick pair_eqb pair_eqb_eq shift (cl (st h), a) pairs pairs_NoDup).
      * rewrite <- (S (st h) (cl (st h)) a); auto.
        -- cbn [st]. lia.
        -- apply in_layer. split; [apply delta_state, A_complete|exact R].
      * unfold pairs. apply in_prod; [apply Nin, Ih|apply in_seq; lia].
    + assert (E' : v = st (a :: h)).
      { cbn [entry] in E. rewrite Eh in E. destruct (Nat.eqb _ _); congruence. }
      rewrite (counter_none cls shift h Eh), zsum_map_zero; [subst v; lia|].
      intros p _. unfold sees, been. cbn [tl]. rewrite Eh. cbn. lia.
Qed.

Lemma inner_step_inside q a : In q X -> (a < letters A)%nat -> In (delta A q a) X ->
  inner_step A X q a = Some (delta A q a).
Proof.
  intros I La I'. unfold inner_step. apply mem_in in I, I'. apply Nat.ltb_lt in La.
  rewrite I, I', La. reflexivity.
Qed.

(** The shifts of a potential. *)
Lemma shifts_exist k cl f : numbers k cl ->
  potential (fun v => In v X) (inner_step A X) (Rel k) f ->
  exists shift : nat * nat -> Z, forall q r a, In q X -> (a < letters A)%nat -> In (delta A q a) X -> cl q = r ->
    f (delta A q a) - f q = shift (r, a).
Proof.
  intros (Nin & N) P.
  exists (fun p => match find (fun q => Nat.eqb (cl q) (fst p) && mem (delta A q (snd p)) X) X with
                   | Some q => f (delta A q (snd p)) - f q | None => 0 end).
  intros q r a I La I' <-. cbn [fst snd].
  destruct (find (fun q0 => Nat.eqb (cl q0) (cl q) && mem (delta A q0 a) X) X) as [q0|] eqn:E.
  - apply find_some in E. destruct E as [I0 E]. rewrite andb_true_iff, Nat.eqb_eq, mem_in in E.
    destruct E as [E1 E2]. eapply P with (l := a); try apply inner_step_inside; auto.
    apply N; auto.
  - exfalso. pose proof (find_none _ _ E q I) as C. cbn in C.
    rewrite Nat.eqb_refl in C. cbn [andb] in C. apply mem_in in I'. congruence.
Qed.

Lemma def_counter cl cls shift z : knows cl cls -> definable (fun h => counter cls shift (tl h) =? z).
Proof.
  intros (D & _). apply def_eqb; [|apply countable_const]. unfold counter.
  apply (countable_sum A (fun p h => shift p * count (sees cls p) (tl h))). intros [r a] I.
  apply in_prod_iff in I. apply countable_scale, countable_before. unfold sees. cbn [fst snd].
  apply (def_and A (fun h => been h && reads a h)); [|apply D; tauto].
  apply def_and; [apply def_been|apply def_reads].
Qed.

Lemma next_round k cl cls : (S k <= round)%nat -> numbers k cl -> knows cl cls ->
  exists cl' cls', numbers (S k) cl' /\ knows cl' cls'.
Proof.
  intros Hk N K. destruct (numbers_exist (S k) Hk) as (cl' & N').
  (* For each two states that are no mates: a potential that separates them, and its shifts. *)
  destruct (finite_choice pair_dec ((fun _ => 0), (fun _ => 0))
    (fun p (fs : (nat -> Z) * (nat * nat -> Z)) =>
       (forall q r a, In q X -> (a < letters A)%nat -> In (delta A q a) X -> cl q = r ->
          fst fs (delta A q a) - fst fs q = snd fs (r, a)) /\
       (Rel (S k) (fst p) (snd p) -> fst fs (fst p) = fst fs (snd p)) /\
       (forall q q', In q X -> In q' X -> Rel (S k) q q' -> fst fs q = fst fs q') /\
       (~ Rel (S k) (fst p) (snd p) -> fst fs (fst p) <> fst fs (snd p)))
    (list_prod X X)) as [fs F].
  { intros [q q'] I. apply in_prod_iff in I. destruct I as [I I']. cbn [fst snd].
    destruct (decided (S k) q q' Hk I I') as [D|(f & P & Pc & D)].
    - exists ((fun _ => 0), (fun _ => 0)). cbn. tauto.
    - destruct (shifts_exist k cl f N P) as (shift & Hs). exists (f, shift). cbn [fst snd].
      split; [exact Hs|]. split; [intro M; apply Pc; auto|]. split; [|intros _; exact D].
      exact Pc. }
  pose (test := fun r v h => forallb (fun q =>
    counter cls (snd (fs (r, q))) (tl h) =? fst (fs (r, q)) r - fst (fs (r, q)) v) X).
  exists cl', (fun r h => Nat.eqb (cl' r) r && existsb (fun v => came v h && test r v h) X).
  split; [exact N'|]. split.
  - intros r Ir. apply def_and; [apply def_const|].
    apply (def_existsb A (fun v h => came v h && test r v h)). intros v Iv.
    apply def_and; [apply def_came, Iv|].
    apply (def_forallb A (fun q h => counter cls (snd (fs (r, q))) (tl h) =? fst (fs (r, q)) r - fst (fs (r, q)) v)).
    intros q Iq. apply (def_counter cl), K.
  - intros r h Ir Nh O R. destruct (entry (tl h)) as [v|] eqn:E.
    2: { destruct (entry_none _ E R). }
    destruct (entry_some _ _ (over_tl h O) E) as [_ Iv].
    assert (Is : In (st (tl h)) X) by (apply in_layer; split; [apply st_state|exact R]).
    assert (C : forall q, In q X -> counter cls (snd (fs (r, q))) (tl h) =
                                    fst (fs (r, q)) (st (tl h)) - fst (fs (r, q)) v).
    { intros q Iq. destruct (F (r, q)) as (Hs & _); [apply in_prod; assumption|].
      apply (counter_right k cl cls (fst (fs (r, q)))); auto. apply over_tl, O. }
    assert (T : test r v h = true <-> Rel (S k) (st (tl h)) r).
    { unfold test. rewrite forallb_forall. split.
      - intro T. destruct (decided (S k) (st (tl h)) r Hk Is Ir) as [D|D]; [exact D|exfalso].
        apply separated_not_mates in D; auto.
        specialize (T (st (tl h)) Is). rewrite (C _ Is) in T. apply Z.eqb_eq in T.
        destruct (F (r, st (tl h))) as (_ & _ & _ & G); [apply in_prod; assumption|]. cbn [fst snd] in G.
        apply G; [|lia]. intro M. apply D, R_sym; auto.
      - intros M q Iq. rewrite (C _ Iq). apply Z.eqb_eq.
        destruct (F (r, q)) as (_ & _ & G & _); [apply in_prod; assumption|].
        rewrite (G (st (tl h)) r Is Ir M). reflexivity. }
    assert (Ex : existsb (fun v => came v h && test r v h) X = test r v h).
    { apply eq_true_iff_eq. rewrite existsb_exists. unfold came. rewrite E. split.
      - intros (u & Iu & Q). apply andb_prop in Q. destruct Q as [Q1 Q2]. apply Nat.eqb_eq in Q1. subst u. exact Q2.
      - intro Q. exists v. rewrite Nat.eqb_refl, Q. auto. }
    rewrite Ex. destruct N' as (Nin & Neq). apply eq_true_iff_eq. rewrite andb_true_iff, !Nat.eqb_eq, T.
    split.
    + intros [Q1 Q2]. apply Neq in Q2; auto. congruence.
    + intro Q. destruct (Nin _ Is) as [_ Mr]. rewrite Q in Mr. split; [|exact Mr].
      rewrite <- Q at 2. symmetry. apply Neq; auto.
Qed.

Lemma rounds k : (k <= round)%nat -> exists cl cls, numbers k cl /\ knows cl cls.
Proof.
  induction k as [|k IH]; intro Hk.
  - destruct (numbers_exist 0 Hk) as (cl & N).
    exists cl, (fun r _ => existsb (fun q => Nat.eqb (cl q) r) X). split; [exact N|]. split.
    + intros r _. apply def_const.
    + intros r h Ir _ O R. assert (Is : In (st (tl h)) X) by (apply in_layer; split; [apply st_state|exact R]).
      apply eq_true_iff_eq. rewrite existsb_exists. split.
      * intros (q & Iq & E). apply Nat.eqb_eq in E. apply Nat.eqb_eq. rewrite <- E. apply N; auto. apply R_zero; auto.
      * intro E. exists (st (tl h)). auto.
  - destruct (IH ltac:(lia)) as (cl & cls & N & K). apply (next_round k cl cls); auto.
Qed.

(** * Leaving *)

Lemma next_state : forall r, definable (moves m r).
Proof.
  destruct (rounds round (le_n _)) as (cl & cls & (Nin & Neq) & (D & K)).
  pose (jump := fun (good : nat -> bool) (h : list nat) => existsb (fun p =>
    good (delta A (fst p) (snd p)) && (cls (fst p) h && reads (snd p) h)) pairs).
  assert (Djump : forall good, definable (jump good)).
  { intro good. apply (def_existsb A (fun p h =>
      good (delta A (fst p) (snd p)) && (cls (fst p) h && reads (snd p) h))).
    intros [q a] I. apply in_prod_iff in I. apply def_and; [apply def_const|].
    apply def_and; [apply D; tauto|apply def_reads]. }
  assert (Hjump : forall good a h, over (a :: h) -> rank (st h) = m -> jump good (a :: h) = good (st (a :: h))).
  { intros good a h O R. inversion O as [|? ? La Oh]; subst.
    assert (Is : In (st h) X) by (apply in_layer; split; [apply st_state|exact R]).
    destruct (Nin _ Is) as [Ic Mc].
    assert (Hcl : forall q, In q X -> cl (st h) = q -> delta A q a = delta A (st h) a).
    { intros q Iq <-. symmetry. apply condition; auto. }
    apply eq_true_iff_eq. unfold jump. rewrite existsb_exists. split.
    - intros ([q b] & I & E). unfold pairs in I. apply in_prod_iff in I. destruct I as [Iq _]. cbn [fst snd] in E.
      rewrite !andb_true_iff in E. destruct E as (E1 & E2 & E3). cbn [reads] in E3. apply Nat.eqb_eq in E3. subst b.
      rewrite K in E2 by (auto; discriminate). cbn [tl] in E2. apply Nat.eqb_eq in E2.
      rewrite (Hcl q Iq E2) in E1. exact E1.
    - intro E. exists (cl (st h), a). split; [unfold pairs; apply in_prod; [exact Ic|apply in_seq; lia]|].
      cbn [fst snd]. rewrite (Hcl _ Ic eq_refl). cbn [st] in E. rewrite E. cbn [reads]. rewrite Nat.eqb_refl.
      rewrite K by (auto; discriminate). cbn [tl]. rewrite Nat.eqb_refl. reflexivity. }
  pose (exit := fun h => been h && jump (fun q => negb (Nat.eqb (rank q) m)) h).
  assert (Dexit : definable exit) by (apply def_and; [apply def_been|apply Djump]).
  assert (Hexit : forall g, over g -> (entry g = None -> count exit g = 0) /\
    (rank (st g) = m -> count exit g = 0) /\
    (entry g <> None -> rank (st g) <> m -> 1 <= count exit g)).
  { induction g as [|a g IH]; intro O.
    - cbn [count entry st]. split; [reflexivity|]. split; [reflexivity|]. intros E R.
      destruct (Nat.eqb_spec (rank 0) m); [contradiction|]. destruct (E eq_refl).
    - pose proof (st_up a g O) as U. inversion O as [|? ? La Og]; subst. destruct (IH Og) as (I1 & I2 & I3).
      cbn [count]. pose proof (count_nonneg exit g) as N. destruct (entry g) as [v|] eqn:E.
      + destruct (entry_some g v Og E) as [L _].
        destruct (Nat.eq_dec (rank (st g)) m) as [R|R].
        * assert (Q : exit (a :: g) = negb (Nat.eqb (rank (st (a :: g))) m)).
          { unfold exit, been. cbn [tl]. rewrite E, Hjump by assumption. reflexivity. }
          rewrite Q, (I2 R). split; [cbn [entry]; rewrite E; discriminate|]. split.
          -- intros ->. rewrite Nat.eqb_refl. reflexivity.
          -- intros _ R'. destruct (Nat.eqb_spec (rank (st (a :: g))) m); [contradiction|]. cbn. lia.
        * specialize (I3 ltac:(discriminate) R).
          split; [cbn [entry]; rewrite E; discriminate|]. split; [intro; lia|].
          intros _ _. destruct (exit (a :: g)); cbn [b2z]; lia.
      + assert (Q : exit (a :: g) = false) by (unfold exit, been; cbn [tl]; rewrite E; reflexivity).
        rewrite Q, (I1 eq_refl). cbn [b2z]. split; [reflexivity|]. split; [reflexivity|].
        intros E' R. exfalso. apply E'. cbn [entry]. rewrite E.
        destruct (Nat.eqb_spec (rank (st (a :: g))) m); [contradiction|reflexivity]. }
  intro r. apply definable_ext with
    (fun h => (been h && (count exit (tl h) =? 0)) && jump (fun q => Nat.eqb q r) h).
  - apply def_and; [|apply Djump]. apply def_and; [apply def_been|].
    apply def_eqb; [apply countable_before, Dexit|apply countable_const].
  - intros h Nh O. destruct h as [|a h]; [contradiction|]. unfold moves, been. cbn [tl].
    inversion O as [|? ? La Oh]; subst. destruct (Hexit h Oh) as (I1 & I2 & I3).
    destruct (Nat.eqb_spec (rank (st h)) m) as [R|R].
    + rewrite (Hjump _ a h O R), (I2 R). destruct (entry h) eqn:E; [reflexivity|].
      destruct (entry_none h E R).
    + destruct (entry h) eqn:E; [|reflexivity]. specialize (I3 ltac:(discriminate) R).
      destruct (Z.eqb_spec (count exit h) 0); [lia|reflexivity].
Qed.

End Component.

(** * All components *)

Variable round : nat -> nat.
Variable R : nat -> nat -> nat -> nat -> Prop.
Hypothesis R_refining : forall m, refining (layer m) (round m) (R m).
Hypothesis condition : forall m q q' a, In q (layer m) -> In q' (layer m) ->
  R m (round m) q q' -> (a < letters A)%nat -> delta A q a = delta A q' a.

Lemma all_moves m r : definable (moves m r).
Proof.
  revert r. induction m as [m IH] using (well_founded_induction lt_wf). intro r.
  apply (next_state m (round m) (R m) (R_refining m) (condition m)). intros m' r' L. apply IH, L.
Qed.

Theorem construction : exists P, no_positions P = true /\
  forall w, w <> [] -> over w -> accepts P w = recognizes A w.
Proof.
  assert (D : definable (fun h => mem (st h) (accepting A))).
  { apply definable_ext with (fun h => existsb (fun p => mem (snd p) (accepting A) && moves (fst p) (snd p) h)
      (list_prod (seq 0 (S (list_max (map rank (seq 0 (states A)))))) (seq 0 (states A)))).
    - apply (def_existsb A (fun p h => mem (snd p) (accepting A) && moves (fst p) (snd p) h)).
      intros [m r] _. apply def_and; [apply def_const|apply all_moves].
    - intros h _ _. apply eq_true_iff_eq. rewrite existsb_exists. unfold moves. split.
      + intros ([m r] & _ & E). cbn [fst snd] in E. rewrite !andb_true_iff, !Nat.eqb_eq in E.
        destruct E as (E & _ & <-). exact E.
      + intro E. exists (rank (st (tl h)), st h). cbn [fst snd]. rewrite E, !Nat.eqb_refl. split; [|reflexivity].
        apply in_prod; apply in_seq.
        * split; [lia|]. cbn [Nat.add]. apply le_n_S.
          pose proof (proj1 (list_max_le (map rank (seq 0 (states A))) _) (le_n _)) as F.
          rewrite Forall_forall in F. apply F, in_map, in_seq. pose proof (st_state (tl h)). lia.
        * pose proof (st_state h). lia. }
  destruct D as (b & Pb & H). destruct (plain_program b Pb) as (P & U & V). exists P. split; [exact U|].
  intros w N O. rewrite V, H.
  - rewrite st_rev. reflexivity.
  - intro C. apply N. rewrite <- (rev_involutive w), C. reflexivity.
  - apply Forall_rev, O.
Qed.

End Construction.
