(** Lemma 3: programs with local and periodic relations are programs without, over extended letters.

    The extended letter at a position holds the window of the last letters before it (the newest first), the
    number of these letters modulo m, and the letter itself. *)

From Coq Require Import List Arith ZArith Lia Bool.
From Longreach Require Import Expressions.
Import ListNotations.

Definition extended : Type := (list nat * nat * nat)%type.
Definition window (x : extended) : list nat := fst (fst x).
Definition residue (x : extended) : nat := snd (fst x).
Definition letter (x : extended) : nat := snd x.

(** How far back an operation looks, along nested ones. *)
Fixpoint breach (b : bexp nat) : nat :=
  match b with
  | BTest _ | BTop | BPeriodic _ _ => 0
  | BNot p => breach p
  | BAnd p q => Nat.max (breach p) (breach q)
  | BLeq c d => Nat.max (creach c) (creach d)
  end
with creach (c : cexp nat) : nat :=
  match c with
  | CCount p => breach p
  | CCountAt ds p => list_max ds + breach p
  | CCond p c d => Nat.max (breach p) (Nat.max (creach c) (creach d))
  | CAdd c d | CSub c d => Nat.max (creach c) (creach d)
  | COne => 0
  end.

(** A common multiple of the moduli. *)
Fixpoint bmodulus (b : bexp nat) : nat :=
  match b with
  | BTest _ | BTop => 1
  | BPeriodic m _ => m
  | BNot p => bmodulus p
  | BAnd p q => bmodulus p * bmodulus q
  | BLeq c d => cmodulus c * cmodulus d
  end
with cmodulus (c : cexp nat) : nat :=
  match c with
  | CCount p | CCountAt _ p => bmodulus p
  | CCond p c d => bmodulus p * (cmodulus c * cmodulus d)
  | CAdd c d | CSub c d => cmodulus c * cmodulus d
  | COne => 1
  end.

Lemma modulus_positive :
  (forall b, buses true true b = true -> bmodulus b <> 0) /\
  (forall c, cuses true true c = true -> cmodulus c <> 0).
Proof.
  apply (exp_ind nat (fun b => buses true true b = true -> bmodulus b <> 0)
    (fun c => cuses true true c = true -> cmodulus c <> 0));
    cbn [buses cuses bmodulus cmodulus]; intros;
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end; auto;
    repeat match goal with H : ?a = true -> _, H' : ?a = true |- _ => specialize (H H') end; try nia.
  intros ->. discriminate.
Qed.

(** Without periodic relations the modulus is 1. *)
Lemma modulus_one :
  (forall b, buses false true b = true -> bmodulus b = 1) /\
  (forall c, cuses false true c = true -> cmodulus c = 1).
Proof.
  apply (exp_ind nat (fun b => buses false true b = true -> bmodulus b = 1)
    (fun c => cuses false true c = true -> cmodulus c = 1));
    cbn [buses cuses bmodulus cmodulus]; intros;
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end; auto;
    try discriminate; try (rewrite H, H0 by assumption; reflexivity).
  rewrite H, H0, H1 by assumption. reflexivity.
Qed.

Lemma uses_local_periodic :
  (forall b : bexp nat, buses false true b = true -> buses true true b = true) /\
  (forall c : cexp nat, cuses false true c = true -> cuses true true c = true).
Proof.
  apply (exp_ind nat (fun b => buses false true b = true -> buses true true b = true)
    (fun c => cuses false true c = true -> cuses true true c = true));
    cbn [buses cuses]; intros;
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end; auto;
    try discriminate; rewrite ?H, ?H0, ?H1 by assumption; reflexivity.
Qed.

Lemma nth_error_firstn {T} n (h : list T) e : e < n -> nth_error (firstn n h) e = nth_error h e.
Proof.
  revert h e. induction n as [|n IH]; intros h e L; [lia|]. destruct h as [|b h]; [destruct e; reflexivity|].
  destruct e as [|e]; [reflexivity|]. cbn [firstn nth_error]. apply IH. lia.
Qed.

Section Windows.
Variables r m : nat.
Hypothesis m_positive : m <> 0.

Fixpoint enc (h : list nat) : list extended :=
  match h with [] => [] | a :: h' => (firstn r h', length h' mod m, a) :: enc h' end.

(** The letter at a distance, and whether there is one. *)
Definition at_distance (d : nat) (x : extended) : option nat :=
  match d with O => Some (letter x) | S e => nth_error (window x) e end.
Definition there_is (d : nat) (x : extended) : bool := d <=? length (window x).

(** The position at a distance, up to multiples of m. *)
Definition position (d : nat) (x : extended) : nat :=
  if length (window x) <? r then S (length (window x)) - d else S (residue x) + m * d - d.

Definition czero : cexp extended := CSub COne COne.
Definition here (d : nat) (p : bexp extended) : cexp extended :=
  CCond (BAnd (BTest (there_is d)) p) COne czero.
Fixpoint csum (l : list (cexp extended)) : cexp extended :=
  match l with [] => czero | c :: l' => CAdd c (csum l') end.

(** The operation at distance d. *)
Fixpoint btrans (b : bexp nat) (d : nat) : bexp extended :=
  match b with
  | BTest f => BTest (fun x => match at_distance d x with Some a => f a | None => false end)
  | BTop => BTop
  | BNot p => BNot (btrans p d)
  | BAnd p q => BAnd (btrans p d) (btrans q d)
  | BPeriodic n rs => BTest (fun x => existsb (Nat.eqb (position d x mod n)) rs)
  | BLeq c e => BLeq (ctrans c d) (ctrans e d)
  end
with ctrans (c : cexp nat) (d : nat) : cexp extended :=
  match c with
  | CCount p => CSub (CCount (btrans p 0)) (csum (map (fun t => here t (btrans p t)) (seq 0 d)))
  | CCountAt ds p => csum (map (fun e => here (d + e) (btrans p (d + e))) ds)
  | CCond p c e => CCond (btrans p d) (ctrans c d) (ctrans e d)
  | CAdd c e => CAdd (ctrans c d) (ctrans e d)
  | CSub c e => CSub (ctrans c d) (ctrans e d)
  | COne => COne
  end.

Lemma csum_uses l : (forall c, In c l -> cuses false false c = true) -> cuses false false (csum l) = true.
Proof.
  induction l as [|c l IH]; intro H; [reflexivity|]. cbn [csum cuses].
  rewrite H by (left; reflexivity). rewrite IH; [reflexivity|]. intros; apply H; right; assumption.
Qed.

Lemma trans_uses :
  (forall b, forall d, buses false false (btrans b d) = true) /\
  (forall c, forall d, cuses false false (ctrans c d) = true).
Proof.
  apply (exp_ind nat (fun b => forall d, buses false false (btrans b d) = true)
    (fun c => forall d, cuses false false (ctrans c d) = true));
    cbn [btrans ctrans buses cuses]; intros; rewrite ?H, ?H0, ?H1; try reflexivity.
  - cbn [andb]. apply csum_uses. intros c I. apply in_map_iff in I. destruct I as (t & <- & _).
    cbn [here cuses buses czero]. rewrite H. reflexivity.
  - apply csum_uses. intros c I. apply in_map_iff in I. destruct I as (t & <- & _).
    cbn [here cuses buses czero]. rewrite H. reflexivity.
Qed.

Lemma csum_val l h : cval (csum l) h = zsum (map (fun c => cval c h) l).
Proof. induction l as [|c l IH]; cbn [csum cval map zsum]; [reflexivity|]. rewrite IH. reflexivity. Qed.

Lemma at_distance_enc d a h : d <= r ->
  at_distance d (firstn r h, length h mod m, a) = nth_error (a :: h) d.
Proof.
  destruct d as [|e]; intro L; [reflexivity|]. cbn [at_distance window fst nth_error].
  apply nth_error_firstn. lia.
Qed.

Lemma there_is_enc d a h : d <= r -> there_is d (firstn r h, length h mod m, a) = (d <? length (a :: h)).
Proof.
  intro L. unfold there_is. cbn [window fst]. rewrite firstn_length. cbn [length].
  destruct (Nat.leb_spec d (Nat.min r (length h))), (Nat.ltb_spec d (S (length h))); auto; lia.
Qed.

Lemma position_enc d a h n q : d <= r -> n <> 0 -> m = n * q ->
  position d (firstn r h, length h mod m, a) mod n = length (skipn d (a :: h)) mod n.
Proof.
  intros L N Q. rewrite skipn_length. unfold position. cbn [window residue fst snd]. rewrite firstn_length.
  cbn [length]. destruct (Nat.ltb_spec (Nat.min r (length h)) r) as [C|C].
  - rewrite Nat.min_r by lia. reflexivity.
  - pose proof (Nat.div_mod (length h) m m_positive) as E.
    assert (K : S (length h mod m) + m * d - d + (q * (length h / m)) * n = S (length h) - d + (q * d) * n).
    { assert (length h >= d) by lia. assert (m * d >= d) by nia.
      rewrite Q in *. nia. }
    rewrite <- (Nat.mod_add (S (length h mod m) + m * d - d) (q * (length h / m)) n N), K.
    apply Nat.mod_add, N.
Qed.

Lemma skipn_head (f : nat -> bool) d (h : list nat) :
  match skipn d h with [] => false | a :: _ => f a end =
  match nth_error h d with Some a => f a | None => false end.
Proof. revert h; induction d as [|d IH]; intros [|a h]; cbn; auto. Qed.

Lemma count_skipn (g : list nat -> bool) d (h : list nat) :
  (count g (skipn d h) =
   count g h - zsum (map (fun t => if (t <? length h)%nat then b2z (g (skipn t h)) else 0) (seq 0 d)))%Z.
Proof.
  induction d as [|d IH]; [cbn; lia|].
  rewrite seq_S, map_app. cbn [map Nat.add].
  assert (Z : forall l l', (zsum (l ++ l') = zsum l + zsum l')%Z) by (induction l; intros; cbn; [lia|rewrite IHl; lia]).
  rewrite Z. cbn [zsum].
  assert (S : (count g (skipn d h) = count g (skipn (S d) h) +
              (if (d <? length h)%nat then b2z (g (skipn d h)) else 0))%Z).
  { clear. revert h. induction d as [|d IH]; intro h.
    - destruct h as [|a h]; cbn [skipn length count Nat.ltb Nat.leb]; [cbn; lia|].
      change (0 <? S (length h)) with true. cbn [skipn]. lia.
    - destruct h as [|a h]; [cbn; lia|]. cbn [skipn length].
      change (S d <? S (length h)) with (d <? length h). apply IH. }
  lia.
Qed.

(** The meaning of the translation. *)
Lemma trans_correct :
  (forall b, buses true true b = true -> forall d h q, d + breach b <= r -> m = bmodulus b * q -> h <> [] ->
     bval (btrans b d) (enc h) = bval b (skipn d h)) /\
  (forall c, cuses true true c = true -> forall d h q, d + creach c <= r -> m = cmodulus c * q -> h <> [] ->
     cval (ctrans c d) (enc h) = cval c (skipn d h)).
Proof.
  assert (Here : forall p t h, (bval (btrans p t) (enc h) = bval p (skipn t h)) -> t <= r -> h <> [] ->
    cval (here t (btrans p t)) (enc h) = (if (t <? length h)%nat then b2z (bval p (skipn t h)) else 0)%Z).
  { intros p t h E L N. destruct h as [|a h]; [contradiction|]. cbn [here czero cval bval]. rewrite E.
    cbn [enc]. rewrite there_is_enc by exact L. destruct (t <? length (a :: h)), (bval p (skipn t (a :: h))); reflexivity. }
  apply (exp_ind nat
    (fun b => buses true true b = true -> forall d h q, d + breach b <= r -> m = bmodulus b * q -> h <> [] ->
       bval (btrans b d) (enc h) = bval b (skipn d h))
    (fun c => cuses true true c = true -> forall d h q, d + creach c <= r -> m = cmodulus c * q -> h <> [] ->
       cval (ctrans c d) (enc h) = cval c (skipn d h)));
    cbn [buses cuses breach creach bmodulus cmodulus btrans ctrans].
  - intros f _ d h q L _ N. destruct h as [|a h]; [contradiction|]. cbn [bval enc].
    rewrite skipn_head, at_distance_enc by lia. reflexivity.
  - reflexivity.
  - intros p IH U d h q L Q N. cbn [bval]. rewrite (IH U d h q); auto.
  - intros p IHp p' IHp' U d h q L Q N. apply andb_prop in U. destruct U. cbn [bval].
    rewrite (IHp H d h (bmodulus p' * q)), (IHp' H0 d h (bmodulus p * q)); auto; try lia; nia.
  - intros n rs U d h q L Q N. destruct h as [|a h]; [contradiction|]. cbn [bval enc].
    rewrite (position_enc d a h n q); auto; lia.
  - intros c IHc e IHe U d h q L Q N. apply andb_prop in U. destruct U. cbn [bval].
    rewrite (IHc H d h (cmodulus e * q)), (IHe H0 d h (cmodulus c * q)); auto; try lia; nia.
  - intros p IH U d h q L Q N. cbn [cval]. rewrite csum_val, map_map.
    change (fun g => bval p g) with (bval p). rewrite count_skipn. f_equal.
    + change (fun g => bval (btrans p 0) g) with (bval (btrans p 0)). clear N.
      induction h as [|a h IHh]; [reflexivity|]. cbn [enc count]. rewrite IHh. f_equal. f_equal.
      change ((firstn r h, length h mod m, a) :: enc h) with (enc (a :: h)).
      rewrite (IH U 0 (a :: h) q); auto; [lia|discriminate].
    + f_equal. apply map_ext_in. intros t I. apply in_seq in I. apply Here; auto; [|lia].
      apply (IH U t h q); auto. lia.
  - intros ds p IH U d h q L Q N. cbn [cval]. rewrite csum_val, map_map. unfold count_at. f_equal.
    apply map_ext_in. intros e I.
    assert (Le : e <= list_max ds).
    { pose proof (proj1 (list_max_le ds _) (le_n _)) as F. rewrite Forall_forall in F. auto. }
    rewrite Here; auto; [|apply (IH U (d + e) h q); auto; lia|lia].
    rewrite skipn_length. assert (B : (d + e <? length h) = (e <? length h - d)).
    { destruct (Nat.ltb_spec (d + e) (length h)), (Nat.ltb_spec e (length h - d)); auto; lia. }
    rewrite B. destruct (e <? length h - d); [|reflexivity]. do 2 f_equal.
    clear. revert h. induction d as [|d IH]; intro h; [reflexivity|]. destruct h as [|a h]; [destruct e; reflexivity|].
    cbn [Nat.add skipn]. apply IH.
  - intros p IHp c IHc e IHe U d h q L Q N. apply andb_prop in U. destruct U as [U U3].
    apply andb_prop in U. destruct U as [U1 U2]. cbn [cval].
    rewrite (IHp U1 d h (cmodulus c * cmodulus e * q)), (IHc U2 d h (bmodulus p * cmodulus e * q)),
      (IHe U3 d h (bmodulus p * cmodulus c * q)); auto; try lia; nia.
  - intros c IHc e IHe U d h q L Q N. apply andb_prop in U. destruct U. cbn [cval].
    rewrite (IHc H d h (cmodulus e * q)), (IHe H0 d h (cmodulus c * q)); auto; try lia; nia.
  - intros c IHc e IHe U d h q L Q N. apply andb_prop in U. destruct U. cbn [cval].
    rewrite (IHc H d h (cmodulus e * q)), (IHe H0 d h (cmodulus c * q)); auto; try lia; nia.
  - reflexivity.
Qed.

(** * What is read after the same window *)

(** The extended letters of [y] (newest first) after a history [g] of length [n]. *)
Fixpoint encs (g : list nat) (n : nat) (y : list nat) : list extended :=
  match y with [] => [] | a :: y' => (firstn r (y' ++ g), (length y' + n) mod m, a) :: encs g n y' end.

Lemma enc_app y g : enc (y ++ g) = encs g (length g) y ++ enc g.
Proof. induction y as [|a y IH]; [reflexivity|]. cbn [app enc encs]. rewrite IH, app_length. reflexivity. Qed.

Lemma encs_length g n y : length (encs g n y) = length y.
Proof. induction y; cbn; auto. Qed.

Lemma firstn_app_firstn (y g : list nat) : firstn r (y ++ g) = firstn r (y ++ firstn r g).
Proof.
  rewrite !firstn_app, firstn_firstn. f_equal. f_equal. lia.
Qed.

Lemma encs_ext g g' n n' y : firstn r g = firstn r g' -> n mod m = n' mod m -> encs g n y = encs g' n' y.
Proof.
  intros F N. induction y as [|a y IH]; [reflexivity|]. cbn [encs]. rewrite IH. do 3 f_equal.
  - rewrite firstn_app_firstn, F, <- firstn_app_firstn. reflexivity.
  - rewrite (Nat.add_mod (length y) n), (Nat.add_mod (length y) n'), N by exact m_positive. reflexivity.
Qed.

End Windows.
