// "Train it now": one training in the background, followed through server-sent events.
import { ask } from "./asking.js";
import { element } from "./drawing.js";

const $ = (id) => document.getElementById(id);
const ENDS = ["done", "failed", "cancelled"];
let source = null, name = null, allowed = false;

export function mayTrain(yes) { allowed = yes; lock(); }

function lock() { $("train").disabled = !allowed || name !== null; }

// What this server trains, and what it is training: perhaps for this page before it was loaded again.
export async function attach() {
  try {
    const found = await (await ask("/api/trainings")).json();
    if (!found.most) {
      $("train").hidden = $("minutes-field").hidden = true;
      $("said").textContent = "This server does not train.";
      return;
    }
    $("minutes").max = String(found.minutes);
    $("minutes").min = String(Math.min(0.5, found.minutes));
    $("minutes").value = String(Math.min(Number($("minutes").value), found.minutes));
    if (found.running.length) follow(found.running[0]);
  } catch (error) { /* the answers say that the server is gone */ }
}

export async function start(question) {
  $("train").disabled = true;
  $("said").textContent = "";
  try {
    const response = await ask("/api/trainings", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question) });
    const found = await response.json();
    if (response.ok) { follow(found); return; }
    $("said").textContent = found.error;
    if (found.running?.length) follow(found.running[0]);
  } catch (error) { $("said").textContent = error.message; }
  lock();
}

function follow(training) {
  name = training.training;
  lock();
  $("training").hidden = false;
  $("cancel").hidden = false;
  $("training-title").textContent = training.title;
  $("training-answer").replaceChildren();
  $("training-runs").replaceChildren();
  $("training-bar").hidden = false;
  $("training-bar").removeAttribute("value");
  say("starting");
  if (source) source.close();
  source = new EventSource(`/api/trainings/${encodeURIComponent(name)}/events`);
  source.onmessage = (message) => heard(JSON.parse(message.data));
  source.onerror = () => { say("the connection to the server was lost; finished runs are kept"); if (source.readyState === EventSource.CLOSED) release(); };
}

export function cancel() {
  if (name === null) return;
  say("stopping; results so far are used");
  ask(`/api/trainings/${encodeURIComponent(name)}`, { method: "DELETE" }).catch((error) => say(error.message));
}

// The same words again are not said again.
function say(text) { if ($("training-state").textContent !== text) $("training-state").textContent = text; }

function release() {
  const held = document.activeElement === $("cancel");
  name = null;
  $("cancel").hidden = true;
  lock();
  if (held) ($("train").disabled ? $("answer") : $("train")).focus();
}

function heard(event) {
  if (event.event === "started") say(`planning ${event.minutes} minutes`);
  if (event.event === "remark") say(event.text);
  if (event.event === "progress") {
    $("training-bar").max = event.total;
    $("training-bar").value = event.done;
    say(`${event.done} of ${event.total} runs done`);
    $("training-runs").replaceChildren(...event.running.map((run) => element("li", {}, `${run.title}, seed ${run.seed}: step ${run.step} of ${run.max_steps}`)));
  }
  if (ENDS.includes(event.event)) {
    source.close();
    $("training-bar").hidden = true;
    $("training-runs").replaceChildren();
    say({ done: event.judgement || "done", failed: event.error, cancelled: cancelled(event) }[event.event]);
    if (event.answers) $("training-answer").replaceChildren(...event.answers.map(answer));
    release();
  }
}

function cancelled(event) {
  if (event.finished === undefined) return "cancelled";
  if (!event.finished) return "cancelled before a run finished";
  return `cancelled; ${event.finished === 1 ? "the finished run is" : `the ${event.finished} finished runs are`} kept and not trained again`;
}

function answer(block) {
  const lines = block.lines.map((line) => element("div", line.says ? {} : { class: "whole-line" },
    element("dt", {}, line.label), element("dd", {}, element("strong", {}, line.says), element("span", { class: "basis soft" }, [line.basis, line.measured].filter(Boolean).join(" · ")))));
  return element("div", { class: "question" }, element("h4", {}, block.question), element("dl", { class: "lines" }, lines));
}
