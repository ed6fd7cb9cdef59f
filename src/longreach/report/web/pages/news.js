// The report says when there are new results; nothing is reloaded behind the reader's back.
"use strict";
(function () {
  const stamp = document.currentScript.dataset.stamp;
  async function look() {
    try {
      const found = await (await fetch("/api/stamp")).json();
      if (found.stamp !== stamp && !document.getElementById("news")) {
        const bar = document.createElement("p"), button = document.createElement("button");
        bar.id = "news"; bar.className = "notice news"; bar.setAttribute("role", "status");
        button.type = "button"; button.textContent = "Show them";
        button.addEventListener("click", () => location.reload());
        bar.append("There are new results. ", button);
        document.querySelector("main").prepend(bar);
      }
    } catch (error) { /* the server is gone; the page stays as it is */ }
  }
  setInterval(look, 5000);
})();
