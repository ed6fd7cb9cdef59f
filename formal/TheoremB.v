(** Proposition 5, which is the "only if" of Theorem B: certificates against programs with local, or with
    local and periodic, relations; their check as a function, and its soundness. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions Programs Graphs Cropping Flows Automata Windows Certificates.
Import ListNotations.

(** A word between two objects. *)
Record arrow : Type := Arrow { from_object : nat; to_object : nat; arrow_word : list nat }.

(** What `longreach language --json` writes for classes with positions. A vertex is a state that an object word
    fixes. *)
Record arrow_certificate : Type := ArrowCertificate {
  blocks : option nat;  (** the length of all object words, a divisor of that of arrow words *)
  objects : list (list nat);
  arrows : list arrow;
  graph_vertices : list (nat * nat);  (** state and object *)
  graph_classes : list (list nat);
  graph_flows : list flow;
  end1 : nat;  (** two vertices of one class *)
  end2 : nat;
  start_word : list nat;  (** leads from the initial state to that of the vertex 0 *)
  last_word : list nat  (** not empty, accepted from the state of exactly one of the two *)
}.

Fixpoint power (w : list nat) (n : nat) : list nat := match n with O => [] | S n' => w ++ power w n' end.

Lemma power_length w n : length (power w n) = n * length w.
Proof. induction n; cbn [power length]; [reflexivity|]. rewrite app_length, IHn. lia. Qed.

Lemma power_snoc w n : power w (S n) = power w n ++ w.
Proof.
  induction n as [|n IH]; [cbn; rewrite app_nil_r; reflexivity|].
  cbn [power] in *. rewrite <- app_assoc. f_equal. exact IH.
Qed.

Section Positions.
Variable A : automaton.
Variable c : arrow_certificate.

Definition object (o : nat) : list nat := nth o (objects c) [].
Definition vertex_state (v : nat) : nat := fst (nth v (graph_vertices c) (0, 0)).
Definition vertex_object (v : nat) : nat := snd (nth v (graph_vertices c) (0, 0)).
Definition vertices : list nat := seq 0 (length (graph_vertices c)).
Definition the_arrow (l : nat) : arrow := nth l (arrows c) (Arrow 0 0 []).

Definition vertex_is (q o v : nat) : bool := Nat.eqb (vertex_state v) q && Nat.eqb (vertex_object v) o.

(** The edges: where an arrow, then the object word of its target, leads. *)
Definition arrow_step (v l : nat) : option nat :=
  if Nat.ltb l (length (arrows c)) && mem v vertices && Nat.eqb (from_object (the_arrow l)) (vertex_object v)
  then find (vertex_is (state_after A (vertex_state v) (arrow_word (the_arrow l) ++ object (to_object (the_arrow l))))
                       (to_object (the_arrow l))) vertices
  else None.

(** With periodic relations all object words have the length of a block, which divides that of arrow words. *)
Definition lengths_ok (periodic : bool) : bool :=
  match blocks c with
  | Some n => Nat.ltb 0 n && forallb (fun w => Nat.eqb (length w) n) (objects c) &&
              forallb (fun x => Nat.eqb (length (arrow_word x) mod n) 0) (arrows c)
  | None => negb periodic
  end.

Definition check_arrows (periodic : bool) : bool :=
  lengths_ok periodic && complete A &&
  forallb (fun w => negb (Nat.eqb (length w) 0) && over_b A w) (objects c) &&
  forallb (fun x => over_b A (arrow_word x) && Nat.ltb (to_object x) (length (objects c)) &&
                    Nat.ltb (from_object x) (length (objects c))) (arrows c) &&
  forallb (fun v => Nat.ltb (vertex_object v) (length (objects c)) &&
                    Nat.eqb (state_after A (vertex_state v) (object (vertex_object v))) (vertex_state v)) vertices &&
  mem 0 vertices && mem (end1 c) vertices && mem (end2 c) vertices &&
  over_b A (start_word c) && Nat.eqb (state_after A 0 (start_word c)) (vertex_state 0) &&
  over_b A (last_word c) && negb (Nat.eqb (length (last_word c)) 0) &&
  distinct (concat (graph_classes c)) &&
  connected vertices arrow_step (length (arrows c)) 0 &&
  flows_ok vertices arrow_step (graph_classes c) (graph_flows c) &&
  Nat.eqb (kind (graph_classes c) (end1 c)) (kind (graph_classes c) (end2 c)) &&
  Nat.eqb (vertex_object (end1 c)) (vertex_object (end2 c)) &&
  negb (Bool.eqb (accepted_from A (vertex_state (end1 c)) (last_word c))
                 (accepted_from A (vertex_state (end2 c)) (last_word c))).

Lemma arrow_step_some v l w : arrow_step v l = Some w ->
  l < length (arrows c) /\ In v vertices /\ In w vertices /\
  from_object (the_arrow l) = vertex_object v /\ to_object (the_arrow l) = vertex_object w /\
  state_after A (vertex_state v) (arrow_word (the_arrow l) ++ object (vertex_object w)) = vertex_state w.
Proof.
  unfold arrow_step. destruct (Nat.ltb_spec l (length (arrows c))), (mem v vertices) eqn:E,
    (Nat.eqb_spec (from_object (the_arrow l)) (vertex_object v)); cbn [andb]; intro F; try discriminate.
  apply find_some in F. destruct F as [I F]. unfold vertex_is in F. rewrite andb_true_iff, !Nat.eqb_eq in F.
  destruct F as [F1 F2]. apply mem_in in E. rewrite <- F2. repeat split; auto. rewrite F2. congruence.
Qed.

Section Program.
(** A window and a modulus. *)
Variables r m : nat.
Hypothesis m_positive : m <> 0.
Variable periodic : bool.
Hypothesis m_one : periodic = false -> m = 1.
Hypothesis ok : check_arrows periodic = true.

(** Object words are repeated so often that windows see nothing else. *)
Definition times : nat := S r.
Definition hide (o : nat) : list nat := power (object o) times.

(** How often the source's word is repeated before an arrow, so that lengths become divisible by m. *)
Definition padding (l : nat) : nat :=
  match blocks c with
  | Some n => (length (arrow_word (the_arrow l)) / n + times) * (m - 1)
  | None => 0
  end.
Definition spelled (l : nat) : list nat :=
  power (object (from_object (the_arrow l))) (padding l) ++ arrow_word (the_arrow l) ++ hide (to_object (the_arrow l)).

Lemma parts : (forall o, o < length (objects c) -> object o <> [] /\ over A (object o)) /\
  (forall l, l < length (arrows c) -> over A (arrow_word (the_arrow l)) /\
     from_object (the_arrow l) < length (objects c) /\ to_object (the_arrow l) < length (objects c)) /\
  (forall v, In v vertices -> vertex_object v < length (objects c) /\
     state_after A (vertex_state v) (object (vertex_object v)) = vertex_state v).
Proof.
  pose proof ok as C. unfold check_arrows in C. rewrite !andb_true_iff in C.
  assert (C1 : forallb (fun w => negb (Nat.eqb (length w) 0) && over_b A w) (objects c) = true) by tauto.
  assert (C2 : forallb (fun x => over_b A (arrow_word x) && Nat.ltb (to_object x) (length (objects c)) &&
                    Nat.ltb (from_object x) (length (objects c))) (arrows c) = true) by tauto.
  assert (C3 : forallb (fun v => Nat.ltb (vertex_object v) (length (objects c)) &&
    Nat.eqb (state_after A (vertex_state v) (object (vertex_object v))) (vertex_state v)) vertices = true) by tauto.
  clear C. rewrite forallb_forall in C1, C2, C3. split; [|split].
  - intros o L. specialize (C1 (object o) (nth_In _ _ L)). apply andb_prop in C1. destruct C1 as [N O].
    split; [intro E; rewrite E in N; discriminate|apply over_b_over, O].
  - intros l L. specialize (C2 (the_arrow l) (nth_In _ _ L)). rewrite !andb_true_iff, !Nat.ltb_lt in C2.
    destruct C2 as ((O & T) & F). split; [apply over_b_over, O|auto].
  - intros v I. specialize (C3 v I). rewrite andb_true_iff, Nat.ltb_lt, Nat.eqb_eq in C3. exact C3.
Qed.

Lemma hide_long o : o < length (objects c) -> r <= length (hide o).
Proof.
  intro L. destruct (proj1 parts o L) as [N _]. unfold hide. rewrite power_length. unfold times.
  destruct (object o); [contradiction|]. cbn [length]. nia.
Qed.

Lemma spelled_length l : l < length (arrows c) -> length (spelled l) mod m = 0.
Proof.
  intro L. destruct parts as (Po & Pa & _). destruct (Pa l L) as (_ & Lf & Lt).
  pose proof ok as C. unfold check_arrows in C. rewrite !andb_true_iff in C.
  assert (G : lengths_ok periodic = true) by tauto. clear C. unfold lengths_ok in G.
  unfold spelled, padding, hide. rewrite !app_length, !power_length. destruct (blocks c) as [n|].
  - rewrite !andb_true_iff, !forallb_forall in G. destruct G as ((Gn & Go) & Ga). apply Nat.ltb_lt in Gn.
    assert (Lo : forall o, o < length (objects c) -> length (object o) = n).
    { intros o Io. apply Nat.eqb_eq, Go, nth_In, Io. }
    rewrite (Lo _ Lf), (Lo _ Lt).
    specialize (Ga (the_arrow l) (nth_In _ _ L)). apply Nat.eqb_eq in Ga.
    assert (E : length (arrow_word (the_arrow l)) = n * (length (arrow_word (the_arrow l)) / n)).
    { pose proof (Nat.div_mod (length (arrow_word (the_arrow l))) n ltac:(lia)). lia. }
    rewrite E at 2. set (k := length (arrow_word (the_arrow l)) / n).
    replace ((k + times) * (m - 1) * n + (n * k + times * n)) with (0 + ((k + times) * n) * m).
    + rewrite Nat.mod_add by exact m_positive. apply Nat.mod_0_l, m_positive.
    + destruct m as [|m']; [contradiction|]. replace (S m' - 1) with m' by lia. ring.
  - rewrite negb_true_iff in G. rewrite (m_one G). apply Nat.mod_1_r.
Qed.

Lemma state_power q w n : state_after A q w = q -> state_after A q (power w n) = q.
Proof.
  intro H. induction n as [|n IH]; [reflexivity|]. cbn [power]. rewrite state_after_app, H. exact IH.
Qed.

Lemma spelled_state v l w : arrow_step v l = Some w -> state_after A (vertex_state v) (spelled l) = vertex_state w.
Proof.
  intro E. apply arrow_step_some in E. destruct E as (L & Iv & Iw & Ef & Et & E).
  destruct parts as (_ & _ & Pv). destruct (Pv v Iv) as [_ Fv], (Pv w Iw) as [_ Fw].
  unfold spelled, hide. rewrite Ef, Et, !state_after_app, (state_power _ _ _ Fv).
  unfold times. cbn [power]. rewrite !state_after_app in *. rewrite E. apply state_power, Fw.
Qed.

Lemma over_power w n : over A w -> over A (power w n).
Proof. intro O. induction n; cbn [power]; [constructor|]. unfold over in *. rewrite Forall_app. auto. Qed.

Lemma spelled_over l : l < length (arrows c) -> over A (spelled l).
Proof.
  intro L. destruct parts as (Po & Pa & _). destruct (Pa l L) as (O & Lf & Lt).
  unfold spelled, hide, over. rewrite !Forall_app. repeat split; try assumption; apply over_power; apply Po; assumption.
Qed.

(** The letters before the first arrow, and their number modulo m. *)
Definition beginning : list nat := start_word c ++ hide (vertex_object 0).

(** Histories after which an arrow that starts at the object reads the same extended letters. *)
Definition fits (o : nat) (g : list nat) : Prop :=
  firstn r g = firstn r (rev (hide o)) /\ length g mod m = length beginning mod m.

Definition block_of (l : nat) : list extended :=
  rev (encs r m (rev (hide (from_object (the_arrow l)))) (length beginning) (rev (spelled l))).

Fixpoint history (g : list nat) (u : list nat) : list nat :=
  match u with [] => g | l :: u' => history (rev (spelled l) ++ g) u' end.

Lemma history_word g u : exists w, history g u = rev w ++ g /\ w = concat (map spelled u).
Proof.
  revert g. induction u as [|l u IH]; intro g; [exists []; auto|]. destruct (IH (rev (spelled l) ++ g)) as (w & E & ->).
  exists (spelled l ++ concat (map spelled u)). cbn [history map concat]. split; [|reflexivity].
  rewrite E, rev_app_distr, <- app_assoc. reflexivity.
Qed.

Lemma fits_step v l w g : arrow_step v l = Some w -> fits (vertex_object v) g ->
  fits (vertex_object w) (rev (spelled l) ++ g) /\ enc r m (rev (spelled l) ++ g) = rev (block_of l) ++ enc r m g.
Proof.
  intros E (F & N). pose proof (arrow_step_some _ _ _ E) as (L & Iv & Iw & Ef & Et & _).
  destruct parts as (_ & _ & Pv). destruct (Pv w Iw) as [Lw _].
  split; [split|].
  - unfold spelled. rewrite Et, !rev_app_distr, <- !app_assoc, firstn_app.
    pose proof (hide_long _ Lw) as H. rewrite rev_length.
    replace (r - length (hide (vertex_object w))) with 0 by lia. cbn [firstn]. rewrite app_nil_r. reflexivity.
  - rewrite app_length, rev_length, Nat.add_mod, (spelled_length l L), N by exact m_positive. cbn [Nat.add].
    rewrite Nat.mod_mod by exact m_positive. reflexivity.
  - rewrite enc_app. f_equal. unfold block_of. rewrite rev_involutive, Ef.
    apply encs_ext; [exact m_positive|exact F|exact N].
Qed.

Lemma path_history u : forall v w g, run arrow_step v u = Some w -> fits (vertex_object v) g ->
  fits (vertex_object w) (history g u) /\
  after extended nat block_of (enc r m g) u = enc r m (history g u) /\
  over A (concat (map spelled u)) /\ state_after A (vertex_state v) (concat (map spelled u)) = vertex_state w.
Proof.
  induction u as [|l u IH]; cbn [run after history map concat]; intros v w g H F.
  - injection H as <-. repeat split; auto; try apply F. constructor.
  - destruct (arrow_step v l) as [x|] eqn:E; [|discriminate]. destruct (fits_step v l x g E F) as [F' B].
    destruct (IH x w (rev (spelled l) ++ g) H F') as (G1 & G2 & G3 & G4).
    rewrite <- B. split; [exact G1|]. split; [exact G2|]. split.
    + unfold over in *. rewrite Forall_app. split; [apply spelled_over, (arrow_step_some _ _ _ E)|exact G3].
    + rewrite state_after_app, (spelled_state _ _ _ E). exact G4.
Qed.

(** Two words that an operation does not tell apart, with one tail. *)
Theorem arrows_alike b y : buses true true b = true -> breach b <= r -> (exists q, m = bmodulus b * q) -> y <> [] ->
  exists w1 w2, over A w1 /\ over A w2 /\ state_after A 0 w1 = vertex_state (end1 c) /\
    state_after A 0 w2 = vertex_state (end2 c) /\ bval b (rev (w1 ++ y)) = bval b (rev (w2 ++ y)).
Proof.
  intros U Lr (n & Q) Y. pose proof parts as (Po & Pa & Pv).
  pose proof ok as C. unfold check_arrows in C. rewrite !andb_true_iff in C.
  assert (Conn : connected vertices arrow_step (length (arrows c)) 0 = true) by tauto.
  assert (Fl : flows_ok vertices arrow_step (graph_classes c) (graph_flows c) = true) by tauto.
  assert (Ki : kind (graph_classes c) (end1 c) = kind (graph_classes c) (end2 c)) by (apply Nat.eqb_eq; tauto).
  assert (Ob : vertex_object (end1 c) = vertex_object (end2 c)) by (apply Nat.eqb_eq; tauto).
  assert (I0 : In 0 vertices) by (apply mem_in; tauto).
  assert (I1 : In (end1 c) vertices) by (apply mem_in; tauto).
  assert (I2 : In (end2 c) vertices) by (apply mem_in; tauto).
  assert (Os : over A (start_word c)) by (apply over_b_over; tauto).
  assert (Hs : state_after A 0 (start_word c) = vertex_state 0) by (apply Nat.eqb_eq; tauto).
  clear C. destruct (Pv 0 I0) as [L0 F0].
  destruct (finite_choice Nat.eq_dec [] (fun v u => run arrow_step 0 u = Some v) vertices) as [t T].
  { intros v Iv. apply (connected_sound _ _ _ _ Conn v Iv). }
  destruct (finite_choice Nat.eq_dec [] (fun v u => run arrow_step v u = Some 0) vertices) as [back B].
  { intros v Iv. apply (connected_sound _ _ _ _ Conn v Iv). }
  assert (Inside : forall v l w, In v vertices -> arrow_step v l = Some w -> In w vertices).
  { intros v l w _ E. apply arrow_step_some in E. tauto. }
  assert (Labels : forall v l w, arrow_step v l = Some w -> In l (seq 0 (length (arrows c)))).
  { intros v l w E. apply arrow_step_some in E. apply in_seq. lia. }
  pose (k := bdepth (btrans r m b 0)).
  destruct (cropping extended nat nat vertices (seq 0 (length (arrows c))) arrow_step block_of 0 t back
    I0 Inside Labels T B k [btrans r m b 0] (enc r m (rev beginning)) (length (t (end1 c)) + length (t (end2 c)) + length y))
    as (cl & Pc & Bc).
  { intros b' [<-|[]]. split; [apply trans_uses|apply le_n]. }
  assert (K : run arrow_step 0 cl = Some 0) by (eapply product_closed; eauto).
  assert (F : fits (vertex_object 0) (rev beginning)).
  { split; [|rewrite rev_length; reflexivity]. unfold beginning. rewrite rev_app_distr, firstn_app.
    pose proof (hide_long _ L0) as H. rewrite rev_length.
    replace (r - length (hide (vertex_object 0))) with 0 by lia. cbn [firstn]. rewrite app_nil_r. reflexivity. }
  assert (Hb : state_after A 0 beginning = vertex_state 0).
  { unfold beginning, hide. rewrite state_after_app, Hs. apply state_power, F0. }
  assert (Obg : over A beginning).
  { unfold beginning, hide, over. rewrite Forall_app. split; [exact Os|]. apply over_power, Po, L0. }
  destruct (path_history cl 0 0 (rev beginning) K F) as (Fc & Ec & Oc & Sc).
  specialize (Bc _ (or_introl eq_refl)). rewrite Ec in Bc.
  assert (Each : forall v, In v vertices -> vertex_object v = vertex_object (end1 c) ->
    exists w, over A w /\ state_after A 0 w = vertex_state v /\
      (enc r m (rev (w ++ y)) = encs r m (rev (hide (vertex_object (end1 c)))) (length beginning) (rev y)
         ++ after extended nat block_of (enc r m (history (rev beginning) cl)) (t v))).
  { intros v Iv Ov. destruct (path_history (t v) 0 v _ (T v Iv) Fc) as (Fv & Ev & Ovr & Sv).
    exists (beginning ++ concat (map spelled cl) ++ concat (map spelled (t v))). split; [|split].
    - unfold over in *. rewrite !Forall_app. auto.
    - rewrite !state_after_app, Hb, Sc. exact Sv.
    - rewrite Ev. destruct (history_word (rev beginning) cl) as (w1 & E1 & ->).
      destruct (history_word (history (rev beginning) cl) (t v)) as (w2 & E2 & ->).
      rewrite !rev_app_distr, <- !app_assoc. rewrite E2, E1 in *. rewrite enc_app. f_equal.
      destruct Fv as [Fv1 Fv2]. rewrite Ov in Fv1. apply encs_ext; [exact m_positive|exact Fv1|exact Fv2]. }
  destruct (Each _ I1 eq_refl) as (w1 & O1 & S1 & E1), (Each _ I2 (eq_sym Ob)) as (w2 & O2 & S2 & E2).
  exists w1, w2. split; [exact O1|]. split; [exact O2|]. split; [exact S1|]. split; [exact S2|].
  assert (Tr : forall w, bval (btrans r m b 0) (enc r m (rev (w ++ y))) = bval b (rev (w ++ y))).
  { intro w. rewrite (proj1 (trans_correct r m m_positive) b U 0 (rev (w ++ y)) n); auto.
    intro Z. apply Y. apply (f_equal (@rev nat)) in Z. rewrite rev_involutive in Z.
    apply app_eq_nil in Z. tauto. }
  rewrite <- !Tr, E1, E2. eapply Bc with (v := end1 c) (v' := end2 c); try lia.
  - apply T, I1.
  - apply T, I2.
  - eapply flows_mates; eassumption.
  - intro Z. apply Y. apply (f_equal (@length _)) in Z. rewrite encs_length, rev_length in Z.
    destruct y; [reflexivity|discriminate].
  - rewrite encs_length, rev_length. lia.
Qed.

End Program.
End Positions.

(** * Soundness *)

Definition no_program_with (periodic : bool) (A : automaton) : Prop :=
  forall P, uses periodic true P = true -> exists w, w <> [] /\ over A w /\ accepts P w <> recognizes A w.
Definition no_program_eos_with (periodic : bool) (A : automaton) : Prop :=
  forall eos P, uses periodic true P = true -> exists w, over A w /\ accepts_eos eos P w <> recognizes A w.

Lemma check_arrows_alike periodic A c P y : check_arrows A c periodic = true -> uses periodic true P = true ->
  y <> [] ->
  exists w1 w2, over A w1 /\ over A w2 /\ state_after A 0 w1 = vertex_state c (end1 c) /\
    state_after A 0 w2 = vertex_state c (end2 c) /\ accepts P (w1 ++ y) = accepts P (w2 ++ y).
Proof.
  intros C U Y. pose proof (program_tree_uses _ _ _ U) as V. set (b := program_tree P) in *.
  assert (V' : buses true true b = true) by (destruct periodic; [exact V|apply uses_local_periodic, V]).
  destruct (arrows_alike A c (breach b) (bmodulus b) (proj1 modulus_positive b V') periodic) with (b := b) (y := y)
    as (w1 & w2 & H); auto.
  - intros ->. apply modulus_one, V.
  - exists 1. lia.
  - exists w1, w2. rewrite !accepts_tree. exact H.
Qed.

Lemma check_arrows_last periodic A c : check_arrows A c periodic = true ->
  last_word c <> [] /\ over A (last_word c) /\
  accepted_from A (vertex_state c (end1 c)) (last_word c) <> accepted_from A (vertex_state c (end2 c)) (last_word c).
Proof.
  intro C. unfold check_arrows in C. rewrite !andb_true_iff in C. split; [|split].
  - intro E. rewrite E in C. cbn in C. intuition discriminate.
  - apply over_b_over. tauto.
  - intro E. rewrite E, Bool.eqb_reflx in C. cbn in C. intuition discriminate.
Qed.

Theorem check_arrows_sound periodic A c : check_arrows A c periodic = true -> no_program_with periodic A.
Proof.
  intros C P U. destruct (check_arrows_last _ _ _ C) as (Y & Oy & N).
  destruct (check_arrows_alike periodic A c P (last_word c) C U Y) as (w1 & w2 & O1 & O2 & S1 & S2 & E).
  assert (R1 : recognizes A (w1 ++ last_word c) = accepted_from A (vertex_state c (end1 c)) (last_word c)).
  { unfold recognizes, accepted_from. rewrite state_after_app, S1. reflexivity. }
  assert (R2 : recognizes A (w2 ++ last_word c) = accepted_from A (vertex_state c (end2 c)) (last_word c)).
  { unfold recognizes, accepted_from. rewrite state_after_app, S2. reflexivity. }
  destruct (bool_dec (accepts P (w1 ++ last_word c)) (recognizes A (w1 ++ last_word c))) as [Q|Q];
    [exists (w2 ++ last_word c)|exists (w1 ++ last_word c)]; unfold over in *; rewrite Forall_app;
    (split; [intro Z; apply app_eq_nil in Z; tauto|]); split; auto; congruence.
Qed.

Theorem check_arrows_eos_sound periodic A c : check_arrows A c periodic = true -> no_program_eos_with periodic A.
Proof.
  intros C eos P U. destruct (check_arrows_last _ _ _ C) as (Y & Oy & N).
  destruct (check_arrows_alike periodic A c P (last_word c ++ [eos]) C U) as (w1 & w2 & O1 & O2 & S1 & S2 & E).
  { intro Z. apply app_eq_nil in Z. destruct Z. discriminate. }
  rewrite !app_assoc in E. fold (accepts_eos eos P (w1 ++ last_word c)) (accepts_eos eos P (w2 ++ last_word c)) in E.
  assert (R1 : recognizes A (w1 ++ last_word c) = accepted_from A (vertex_state c (end1 c)) (last_word c)).
  { unfold recognizes, accepted_from. rewrite state_after_app, S1. reflexivity. }
  assert (R2 : recognizes A (w2 ++ last_word c) = accepted_from A (vertex_state c (end2 c)) (last_word c)).
  { unfold recognizes, accepted_from. rewrite state_after_app, S2. reflexivity. }
  destruct (bool_dec (accepts_eos eos P (w1 ++ last_word c)) (recognizes A (w1 ++ last_word c))) as [Q|Q];
    [exists (w2 ++ last_word c)|exists (w1 ++ last_word c)]; unfold over in *; rewrite Forall_app;
    split; auto; congruence.
Qed.

(** Both readings at once, as certificates with positions are read. *)
Definition check_positions (periodic : bool) (A : automaton) (c : arrow_certificate) : bool :=
  check_arrows A c periodic.
Definition no_program_with_positions (periodic : bool) (A : automaton) : Prop :=
  no_program_with periodic A /\ no_program_eos_with periodic A.

Theorem check_positions_sound periodic A c :
  check_positions periodic A c = true -> no_program_with_positions periodic A.
Proof. intro C. split; [eapply check_arrows_sound|eapply check_arrows_eos_sound]; exact C. Qed.
