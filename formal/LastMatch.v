(** Decoders with attention to the last match: what the encoding `reach` can do when its shares are 0 or 1.

    A head of such a decoder sees the places before its own, not its own (strict masking). At place i it finds
    the last place at which its key holds, and reads what the token there knows and the distance to it; or that
    there is no such place. Distances are seen modulo m, and exactly up to some r. What tokens know in the next layer is any function of what they know and
    read. A token is one of finitely many, so it knows one of finitely many things in each layer. A head that
    sees its own place as well is no more: a token knows whether its key holds of itself. *)

From Coq Require Import List Arith Lia Bool.
From Longreach Require Import Automata.
Import ListNotations.

(** The last place before i at which the key holds. *)
Fixpoint last_match (key : nat -> bool) (i : nat) : option nat :=
  match i with
  | 0 => None
  | S j => if key j then Some j else last_match key j
  end.

Theorem last_match_some key i j : last_match key i = Some j <->
  j < i /\ key j = true /\ forall j', j < j' < i -> key j' = false.
Proof.
  induction i as [|i IH]; simpl.
  - split; [discriminate|lia].
  - destruct (key i) eqn:K.
    + split.
      * intro E. injection E as ->. repeat split; [lia|exact K|lia].
      * intros (L & Kj & N). destruct (Nat.eq_dec j i) as [->|D]; [reflexivity|].
        rewrite N in K by lia. discriminate.
    + rewrite IH. split; intros (L & Kj & N); repeat split; try lia; try exact Kj.
      * intros j' L'. destruct (Nat.eq_dec j' i) as [->|D]; [exact K|apply N; lia].
      * destruct (Nat.eq_dec j i) as [->|D]; [congruence|lia].
      * intros j' L'. apply N. lia.
Qed.

Theorem last_match_none key i : last_match key i = None <-> forall j, j < i -> key j = false.
Proof.
  induction i as [|i IH]; simpl; [split; [lia|reflexivity]|].
  destruct (key i) eqn:K.
  - split; [discriminate|]. intro N. rewrite N in K by lia. discriminate.
  - rewrite IH. split; intros N j L; [|apply N; lia].
    destruct (Nat.eq_dec j i) as [->|D]; [exact K|apply N; lia].
Qed.

Lemma last_match_ext key key' i : (forall j, j < i -> key j = key' j) -> last_match key i = last_match key' i.
Proof.
  induction i as [|i IH]; simpl; intro H; [reflexivity|].
  rewrite (H i) by lia. destruct (key' i); [reflexivity|]. apply IH. intros. apply H. lia.
Qed.

(** With one more place, at which the key does not hold, before all others. *)
Lemma last_match_shift key i : key 0 = false ->
  last_match key (S i) = option_map S (last_match (fun j => key (S j)) i).
Proof.
  intro Z. induction i as [|i IH].
  - simpl. rewrite Z. reflexivity.
  - change (last_match key (S (S i))) with (if key (S i) then Some (S i) else last_match key (S i)).
    rewrite IH. simpl. destruct (key (S i)); reflexivity.
Qed.

(** What a token knows in a layer. *)
Definition knowledge := list nat.

(** What is seen of a distance. *)
Definition distance (m r i j : nat) : nat * nat := (min (i - j) r, (i - j) mod m).

(** The key of a head: what a token asks for, given what it knows itself, what the other knows, and the distance. *)
Definition key_of_head := knowledge -> knowledge -> nat * nat -> bool.

Record layer : Type := Layer {
  keys : list key_of_head;
  combine : knowledge -> list (option (knowledge * (nat * nat))) -> knowledge
}.
Record decoder : Type := Decoder { period : nat; near : nat; layers : list layer; output : knowledge -> nat }.

Section Layers.
Variables (m r : nat) (X : nat -> knowledge).

(** What a head reads at place i, given what the tokens know. *)
Definition read (i : nat) (key : key_of_head) : option (knowledge * (nat * nat)) :=
  match last_match (fun j => key (X i) (X j) (distance m r i j)) i with
  | Some j => Some (X j, distance m r i j)
  | None => None
  end.

Definition attend (l : layer) : nat -> knowledge := fun i => combine l (X i) (map (read i) (keys l)).

End Layers.

(** The tokens: SOS (0), the letters from 1 on, and one more, wherever the word has ended. *)
Definition token (A : automaton) (w : list nat) (i : nat) : knowledge :=
  match i with 0 => [0] | S j => [S (nth j w (letters A))] end.

Definition says (D : decoder) (A : automaton) (w : list nat) (i : nat) : nat :=
  output D (fold_left (attend (period D) (near D)) (layers D) (token A w) i).

(** Automata whose states say what is right after a word: an answer, from 1 on, or 0 where nothing is asked. At
    the end, the answer is asked at the token after the word; otherwise at SOS and at every letter. *)
Record machine : Type := Machine { moves : automaton; answers : list nat; at_end : bool }.

Definition right_after (M : machine) (w : list nat) : nat := nth (state_after (moves M) 0 w) (answers M) 0.

Definition is_right (D : decoder) (M : machine) : Prop :=
  forall w, over (moves M) w ->
    if at_end M then right_after M w <> 0 -> says D (moves M) w (S (length w)) = right_after M w
    else forall i, i <= length w -> right_after M (firstn i w) <> 0 ->
      says D (moves M) w i = right_after M (firstn i w).

(** Some decoder with n layers is right at every length; or none is, whatever its layers. The modulus is not 0. *)
Definition answered_in (n : nat) (M : machine) : Prop :=
  exists D, period D <> 0 /\ length (layers D) = n /\ is_right D M.
Definition never_answered (M : machine) : Prop := forall D, period D <> 0 -> ~ is_right D M.
