(** Cascades: a clock and levels of memories of what occurred last. Their check, letter by letter, as a function;
    and that an automaton whose cascade passes has a decoder with attention to the last match, a layer for each
    level, that is right at every length. *)

From Coq Require Import List Arith Lia Bool.
From Longreach Require Import Flows Automata LastMatch.
Import ListNotations.

(** For each event of a level the value to which it sets each of the memories; 0 leaves a memory alone, and so
    does an event that is not listed. An event is a letter, then the memories of the levels below, the highest
    first, then the clock. *)
Record level : Type := Level { width : nat; table : list (list nat * list nat) }.

(** Levels stand the highest first. A state is all memories, likewise, then the clock. *)
Record cascade : Type := Cascade {
  modulus : nat;
  levels : list level;
  said : list (list nat * nat);  (** the answer at each state at which something is asked *)
  layer_count : nat
}.

Fixpoint same (x y : list nat) : bool :=
  match x, y with
  | [], [] => true
  | a :: x', b :: y' => if Nat.eqb a b then same x' y' else false
  | _, _ => false
  end.

Lemma same_eq x : forall y, same x y = true -> x = y.
Proof.
  induction x as [|a x IH]; intros [|b y]; simpl; try discriminate; [reflexivity|].
  destruct (Nat.eqb a b) eqn:E; [|discriminate]. apply Nat.eqb_eq in E. subst b. intro H. f_equal. apply IH, H.
Qed.

Fixpoint listed (P : list (list nat)) (p : list nat) : bool :=
  match P with [] => false | p' :: P' => if same p p' then true else listed P' p end.

Lemma listed_in p P : listed P p = true -> In p P.
Proof.
  induction P as [|p' P IH]; simpl; [discriminate|]. destruct (same p p') eqn:E; [|auto].
  apply same_eq in E. auto.
Qed.

Fixpoint value_at {T : Type} (entries : list (list nat * T)) (key : list nat) (default : T) : T :=
  match entries with
  | [] => default
  | (k, v) :: entries' => if same k key then v else value_at entries' key default
  end.

(** The value to which an event sets memory k; 0 if it leaves it alone. *)
Definition sets (l : level) (event : list nat) (k : nat) : nat := nth k (value_at (table l) event []) 0.

(** How a cascade reads a letter: all memories at once, each by what there was before. *)
Definition change (l : level) (event old : list nat) : list nat :=
  map (fun k => match sets l event k with 0 => nth k old 0 | v => v end) (seq 0 (width l)).

Fixpoint next (m : nat) (ls : list level) (s : list nat) (a : nat) : list nat :=
  match ls with
  | [] => [S (hd 0 s) mod m]
  | l :: below => let r := skipn (width l) s in change l (a :: r) (firstn (width l) s) ++ next m below r a
  end.

Fixpoint start (ls : list level) : list nat :=
  match ls with [] => [0] | l :: below => repeat 0 (width l) ++ start below end.

Definition state_of (m : nat) (ls : list level) (w : list nat) : list nat := fold_left (next m ls) w (start ls).

(** * Memories are last matches *)

(** The value at the last place before i at which there is one. *)
Definition recent (f : nat -> nat) (i : nat) : nat :=
  match last_match (fun j => negb (Nat.eqb (f j) 0)) i with Some j => f j | None => 0 end.

(** The state before each place of a word, without its history: the clock is the place modulo m, and a memory is
    the value at the last place before whose event sets it. *)
Fixpoint values (m : nat) (ls : list level) (W : nat -> nat) (i : nat) : list nat :=
  match ls with
  | [] => [i mod m]
  | l :: below =>
      map (fun k => recent (fun j => sets l (W j :: values m below W j) k) i) (seq 0 (width l)) ++ values m below W i
  end.

Lemma recent_next f i : recent f (S i) = match f i with 0 => recent f i | v => v end.
Proof. unfold recent. simpl. destruct (f i) eqn:E; simpl; [reflexivity|exact E]. Qed.

Lemma nth_map_seq {T : Type} (f : nat -> T) n k d : k < n -> nth k (map f (seq 0 n)) d = f k.
Proof.
  intro L. rewrite nth_indep with (d' := f 0) by (rewrite map_length, seq_length; exact L).
  rewrite map_nth, seq_nth by exact L. reflexivity.
Qed.

Lemma map_seq_ext {T : Type} (f g : nat -> T) n :
  (forall k, k < n -> f k = g k) -> map f (seq 0 n) = map g (seq 0 n).
Proof. intro H. apply map_ext_in. intros k I. apply in_seq in I. apply H. lia. Qed.

Lemma firstn_exactly {T : Type} n (x y : list T) : length x = n -> firstn n (x ++ y) = x.
Proof. intros <-. rewrite firstn_app, firstn_all, Nat.sub_diag. apply app_nil_r. Qed.

Lemma skipn_exactly {T : Type} n (x y : list T) : length x = n -> skipn n (x ++ y) = y.
Proof. intros <-. rewrite skipn_app, skipn_all, Nat.sub_diag. reflexivity. Qed.

Lemma mod_next m i : m <> 0 -> S (i mod m) mod m = S i mod m.
Proof. intro N. rewrite <- (Nat.add_1_r (i mod m)), <- (Nat.add_1_r i). apply Nat.add_mod_idemp_l, N. Qed.

Lemma values_next m ls W i : m <> 0 -> values m ls W (S i) = next m ls (values m ls W i) (W i).
Proof.
  intro N. induction ls as [|l below IH].
  - cbn [values next hd]. rewrite mod_next by exact N. reflexivity.
  - cbn [values next]. cbv zeta.
    rewrite skipn_exactly, firstn_exactly by (rewrite map_length; apply seq_length).
    rewrite IH. f_equal. apply map_seq_ext. intros k L. rewrite recent_next, nth_map_seq by exact L. reflexivity.
Qed.

Lemma values_start m ls W : m <> 0 -> values m ls W 0 = start ls.
Proof.
  intro N. induction ls as [|l below IH]; [cbn; rewrite Nat.mod_0_l by exact N; reflexivity|].
  cbn [values start]. rewrite IH. f_equal. generalize 0 at 2.
  induction (width l) as [|n IHn]; intro z; [reflexivity|]. cbn. f_equal. apply IHn.
Qed.

Lemma firstn_next {T : Type} (w : list T) d i : i < length w -> firstn (S i) w = firstn i w ++ [nth i w d].
Proof.
  revert i. induction w as [|a w IH]; simpl; intros i L; [lia|].
  destruct i as [|i]; [reflexivity|]. simpl. f_equal. apply IH. lia.
Qed.

(** The cascade's state after i letters is the clock and the last matches before place i. *)
Theorem state_is_last_matches m ls w d i : m <> 0 -> i <= length w ->
  state_of m ls (firstn i w) = values m ls (fun j => nth j w d) i.
Proof.
  intros N. unfold state_of. induction i as [|i IH]; intro L; [symmetry; apply values_start, N|].
  rewrite firstn_next with (d := d), fold_left_app by lia. rewrite IH by lia. symmetry. apply values_next, N.
Qed.

(** * The check *)

Section Check.
Variables (M : machine) (C : cascade).
Variable silent : list nat.  (** states after which nothing is asked any more *)
Variable P : list (list nat).  (** a state of the automaton, then one of the cascade: all that are reached *)
Let A := moves M.
Let m := modulus C.

Definition quiet (X : list nat) (q : nat) : bool :=
  Nat.eqb (nth q (answers M) 0) 0 && forallb (fun a => mem (delta A q a) X) (seq 0 (letters A)).

(** To where letters lead, as long as something may be asked. *)
Definition hopeful_letters (p : list nat) : list nat :=
  filter (fun a => negb (mem (delta A (hd 0 p) a) silent)) (seq 0 (letters A)).
Definition along (p : list nat) (a : nat) : list nat := delta A (hd 0 p) a :: next m (levels C) (tl p) a.

Definition answer_at (s : list nat) : nat := value_at (said C) s 0.

(** The test of an event at every place. *)
Definition always (test : list nat -> nat -> bool) : bool :=
  forallb (fun p => forallb (test p) (hopeful_letters p)) P.

(** Automaton and cascade side by side: the list has the start and, with each place, those to which letters lead,
    and at each place the cascade gives the right answer. *)
Definition runs_along : bool :=
  forallb (quiet silent) silent &&
  (mem 0 silent || listed P (0 :: start (levels C))) &&
  always (fun p a => listed P (along p a)) &&
  forallb (fun p => let right := nth (hd 0 p) (answers M) 0 in
    Nat.eqb right 0 || Nat.eqb (answer_at (tl p)) right) P.

(** Whether every letter sets all memories of the highest level. Then it needs no layer. *)
Definition all_set (l : level) (event : list nat) : bool :=
  forallb (fun k => negb (Nat.eqb (sets l event k) 0)) (seq 0 (width l)).
Definition drops : bool :=
  negb (at_end M) &&
  match levels C with
  | [] => false
  | l :: _ => always (fun p a => all_set l (a :: skipn (width l) (tl p)))
  end.
Definition used : list level := if drops then tl (levels C) else levels C.

(** Whether the letter alone says which memories of the lowest level are set. Then it needs no layer for the clock. *)
Definition letter_sets (l : level) (a k : nat) : bool :=
  existsb (fun c => negb (Nat.eqb (sets l [a; c] k) 0)) (seq 0 m).
Definition by_letter (l : level) : bool :=
  always (fun p a => forallb (fun k =>
    Bool.eqb (negb (Nat.eqb (sets l [a; last p 0] k) 0)) (letter_sets l a k)) (seq 0 (width l))).

(** * The decoder *)

(** What a token knows of the letter and the state before it; nothing is known to SOS. *)
Definition known (x : knowledge) : list nat :=
  match x with [0] => [] | [S a] => [a; 0] | _ => x end.

(** Memory k at a token, from what its head reads there. *)
Definition sets_known (l : level) (k : nat) (x : knowledge) : nat :=
  match known x with [] => 0 | event => sets l event k end.
Definition level_layer (l : level) : layer := Layer
  (map (fun k _ x _ => negb (Nat.eqb (sets_known l k x) 0)) (seq 0 (width l)))
  (fun x found => match known x with
    | [] => []
    | a :: s => a :: map (fun k =>
        match nth k found None with Some (y, _) => sets_known l k y | None => 0 end) (seq 0 (width l)) ++ s
    end).

(** The clock, from the distance to SOS. *)
Definition is_sos : key_of_head := fun _ x _ => same x [0].
Definition clock_of (found : option (knowledge * (nat * nat))) : nat :=
  match found with Some (_, (_, d)) => (d + (m - 1)) mod m | None => 0 end.
Definition clock_layer : layer := Layer [is_sos]
  (fun x found => match known x with [] => [] | a :: _ => [a; clock_of (hd None found)] end).

(** Both at once: the clock at another letter, from the clock and the distance to that letter. *)
Definition first_layer (l : level) : layer := Layer
  (is_sos :: map (fun k _ x _ => match known x with [] => false | a :: _ => letter_sets l a k end) (seq 0 (width l)))
  (fun x found => match known x with
    | [] => []
    | a :: _ =>
        let c := clock_of (hd None found) in
        a :: map (fun k =>
          match nth k (tl found) None with
          | Some (y, (_, d)) => sets l [hd 0 (known y); (c + (m - d)) mod m] k
          | None => 0
          end) (seq 0 (width l)) ++ [c]
    end).

Definition decoder_layers : list layer :=
  if Nat.eqb m 1 then map level_layer (rev used)
  else match rev used with
    | l :: above =>
        if by_letter l then first_layer l :: map level_layer above
        else clock_layer :: map level_layer (l :: above)
    | [] => [clock_layer]
    end.

(** Where the highest level has no layer, its memories before the letter do not matter: the letter sets them all. *)
Definition decoder_output (x : knowledge) : nat :=
  match known x with
  | [] => answer_at (start (levels C))
  | a :: s =>
      if at_end M then answer_at s
      else answer_at (next m (levels C)
        (if drops then repeat 0 (match levels C with [] => 0 | l :: _ => width l end) ++ s else s) a)
  end.

Definition decoder_of : decoder := Decoder m 0 decoder_layers decoder_output.

(** * Its correctness *)

Section Word.
Variable w : list nat.
Variable n : nat.
Hypothesis m_positive : m <> 0.
Let W (j : nat) : nat := nth j w (letters A).

(** What the tokens know up to place n: their letter and the state of some levels before it. *)
Definition know (X : nat -> knowledge) (ls : list level) : Prop :=
  known (X 0) = [] /\ forall i, i <= n -> known (X (S i)) = W i :: values m ls W i.

Lemma known_two x y s : known (x :: y :: s) = x :: y :: s.
Proof. destruct x; reflexivity. Qed.

Lemma known_values a x ls i : known (a :: x ++ values m ls W i) = a :: x ++ values m ls W i.
Proof.
  assert (E : exists y s, x ++ values m ls W i = y :: s).
  { destruct x as [|y x]; [|eexists; eexists; reflexivity]. simpl.
    induction ls as [|l ls (y & s & E)]; simpl; [eexists; eexists; reflexivity|]. rewrite E.
    destruct (map _ _) as [|z t]; eexists; eexists; reflexivity. }
  destruct E as (y & s & ->). apply known_two.
Qed.

Lemma know_by_level X ls l : know X ls -> know (attend m 0 X (level_layer l)) (l :: ls).
Proof.
  intros (Z & K). split; unfold attend; cbn [combine level_layer].
  - rewrite Z. reflexivity.
  - intros i Li. rewrite K by exact Li. rewrite known_values. cbn [values]. f_equal. f_equal.
    apply map_seq_ext. intros k Lk. cbn [keys level_layer]. rewrite map_map, nth_map_seq by exact Lk.
    unfold read, recent. rewrite last_match_shift by (unfold sets_known; rewrite Z; reflexivity).
    rewrite last_match_ext with (key' := fun j => negb (Nat.eqb (sets l (W j :: values m ls W j) k) 0)).
    + destruct (last_match _ i) as [j|] eqn:F; [|reflexivity]. apply last_match_some in F.
      cbn [option_map]. unfold sets_known. rewrite K by lia. reflexivity.
    + intros j Lj. unfold sets_known. rewrite K by lia. reflexivity.
Qed.

Lemma know_by_levels above : forall X ls, know X ls ->
  know (fold_left (attend m 0) (map level_layer above) X) (rev above ++ ls).
Proof.
  induction above as [|l above IH]; intros X ls K; [exact K|].
  cbn [map fold_left rev]. rewrite <- app_assoc. apply IH, know_by_level, K.
Qed.

Lemma know_token : m = 1 -> know (token A w) [].
Proof. intro E. split; [reflexivity|]. intros i _. cbn [values]. rewrite E, Nat.mod_1_r. reflexivity. Qed.

Lemma sos_read i : clock_of (read m 0 (token A w) (S i) is_sos) = i mod m.
Proof.
  unfold read. rewrite (proj2 (last_match_some _ _ 0)).
  2: { repeat split; [lia|]. intros [|j] L; [lia|reflexivity]. }
  cbn [clock_of distance]. rewrite Nat.add_mod_idemp_l by exact m_positive.
  replace (S i - 0 + (m - 1)) with (i + 1 * m) by lia. apply Nat.mod_add, m_positive.
Qed.

Lemma know_clock : know (attend m 0 (token A w) clock_layer) [].
Proof.
  split; [reflexivity|]. intros i _.
  change (known [W i; clock_of (read m 0 (token A w) (S i) is_sos)] = [W i; i mod m]).
  rewrite known_two, sos_read. reflexivity.
Qed.

(** The clock at an earlier place, from the distance to it. *)
Lemma clock_back i j : j <= i -> (i mod m + (m - (i - j) mod m)) mod m = j mod m.
Proof.
  intro L. rewrite Nat.add_mod_idemp_l by exact m_positive.
  assert (B := Nat.mod_upper_bound (i - j) m m_positive).
  assert (D := Nat.div_mod (i - j) m m_positive).
  replace (i + (m - (i - j) mod m)) with (j + (1 + (i - j) / m) * m) by nia.
  apply Nat.mod_add, m_positive.
Qed.

Lemma know_by_first l :
  (forall j k, j < n -> k < width l -> negb (Nat.eqb (sets l [W j; j mod m] k) 0) = letter_sets l (W j) k) ->
  know (attend m 0 (token A w) (first_layer l)) [l].
Proof.
  intro H. split; [reflexivity|]. intros i Li. unfold attend. cbn [combine first_layer keys map].
  change (known (token A w (S i))) with [W i; 0]. cbv beta iota zeta. cbn [hd tl]. rewrite sos_read.
  rewrite (known_values _ _ [] i : known (W i :: _ ++ [i mod m]) = _). cbn [values]. f_equal. f_equal.
  apply map_seq_ext. intros k Lk. rewrite map_map, nth_map_seq by exact Lk.
  unfold read, recent. rewrite last_match_shift by reflexivity.
  rewrite last_match_ext with (key' := fun j => negb (Nat.eqb (sets l [W j; j mod m] k) 0)).
  - destruct (last_match _ i) as [j|] eqn:F; [|reflexivity]. apply last_match_some in F.
    cbn [option_map token known hd distance]. replace (S i - S j) with (i - j) by lia.
    rewrite clock_back by lia. reflexivity.
  - intros j Lj. rewrite H by (lia || exact Lk). reflexivity.
Qed.

(** Now for the places of a check, along a word after which something is asked. *)
Hypothesis checked : runs_along = true.
Hypothesis n_in_w : n <= length w.
Hypothesis w_over : over A w.
Hypothesis asked : right_after M (firstn n w) <> 0.

Lemma W_letter i : i < n -> W i < letters A.
Proof. intro L. unfold W. unfold over in w_over. rewrite Forall_forall in w_over. apply w_over, nth_In. lia. Qed.

Lemma state_next i : i < n -> state_after A 0 (firstn (S i) w) = delta A (state_after A 0 (firstn i w)) (W i).
Proof. intro L. rewrite firstn_next with (d := letters A) by lia. apply state_after_app. Qed.

Lemma never_silent i : i <= n -> mem (state_after A 0 (firstn i w)) silent = false.
Proof.
  pose proof checked as R. unfold runs_along in R. rewrite !andb_true_iff in R. destruct R as (((Q & _) & _) & _).
  rewrite forallb_forall in Q. intro L. apply not_true_is_false. intro E.
  apply asked. unfold right_after. fold A.
  assert (I : mem (state_after A 0 (firstn n w)) silent = true).
  { replace n with (i + (n - i)) by lia. assert (B : i + (n - i) <= n) by lia. revert B.
    induction (n - i) as [|d IH]; intro B; [rewrite Nat.add_0_r; exact E|].
    rewrite Nat.add_succ_r, state_next by lia. specialize (Q _ (proj1 (mem_in _ _) (IH ltac:(lia)))).
    unfold quiet in Q. rewrite andb_true_iff, forallb_forall in Q. apply (proj2 Q), in_seq.
    split; [lia|]. apply W_letter. lia. }
  apply mem_in in I. specialize (Q _ I). unfold quiet in Q. rewrite andb_true_iff, Nat.eqb_eq in Q. apply Q.
Qed.

Definition place (i : nat) : list nat := state_after A 0 (firstn i w) :: values m (levels C) W i.

Lemma letter_hopeful i : i < n -> In (W i) (hopeful_letters (place i)).
Proof.
  intro L. apply filter_In. split; [apply in_seq; split; [lia|apply W_letter, L]|].
  cbn [place hd]. rewrite <- state_next, never_silent by lia. reflexivity.
Qed.

Lemma place_in i : i <= n -> In (place i) P.
Proof.
  pose proof checked as R. unfold runs_along, always in R. rewrite !andb_true_iff, !forallb_forall in R.
  destruct R as (((_ & B) & R) & _). induction i as [|i IH]; intro L.
  - apply listed_in. unfold place. rewrite values_start by exact m_positive.
    assert (N := never_silent 0 L). cbn in N |- *. rewrite N in B. exact B.
  - specialize (R _ (IH ltac:(lia))). rewrite forallb_forall in R. specialize (R _ (letter_hopeful i L)).
    apply listed_in in R. unfold along in R. cbn [place hd tl] in R. rewrite <- state_next in R by exact L.
    unfold place. rewrite values_next by exact m_positive. exact R.
Qed.

Lemma always_here test i : always test = true -> i < n -> test (place i) (W i) = true.
Proof.
  unfold always. rewrite forallb_forall. intros H L. specialize (H _ (place_in i ltac:(lia))).
  rewrite forallb_forall in H. apply H, letter_hopeful, L.
Qed.

Lemma answer_right : answer_at (values m (levels C) W n) = right_after M (firstn n w).
Proof.
  pose proof checked as R. unfold runs_along in R. rewrite !andb_true_iff in R. destruct R as (_ & R).
  rewrite forallb_forall in R. specialize (R _ (place_in n (le_n n))). cbn [place hd tl] in R.
  apply orb_true_iff in R. rewrite !Nat.eqb_eq in R. destruct R as [R|R]; [|exact R].
  exfalso. apply asked. exact R.
Qed.

Lemma last_values x ls i : last (x ++ values m ls W i) 0 = i mod m.
Proof.
  revert x. induction ls as [|l ls IH]; intro x; cbn [values]; [apply last_last|].
  rewrite app_assoc. apply IH.
Qed.

Lemma know_all : know (fold_left (attend m 0) decoder_layers (token A w)) used.
Proof.
  unfold decoder_layers. destruct (Nat.eqb m 1) eqn:E.
  - apply Nat.eqb_eq in E. rewrite <- (rev_involutive used) at 2. rewrite <- (app_nil_r (rev (rev used))).
    apply know_by_levels, know_token, E.
  - destruct (rev used) as [|l above] eqn:R; apply (f_equal (@rev _)) in R; rewrite rev_involutive in R; rewrite R.
    + apply know_clock.
    + destruct (by_letter l) eqn:B.
      * cbn [rev]. apply know_by_levels, know_by_first. intros j k Lj Lk.
        apply always_here with (i := j) in B; [|exact Lj]. rewrite forallb_forall in B.
        specialize (B k ltac:(apply in_seq; lia)). apply eqb_prop in B.
        rewrite (last_values [_] (levels C) j : last (place j) 0 = _) in B. exact B.
      * rewrite <- (app_nil_r (rev (l :: above))). apply (know_by_levels (l :: above)), know_clock.
Qed.

Lemma output_after i : n = S i -> at_end M = false ->
  forall x, known x = W i :: values m used W i -> decoder_output x = right_after M (firstn n w).
Proof.
  intros E T x K. rewrite <- answer_right. unfold decoder_output. rewrite K, T. f_equal.
  rewrite E, values_next by exact m_positive. unfold used. pose proof (always_here) as H.
  destruct drops eqn:D; [|reflexivity]. unfold drops in D. rewrite T in D. cbn [negb andb] in D.
  destruct (levels C) as [|l below] eqn:L; [discriminate|].
  specialize (H _ i D ltac:(lia)). unfold place in H. rewrite L in H.
  cbn [tl values next] in H |- *. cbv zeta.
  rewrite (skipn_exactly (width l) (map _ _)) in H by (rewrite map_length; apply seq_length).
  rewrite !skipn_exactly by (rewrite ?map_length, ?seq_length, ?repeat_length; reflexivity).
  f_equal. apply map_seq_ext. intros k Lk. unfold all_set in H. rewrite forallb_forall in H.
  specialize (H k ltac:(apply in_seq; lia)). destruct (sets l _ k); [discriminate|reflexivity].
Qed.

Lemma output_at_end x : at_end M = true -> known x = W n :: values m (levels C) W n ->
  decoder_output x = right_after M (firstn n w).
Proof. intros T K. unfold decoder_output. rewrite K, T. apply answer_right. Qed.

End Word.

(** * What is checked of a certificate *)

Definition check_places : bool :=
  complete A && Nat.eqb (length (answers M)) (states A) && negb (Nat.eqb m 0) && runs_along &&
  Nat.eqb (layer_count C) (length decoder_layers).

Lemma check_places_sound : check_places = true ->
  m <> 0 /\ length decoder_layers = layer_count C /\ is_right decoder_of M.
Proof.
  unfold check_places. rewrite !andb_true_iff, !Nat.eqb_eq, negb_true_iff, Nat.eqb_neq.
  intros ((((_ & _) & N) & R) & L). split; [exact N|]. split; [symmetry; exact L|].
  intros w O. destruct (at_end M) eqn:T.
  - replace (right_after M w) with (right_after M (firstn (length w) w)) by (rewrite firstn_all; reflexivity).
    intro H.
    assert (K := know_all w (length w) N R (le_n _) O H). unfold used, drops in K. rewrite T in K.
    apply output_at_end with (n := length w); auto. apply K. lia.
  - intros i Li H.
    change (decoder_output (fold_left (attend m 0) decoder_layers (token A w) i) = right_after M (firstn i w)).
    assert (K := know_all w i N R Li O H). destruct i as [|i].
    + unfold decoder_output. rewrite (proj1 K). rewrite <- (answer_right w 0 N R Li O H).
      rewrite values_start by exact N. reflexivity.
    + apply output_after with (n := S i) (i := i); auto. apply K. lia.
Qed.

End Check.

(** What the certificate does not list: the states that remain when those with an answer, or that lead to one, are
    left out; and what is reached. Nothing need be proved of these two, as [check_places] checks them. *)
Definition find_silent (M : machine) : list nat :=
  Nat.iter (states (moves M)) (fun X => filter (quiet M X) X) (seq 0 (states (moves M))).

Fixpoint explore (M : machine) (C : cascade) (silent : list nat) (fuel : nat) (todo P : list (list nat)) :
    list (list nat) :=
  match fuel, todo with
  | S fuel', _ :: _ =>
      let new := fold_left (fun new p => if listed P p || listed new p then new else p :: new) todo [] in
      let further := flat_map (fun p => map (along M C p) (hopeful_letters M silent p)) new in
      explore M C silent fuel' further (new ++ P)
  | _, _ => P
  end.

Definition check_cascade (M : machine) (C : cascade) : bool :=
  let silent := find_silent M in
  check_places M C silent (explore M C silent (2 ^ 12) [0 :: start (levels C)] []).

(** If the check says true, some decoder with as many layers as the certificate says is right at every length. *)
Theorem check_cascade_sound M C : check_cascade M C = true -> answered_in (layer_count C) M.
Proof.
  intro H. apply check_places_sound in H. exact (ex_intro _ (decoder_of M C _ _) H).
Qed.
