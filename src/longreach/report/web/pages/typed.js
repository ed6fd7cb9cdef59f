// What is typed: its kind, text, letters, word and program, kept by kind and in the address.
import { element } from "./drawing.js";

const $ = (id) => document.getElementById(id);
const EXAMPLES = {
  regex: ["(a|b)*bb(a|b)*", "(aa)*", "(ab|ba)*", "(a(ab)*b)*", "(b|ab*a)*"].map((text) => ({ text })),
  automaton: [
    { name: "as in threes", text: '{"alphabet": ["a", "b"], "transitions": [[1, 0], [2, 1], [0, 2]], "accepting": [0]}' },
    { name: "no b after b", text: '{"alphabet": ["a", "b"], "transitions": [[0, 1], [0, 2], [2, 2]], "accepting": [0, 1]}' },
  ],
  program: [
    { name: "as many a as b, or more", text: '#alphabet a b\nL = # "a" >= # "b"' },
    { name: "brackets that match", text: '#alphabet ( )\nopened = # "("\nclosed = # ")"\nbad = # (opened < closed)\nD = bad == 0 && opened == closed' },
    { name: "b right after a", text: '#alphabet a b\nL = exists ("b" && #[i-1] "a" >= 1)' },
  ],
};
const LABELS = { regex: "Regular expression", automaton: "Automaton as JSON: alphabet, transitions (a row per state, an entry per letter), accepting", program: "Program, one statement a line" };
const SIDES = ["nope", "ape"];

// The word and the program that somebody chose; null where the page chooses.
export const wish = { word: null, side: null };
const kept = new Map();
let shownKind = "regex";

export function asked() {
  const kind = document.querySelector("input[name=kind]:checked").value;
  const found = { kind, text: $("text").value };
  if (kind === "regex" && $("alphabet").value.trim()) found.alphabet = $("alphabet").value;
  return found;
}

// What is typed stands in the fragment of the address, which no server sees.
export function remember() {
  const now = new URLSearchParams(asked());
  for (const [name, value] of Object.entries(wish)) if (value !== null) now.set(name, value);
  history.replaceState(null, "", `#${now}`);
}

export const isAddress = () => ["kind", "text"].some((name) => new URLSearchParams(location.hash.slice(1)).has(name));

export function recall(update) {
  const found = new URLSearchParams(location.hash.slice(1));
  const kind = Object.hasOwn(EXAMPLES, found.get("kind") ?? "") ? found.get("kind") : "regex";
  document.querySelector(`input[name=kind][value=${kind}]`).checked = true;
  put({ text: found.get("text") ?? EXAMPLES[kind][0].text, alphabet: found.get("alphabet") ?? "", word: found.get("word"), side: SIDES.includes(found.get("side")) ? found.get("side") : null });
  chosen(update);
}

// Another kind brings back what was typed under it; nothing is thrown away.
export function turn(update) {
  kept.set(shownKind, { text: $("text").value, alphabet: $("alphabet").value, ...wish });
  const { kind } = asked();
  put(kept.get(kind) ?? { text: EXAMPLES[kind][0].text, alphabet: "", word: null, side: null });
  chosen(update);
}

function put({ text, alphabet, word, side }) {
  $("text").value = text;
  $("alphabet").value = alphabet;
  $("word").value = word ?? "";
  if (side !== null) $("side").value = side;
  Object.assign(wish, { word, side });
}

function chosen(update) {
  shownKind = asked().kind;
  $("text-label").textContent = LABELS[shownKind];
  $("alphabet-field").hidden = shownKind !== "regex";
  $("side-field").hidden = shownKind === "program"; // it is the program
  $("examples").replaceChildren(element("span", { class: "soft" }, "For example"), ...EXAMPLES[shownKind].map(({ name, text }) => {
    const button = element("button", { type: "button", title: text }, name ?? element("code", {}, text));
    button.addEventListener("click", () => { put({ text, alphabet: "", word: null, side: null }); grow(); update(); });
    return button;
  }));
  grow();
}

// As tall as its text, also where a long line is wrapped.
export function grow() {
  const field = $("text");
  field.rows = shownKind === "program" ? 5 : 1;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
}
