// The answers as cards and tables.
import { drawing, element } from "./drawing.js";

const $ = (id) => document.getElementById(id);

export function verdicts(found) {
  $("about").replaceChildren(element("bdi", {}, found.title), `: ${found.about}`);
  $("verdicts").replaceChildren(...found.sides.map((side) => element("div", { class: `card ${side.encoding}` }, element("h3", {}, side.title), element("p", { class: `expect ${side.answer}` }, side.expectation),
    element("p", {}, side.clause), element("p", { class: "small soft" }, side.basis), element("p", { class: "small odds" }),
    element("details", {}, element("summary", {}, "In the terms of the papers"), element("p", { class: "small" }, `${side.class}: ${side.answer} for predicting what may follow, ${side.membership} for membership. ${side.reason}`)))));
}

export function odds(found) {
  for (const row of found.rows.filter((each) => each.ratio === 3)) {
    const place = $("verdicts").querySelector(`.card.${row.encoding} .odds`);
    if (place) place.textContent = row.words;
  }
  $("odds").textContent = found.rows.length ? found.note : `Odds: not known (${found.reason})`;
}

export function automaton(found) {
  $("automaton").replaceChildren(...(found.svg ? [drawing(found.svg)] : []));
  $("automaton").hidden = !found.svg;
  $("automaton-note").textContent = found.note;
  $("automaton-table").replaceChildren(...(found.table ? [transitions(found.table)] : []));
}

function transitions(table) {
  const column = (name) => element("th", { scope: "col" }, name);
  const noted = table.rows.some((row) => row.note);
  return element("details", {}, element("summary", {}, "The automaton as a table"),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, column("state"), table.letters.map((letter) => column(element("bdi", {}, `by ${letter}`))), column("accepts"), noted ? column("note") : null)),
      element("tbody", {}, table.rows.map((row) => element("tr", {}, element("th", { scope: "row" }, `${row.state}${row.state === 0 ? " (start)" : ""}`), row.moves.map((each) => element("td", {}, String(each))), element("td", {}, row.accepts ? "yes" : "no"), noted ? element("td", {}, row.note) : null))))));
}

export function fooling(found) {
  $("fooling-section").hidden = !found.sides.length;
  $("fooling").replaceChildren(...found.sides.map((side) => element("div", { class: "card" }, element("h4", {}, side.title),
    side.lines.map((line) => line.startsWith(" ") ? element("code", { class: "word" }, line.trim()) : element("p", { class: "small" }, line)),
    side.pair ? pair(side.pair) : null)));
}

// Two long words; where they part is marked.
function pair({ words, inside, repeated }) {
  const most = Math.min(...words.map((word) => word.length));
  let before = 0, after = 0;
  while (before < most && words[0][before] === words[1][before]) before++;
  while (after < most - before && words[0].at(-1 - after) === words[1].at(-1 - after)) after++;
  const shown = (word) => element("code", { class: "word" }, word.slice(0, before), element("b", {}, word.slice(before, word.length - after)), word.slice(word.length - after));
  return [element("p", { class: "small soft" }, `Each loop repeated ${repeated} times, with the difference marked:`),
    element("div", { class: "pair" }, words.map((word, place) => [shown(word), element("span", { class: `badge ${inside[place] ? "yes" : "no"}` }, inside[place] ? "in the language" : "not in the language")]))];
}

export function programs(found) {
  const seen = new Map();
  for (const program of found.programs) {
    const same = program.text && seen.get(program.text);
    if (same) same.title += ` and ${program.title}`; else seen.set(program.text || program.title, { ...program });
  }
  $("programs").replaceChildren(...[...seen.values()].map((program) => element("div", { class: "card" }, element("h4", {}, program.title),
    program.text ? [element("pre", { tabindex: "0" }, program.text), element("p", { class: "small soft" }, [program.summary, program.proof].filter(Boolean).join("; "))] : element("p", { class: "soft" }, program.reason))));
}
