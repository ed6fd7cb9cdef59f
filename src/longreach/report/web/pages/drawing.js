// Small builders for what the page shows; all text goes in as text, never as markup.

export function element(name, settings = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(settings)) {
    if (key === "class") made.className = value;
    else made.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) made.append(child);
  return made;
}

// Drawings come from our own server, which escapes every letter in them.
export function drawing(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.content;
}

const HEIGHT = 268, LEFT = 46, BOTTOM = 48, TOP = 10, RIGHT = 14;

export function profile(found) {
  const WIDTH = window.matchMedia("(max-width: 40rem)").matches ? 360 : 640; // numbers of one size on every screen
  const last = found.lengths[found.lengths.length - 1];
  const x = (length) => LEFT + (length - 1) / (last - 1) * (WIDTH - LEFT - RIGHT);
  const y = (share) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const parts = [];
  for (const share of [0, 0.5, 1]) {
    parts.push(`<path class="grid" d="M${LEFT} ${y(share)}H${WIDTH - RIGHT}"/>`);
    parts.push(`<text class="tick y" x="${LEFT - 6}" y="${y(share) + 4}">${share * 100} %</text>`);
  }
  for (const length of [1, 10, 20, 30, 40, 50, 60].filter((each) => each <= last)) {
    parts.push(`<text class="tick x" x="${x(length)}" y="${HEIGHT - BOTTOM + 20}">${length}</text>`);
  }
  parts.push(`<text class="tick x" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}">length of the word</text>`);
  const names = element("ul", { class: "names" });
  found.lines.forEach((line, number) => {
    const style = `line p${number % 9} d${Math.floor(number / 3) % 3}`;
    let path = "", pen = "M";
    line.values.forEach((share, place) => {
      if (share === null) return;
      path += `${pen}${x(found.lengths[place]).toFixed(1)} ${y(share).toFixed(1)}`;
      pen = "L";
    });
    const item = element("li");
    item.append(drawing(`<svg aria-hidden="true" viewBox="0 0 26 8"><path class="${style}" fill="none" stroke-width="2" d="M0 4H26"/></svg>`), line.summary + (line.exhausted ? " (over the budget)" : ""));
    names.append(item);
    if (path) {
      parts.push(`<path class="${style}" data-line="${number}" d="${path}"/>`);
      item.addEventListener("mouseenter", () => shown(number, true));
      item.addEventListener("mouseleave", () => shown(number, false));
    }
  });
  const chart = drawing(`<svg class="profile" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Determinacy by length, one line per summary; the table below has the numbers">${parts.join("")}</svg>`);
  const box = element("div");
  const shown = (number, on) => box.querySelector(`[data-line="${number}"]`).classList.toggle("shown", on);
  box.append(chart, names, table(found));
  return box;
}

function table(found) {
  const at = [10, 20, 40, 60].filter((length) => found.lengths.includes(length));
  const share = (line, length) => {
    const value = line.values[found.lengths.indexOf(length)];
    return value === null || value === undefined ? "–" : `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;
  };
  return element("details", {}, element("summary", {}, "The numbers"),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, element("th", {}, "length"), at.map((length) => element("th", { class: "number" }, String(length))))),
      element("tbody", {}, found.lines.map((line) => element("tr", {}, element("th", { scope: "row" }, line.summary), at.map((length) => element("td", { class: "number" }, share(line, length)))))))));
}

export function trace(found) {
  if (!found.rows) return element("p", { class: "small soft" }, found.reason);
  const tokens = found.tokens.length ? found.tokens : ["ε"];
  // Signs for those who see them, words for those who hear them.
  const shown = (row, value) => row.boolean ? [element("span", { "aria-hidden": "true" }, value === "True" ? "⊤" : "·"), element("span", { class: "unseen" }, value === "True" ? "true" : "false")] : value;
  const body = found.rows.map((row) => element("tr", row.result ? { class: "result" } : {},
    element("th", { scope: "row" }, row.text),
    row.values.map((value) => element("td", row.boolean ? { class: value === "True" ? "true" : "false" } : {}, shown(row, value)))));
  const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "position"), found.positions.map((each) => element("th", { scope: "col" }, String(each)))),
    element("tr", {}, element("th", { scope: "row" }, "letter"), tokens.map((each) => element("th", { scope: "col" }, each))));
  return element("table", {}, head, element("tbody", {}, body));
}
