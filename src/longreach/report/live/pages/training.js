// "Train it now": one training in the background, followed through server-sent events.
import { ask } from "./asking.js";
import { element } from "./drawing.js";

const $ = (id) => document.getElementById(id);
let source = null, name = null;

export async function start(question) {
  $("training").hidden = false;
  $("training-answer").replaceChildren();
  $("training-runs").replaceChildren();
  $("training-bar").removeAttribute("value");
  say("starting");
  let found;
  try {
    const response = await ask("/api/trainings", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question) });
    found = await response.json();
    if (!response.ok) throw new Error(found.error);
  } catch (error) { say(error.message); $("training-bar").value = 0; $("cancel").hidden = source === null || source.readyState === EventSource.CLOSED; return; }
  name = found.training;
  $("cancel").hidden = false;
  if (source) source.close();
  source = new EventSource(`/api/trainings/${encodeURIComponent(name)}/events`);
  source.onmessage = (message) => heard(JSON.parse(message.data));
  source.onerror = () => say("the connection to the server was lost; what was trained is kept");
}

export function cancel() {
  if (name === null) return;
  say("ending with what there is");
  ask(`/api/trainings/${encodeURIComponent(name)}`, { method: "DELETE" }).catch((error) => say(error.message));
}

function say(text) { $("training-state").textContent = text; }

function heard(event) {
  if (event.event === "started") say(`${event.title}: planning ${event.minutes} minutes`);
  if (event.event === "remark") say(event.text);
  if (event.event === "progress") {
    $("training-bar").max = event.total;
    $("training-bar").value = event.done;
    say(`${event.done} of ${event.total} runs done`);
    $("training-runs").replaceChildren(...event.running.map((run) => element("li", {}, `${run.encoding}, seed ${run.seed}: step ${run.step} of ${run.max_steps}`)));
  }
  if (["done", "failed", "cancelled"].includes(event.event)) {
    source.close();
    $("cancel").hidden = true;
    $("training-runs").replaceChildren();
    $("training-bar").value = event.event === "done" ? $("training-bar").max : $("training-bar").value;
    say({ done: event.judgement || "done", failed: event.error, cancelled: "cancelled; what was trained is kept and is not trained again" }[event.event]);
    if (event.answers) $("training-answer").replaceChildren(...event.answers.map(answer));
  }
}

function answer(block) {
  const lines = block.lines.map((line) => element("div", line.says ? {} : { class: "whole-line" },
    element("dt", {}, line.label), element("dd", {}, element("strong", {}, line.says), element("span", { class: "basis soft" }, [line.basis, line.measured].filter(Boolean).join(" · ")))));
  return element("div", { class: "question" }, element("h4", {}, block.question), element("dl", { class: "lines" }, lines));
}
