import { ask } from "./asking.js";
import { drawing, element, profile, trace } from "./drawing.js";
import { cancel, start } from "./training.js";

const $ = (id) => document.getElementById(id);
const EXAMPLES = {
  regex: ["(aa)*", "(ab|ba)*", "(a|b)*bb(a|b)*", "(a(ab)*b)*", "(b|ab*a)*"],
  automaton: ['{"alphabet": ["a", "b"], "transitions": [[1, 0], [2, 1], [0, 2]], "accepting": [0]}'],
  program: ['#alphabet a b\nL = # "a" >= # "b"', '#alphabet ( )\nopened = # "("\nclosed = # ")"\nbad = # (opened < closed)\nD = bad == 0 && opened == closed'],
};
const LABELS = { regex: "Regular expression", automaton: "Automaton as JSON: alphabet, transitions (a row per state, an entry per letter), accepting", program: "Program, one statement a line" };
let latest = 0, latestWord = 0, suggested = "", stopped = new AbortController(), stoppedWord = new AbortController();

function asked() {
  const kind = document.querySelector("input[name=kind]:checked").value;
  const found = { kind, text: $("text").value };
  if (kind === "regex" && $("alphabet").value.trim()) found.alphabet = $("alphabet").value;
  return found;
}

async function call(part, document, signal) {
  const response = await ask(`/api/parts/${part}`, { method: "POST", signal, headers: { "content-type": "application/json" }, body: JSON.stringify(document) });
  const found = await response.json();
  if (!response.ok) throw new Error(found.error);
  return found;
}

function complain(id, field, error) {
  $(id).hidden = !error;
  $(id).textContent = error ? error.message : "";
  field.classList.toggle("wrong", Boolean(error));
  field.setAttribute("aria-invalid", String(Boolean(error)));
}

// What is shown is of something typed before, until the answer is there.
function waiting(yes) {
  document.querySelectorAll("main > section").forEach((each) => { each.classList.toggle("stale", yes); each.setAttribute("aria-busy", String(yes)); });
}

const expired = (error) => error.name === "AbortError";

async function update() {
  const turn = ++latest, subject = asked();
  stopped.abort();
  stopped = new AbortController();
  const signal = stopped.signal;
  remember();
  if (!subject.text.trim()) { complain("complaint", $("text"), null); return; }
  waiting(true);
  try {
    const found = await call("verdicts", subject, signal);
    if (turn !== latest) return;
    complain("complaint", $("text"), null);
    $("about").textContent = `${found.title}: ${found.about}`;
    $("verdicts").replaceChildren(...found.sides.map(card));
    waiting(false);
  } catch (error) {
    if (expired(error) || turn !== latest) return;
    complain("complaint", $("text"), error);
    document.querySelectorAll("main > section").forEach((each) => each.setAttribute("aria-busy", "false"));
    if (!$("verdicts").children.length) $("about").textContent = "";
    return;
  }
  show("odds", subject, signal, odds);
  show("automaton", subject, signal, (found) => { $("automaton").replaceChildren(...(found.svg ? [drawing(found.svg)] : [])); $("automaton").hidden = !found.svg; $("automaton-note").textContent = found.note; });
  show("fooling", subject, signal, fooling);
  show("program", subject, signal, programs);
  show("profile", subject, signal, (found) => $("profile").replaceChildren(found.lines.length ? profile(found) : element("p", { class: "soft" }, found.reason)));
  await show("example", subject, signal, (found) => {
    if (!$("word").value || $("word").value === suggested) $("word").value = found.word;
    suggested = found.word;
  });
  updateWord();
}

async function show(part, subject, signal, put) {
  try { put(await call(part, subject, signal)); } catch (error) { if (!expired(error)) put_error(part, error); }
}

function put_error(part, error) {
  const place = { odds: "odds", automaton: "automaton-note", fooling: "fooling", program: "programs", profile: "profile" }[part];
  if (place) $(place).replaceChildren(element("span", { class: "complaint" }, error.message));
}

async function updateWord() {
  const turn = ++latestWord, document = { ...asked(), word: $("word").value, side: $("side").value };
  stoppedWord.abort();
  stoppedWord = new AbortController();
  remember();
  try {
    const found = await call("trace", document, stoppedWord.signal);
    if (turn !== latestWord) return;
    $("trace").replaceChildren(trace(found));
    const maps = await call("attention", document, stoppedWord.signal);
    if (turn !== latestWord) return;
    $("attention").replaceChildren(...maps.heads.map((head) => element("figure", {}, element("figcaption", {}, head.title), drawing(head.svg))));
    const more = maps.number - maps.heads.length;
    $("attention-note").textContent = maps.reason || (more > 0 ? `and ${more} more heads` : "Rows are positions that look, columns those looked at; the stronger the colour, the more.");
    complain("word-complaint", $("word"), null);
  } catch (error) { if (!expired(error) && turn === latestWord) complain("word-complaint", $("word"), error); }
}

function card(side) {
  return element("div", { class: `card ${side.encoding}` }, element("h4", {}, side.title), element("p", { class: `expect ${side.answer}` }, side.expectation),
    element("p", {}, side.clause), element("p", { class: "small soft" }, side.basis),
    element("details", {}, element("summary", {}, "In the terms of the papers"), element("p", { class: "small" }, `${side.class}: ${side.answer} for predicting what may follow, ${side.membership} for membership. ${side.reason}`)));
}

function odds(found) {
  const rows = found.rows.filter((row) => row.ratio === 3);
  $("odds").textContent = rows.length
    ? `Odds that one run trained to ${rows[0].trained_to} works at ${rows[0].tested}: ` + rows.map((row) => `${row.encoding === "nope" ? "NoPE" : "APE"} ${row.words}`).join(", ")
    : `Odds: not known (${found.reason})`;
}

function fooling(found) {
  $("fooling-section").hidden = !found.sides.length;
  $("fooling").replaceChildren(...found.sides.map((side) => element("div", { class: "card" }, element("h4", {}, side.title),
    element("pre", { class: "wrap" }, side.lines.join("\n")),
    side.pair ? [element("p", { class: "small soft" }, `With each loop ${side.pair.repeated} times:`), side.pair.words.map((word, place) => element("p", { class: "small" }, element("code", { class: "word" }, word), side.pair.inside[place] ? "in the language" : "not in the language"))] : null)));
}

function programs(found) {
  const seen = new Map();
  for (const program of found.programs) {
    const same = program.text && seen.get(program.text);
    if (same) same.title += ` and ${program.title}`; else seen.set(program.text || program.title, { ...program });
  }
  $("programs").replaceChildren(...[...seen.values()].map((program) => element("div", { class: "card" }, element("h4", {}, program.title),
    program.text ? [element("pre", {}, program.text), element("p", { class: "small soft" }, [program.summary, program.proof].filter(Boolean).join("; "))] : element("p", { class: "soft" }, program.reason))));
  const written = found.programs.filter((each) => each.text).map((each) => each.side || "nope");
  if (written.length && !written.includes($("side").value)) { $("side").value = written[0]; updateWord(); }
}

// What is typed stands in the fragment of the address, which no server sees.
function remember() {
  const now = new URLSearchParams({ ...asked(), word: $("word").value === suggested ? "" : $("word").value });
  history.replaceState(null, "", `#${now}`);
}

function recall() {
  const found = new URLSearchParams(location.hash.slice(1));
  const kind = found.get("kind") in EXAMPLES ? found.get("kind") : "regex";
  document.querySelector(`input[name=kind][value=${kind}]`).checked = true;
  $("text").value = found.get("text") || EXAMPLES[kind][0];
  $("alphabet").value = found.get("alphabet") || "";
  $("word").value = found.get("word") || "";
  chosen();
}

function chosen() {
  const { kind } = asked();
  $("text-label").textContent = LABELS[kind];
  $("alphabet-field").hidden = kind !== "regex";
  $("examples").replaceChildren(element("span", { class: "soft" }, "For example"), ...EXAMPLES[kind].map((text) => {
    const button = element("button", { type: "button", title: text }, element("code", {}, text.length > 32 ? `${text.replaceAll("\n", " ").slice(0, 31)}…` : text.replaceAll("\n", " ")));
    button.addEventListener("click", () => { $("text").value = text; $("word").value = ""; grow(); update(); });
    return button;
  }));
  grow();
}

function grow() { $("text").rows = Math.min(16, Math.max(asked().kind === "program" ? 5 : 1, $("text").value.split("\n").length)); }

function later(work, wait = 250) {
  let timer = 0;
  return () => { clearTimeout(timer); timer = setTimeout(work, wait); };
}

const root = document.documentElement, system = window.matchMedia("(prefers-color-scheme: dark)");
const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
function label() { $("toggle").textContent = dark() ? "Light" : "Dark"; }
try { const wanted = localStorage.getItem("longreach-theme"); if (wanted) root.dataset.theme = wanted; } catch (error) { /* no storage */ }
$("toggle").addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; try { localStorage.setItem("longreach-theme", root.dataset.theme); } catch (error) { /* no storage */ } label(); });
system.addEventListener("change", label);
label();

document.querySelectorAll("input[name=kind]").forEach((each) => each.addEventListener("change", () => { $("text").value = EXAMPLES[asked().kind][0]; $("word").value = ""; chosen(); update(); }));
$("form").addEventListener("submit", (event) => event.preventDefault());
$("text").addEventListener("input", () => { grow(); delayed(); });
const delayed = later(update), delayedWord = later(updateWord);
$("alphabet").addEventListener("input", delayed);
$("word").addEventListener("input", delayedWord);
$("side").addEventListener("change", updateWord);
$("share").addEventListener("click", async () => {
  try { await navigator.clipboard.writeText(location.href); $("said").textContent = "copied"; } catch (error) { $("said").textContent = "the address of this page is the link"; }
});
$("train").addEventListener("click", () => start({ ...asked(), minutes: Number($("minutes").value) }));
$("cancel").addEventListener("click", cancel);
window.addEventListener("hashchange", () => { recall(); update(); });
recall();
update();
