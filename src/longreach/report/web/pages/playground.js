import "./theme.js";
import { ask } from "./asking.js";
import { automaton, fooling, odds, programs, verdicts } from "./cards.js";
import { drawing, element, profile, trace } from "./drawing.js";
import { attach, cancel, mayTrain, start } from "./training.js";
import { asked, grow, isAddress, recall, remember, turn, wish } from "./typed.js";

const $ = (id) => document.getElementById(id);
const SECTIONS = { automaton: "automaton-section", fooling: "fooling-section", program: "program-section", profile: "profile-section" };
let latest = 0, latestWord = 0, suggested = "", isSuggested = false, stopped = new AbortController(), stoppedWord = new AbortController();

async function call(part, document, signal) {
  const response = await ask(`/api/parts/${part}`, { method: "POST", signal, headers: { "content-type": "application/json" }, body: JSON.stringify(document) });
  const found = await response.json();
  if (!response.ok) throw new Error(found.error);
  return found;
}

// One polite sentence for all that changed, once it has settled.
const news = new Map();
const tell = later(() => { $("announced").textContent = [...news.values()].join(". "); news.clear(); }, 1000);
function announce(about, sentence) { news.set(about, sentence); tell(); }

function complain(id, field, error) {
  $(id).hidden = !error;
  $(id).textContent = error ? error.message : "";
  field.classList.toggle("wrong", Boolean(error));
  field.setAttribute("aria-invalid", String(Boolean(error)));
  if (error) announce(id, error.message);
}

// What is shown is of something typed before, until its answer is there.
function waiting(id, yes) {
  $(id).classList.toggle("stale", yes);
  $(id).setAttribute("aria-busy", String(yes));
}

const sections = () => document.querySelectorAll("main > section.found");
const expired = (error) => error.name === "AbortError";

function clear(reason) {
  waiting("answer", false);
  sections().forEach((each) => { each.hidden = true; waiting(each.id, false); });
  for (const id of ["verdicts", "odds", "fooling", "automaton", "automaton-note", "automaton-table", "programs", "profile"]) $(id).replaceChildren();
  clearWord();
  $("about").textContent = reason;
  mayTrain(false);
}

async function update() {
  const turn = ++latest, subject = asked();
  stopped.abort();
  stoppedWord.abort();
  stopped = new AbortController();
  const signal = stopped.signal;
  remember();
  if (!subject.text.trim()) { complain("complaint", $("text"), null); clear("Type something."); return; }
  waiting("answer", true);
  sections().forEach((each) => waiting(each.id, true));
  try {
    const answer = await call("verdicts", subject, signal);
    if (turn !== latest) return;
    complain("complaint", $("text"), null);
    verdicts(answer);
    announce("verdicts", answer.sides.map((side) => `${{ nope: "NoPE", ape: "APE" }[side.encoding] ?? side.encoding} ${side.expectation}`).join(", "));
    waiting("answer", false);
    mayTrain(true);
  } catch (error) {
    if (expired(error) || turn !== latest) return;
    complain("complaint", $("text"), error);
    mayTrain(false);
    document.querySelectorAll("main > section").forEach((each) => each.setAttribute("aria-busy", "false"));
    if (!$("verdicts").children.length) clear("");
    return;
  }
  show("odds", subject, signal, odds);
  show("automaton", subject, signal, automaton);
  show("fooling", subject, signal, fooling);
  show("program", subject, signal, (each) => { programs(each); chooseSide(each); });
  show("profile", subject, signal, (each) => {
    $("profile-about").hidden = !each.lines.length;
    $("profile").replaceChildren(each.lines.length ? profile(each) : element("p", { class: "small soft" }, each.reason));
  });
  suggested = "";
  isSuggested = false;
  await show("example", subject, signal, (each) => { suggested = each.word; });
  if (turn === latest) { isSuggested = true; $("word").value = wish.word ?? suggested; updateWord(true); }
}

async function show(part, subject, signal, put) {
  const section = SECTIONS[part];
  try {
    const answer = await call(part, subject, signal);
    if (signal.aborted) return;
    if (section) $(section).hidden = false;
    put(answer);
  } catch (error) {
    if (expired(error)) return;
    const place = { odds: "odds", automaton: "automaton-note", fooling: "fooling", program: "programs", profile: "profile" }[part];
    if (place) { clearPart(part); $(place).replaceChildren(element("span", { class: "complaint" }, error.message)); }
    if (section) $(section).hidden = false;
  }
  if (section) waiting(section, false);
}

function clearPart(part) {
  if (part === "automaton") { $("automaton").replaceChildren(); $("automaton-table").replaceChildren(); }
}

function clearWord() {
  for (const id of ["trace", "accepted", "attention", "attention-note"]) $(id).replaceChildren();
}

// The program that somebody chose, where it was written; else the one that was.
function chooseSide(answer) {
  const written = answer.programs.filter((each) => each.text && each.side).map((each) => each.side);
  if (!written.length) return;
  const side = written.includes(wish.side) ? wish.side : written.includes($("side").value) && wish.side === null ? $("side").value : written[0];
  if (side === $("side").value) return;
  $("side").value = side;
  if (isSuggested) updateWord(true);
}

async function updateWord(isNew = false) {
  if (!asked().text.trim()) return;
  const turn = ++latestWord, question = { ...asked(), word: $("word").value, side: $("side").value };
  stoppedWord.abort();
  stoppedWord = new AbortController();
  const signal = stoppedWord.signal;
  remember();
  $("word-section").hidden = false;
  waiting("word-section", true);
  try {
    const traced = await call("trace", question, signal);
    if (turn !== latestWord) return;
    complain("word-complaint", $("word"), null);
    $("trace").replaceChildren(trace(traced));
    $("accepted").textContent = (traced.accepted ?? null) === null ? "" : traced.accepted ? "The word is accepted." : "The word is rejected.";
    if ($("accepted").textContent) announce("word", $("accepted").textContent.slice(0, -1));
    attended(await call("attention", question, signal), question, signal);
  } catch (error) {
    if (expired(error) || turn !== latestWord) return;
    if (isNew && question.word !== suggested) { $("word").value = suggested; updateWord(); return; } // of another alphabet
    clearWord();
    complain("word-complaint", $("word"), error);
  }
  if (turn === latestWord) waiting("word-section", false);
}

function attended(maps, question, signal) {
  if (signal.aborted) return;
  $("attention").replaceChildren(...maps.heads.map((head) => element("figure", {}, element("figcaption", {}, head.title), enlarged(drawing(head.svg)))));
  const more = maps.number - maps.heads.length;
  $("attention-note").replaceChildren(maps.reason || "Rows are positions that look, columns those looked at, $ the place before the word; the stronger the colour, the more. ");
  if (more <= 0) return;
  if (question.all) { $("attention-note").append(`There are ${more} more heads.`); return; }
  const button = element("button", { type: "button" }, `Show ${more} more head${more === 1 ? "" : "s"}`);
  button.addEventListener("click", async () => {
    const all = { ...question, all: true };
    try { attended(await call("attention", all, signal), all, signal); } catch (error) { if (!expired(error)) complain("word-complaint", $("word"), error); }
  });
  $("attention-note").append(button);
}

// Maps of short words are small; there is room for larger ones.
function enlarged(map) {
  if (window.matchMedia("(max-width: 40rem)").matches) return map;
  const svg = map.firstElementChild, side = Number(svg.getAttribute("width"));
  for (const name of ["width", "height"]) svg.setAttribute(name, String(Math.max(side, Math.min(1.6 * side, 300))));
  return map;
}

function later(work, wait = 250) {
  let timer = 0;
  return () => { clearTimeout(timer); timer = setTimeout(work, wait); };
}

const delayed = later(update), delayedWord = later(() => updateWord());
document.querySelectorAll("input[name=kind]").forEach((each) => each.addEventListener("change", () => { turn(update); update(); }));
$("form").addEventListener("submit", (event) => event.preventDefault());
$("text").addEventListener("input", () => { grow(); delayed(); });
$("alphabet").addEventListener("input", delayed);
$("word").addEventListener("input", () => { wish.word = $("word").value; delayedWord(); });
$("side").addEventListener("change", () => { wish.side = $("side").value; updateWord(); });
$("share").addEventListener("click", async () => {
  try { await navigator.clipboard.writeText(location.href); $("said").textContent = "copied"; } catch (error) { $("said").textContent = "the address of this page is the link"; }
});
$("train").addEventListener("click", () => start({ ...asked(), minutes: Number($("minutes").value) }));
$("cancel").addEventListener("click", cancel);
// Not through the address, where what is typed stands.
$("skip").addEventListener("click", (event) => { event.preventDefault(); $("answer").focus(); $("answer").scrollIntoView(); });
window.addEventListener("hashchange", () => { if (isAddress()) { recall(update); update(); } });
window.addEventListener("resize", grow);
recall(update);
update();
attach();
