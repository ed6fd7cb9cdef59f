"use strict";
(function () {
  var root = document.documentElement, pages = document.querySelectorAll(".page");
  root.classList.add("js");

  // Light and dark: the system's choice until the button says otherwise.
  var toggle = document.getElementById("toggle"), system = window.matchMedia("(prefers-color-scheme: dark)");
  function stored(value) {
    try {
      if (value) { localStorage.setItem("longreach-theme", value); }
      return localStorage.getItem("longreach-theme");
    } catch (error) { return null; }
  }
  function isDark() { return root.dataset.theme ? root.dataset.theme === "dark" : system.matches; }
  function label() { toggle.textContent = isDark() ? "Light" : "Dark"; toggle.title = "Switch to the " + (isDark() ? "light" : "dark") + " theme"; }
  var wanted = stored();
  if (wanted === "light" || wanted === "dark") { root.dataset.theme = wanted; }
  toggle.hidden = false;
  toggle.addEventListener("click", function () { root.dataset.theme = isDark() ? "light" : "dark"; stored(root.dataset.theme); label(); });
  system.addEventListener("change", label);
  label();

  // One page at a time: the one that holds the element named after #.
  var title = document.title;
  function route() {
    var target = document.getElementById(location.hash.slice(1));
    var page = target && target.closest(".page") || pages[0];
    pages.forEach(function (one) { one.classList.toggle("shown", one === page); });
    var name = page && page !== pages[0] && document.getElementById(page.getAttribute("aria-labelledby"));
    document.title = name ? name.textContent.trim() + " – " + title : title;
    if (target && target !== page) { target.scrollIntoView(); } else { window.scrollTo(0, 0); }
  }
  window.addEventListener("hashchange", route);
  route();

  // The filter keeps the tasks of the matrix whose name has the text and that are of the kind asked for.
  var text = document.getElementById("filter"), which = document.getElementById("which");
  function filter() {
    document.querySelectorAll(".matrix [data-task]").forEach(function (element) {
      var named = element.dataset.task.toLowerCase().indexOf(text.value.trim().toLowerCase()) >= 0;
      var flagged = !which.value || element.dataset.flags.split(" ").indexOf(which.value) >= 0;
      element.hidden = !(named && flagged);
    });
    document.querySelectorAll(".matrix tbody").forEach(function (body) { body.hidden = !body.querySelector("[data-task]:not([hidden])"); });
  }
  if (text) {
    text.addEventListener("input", filter);
    which.addEventListener("change", filter);
  }

  // The board: rows of each table by any column, those that have the words, and the runs behind a number.
  var boards = document.querySelectorAll("table.sorts"), words = document.getElementById("board-filter");
  Array.prototype.forEach.call(boards, function (board) {
    var body = board.tBodies[0], heads = board.tHead.rows[0].cells;
    Array.prototype.forEach.call(heads, function (head, column) {
      function value(row) { return row.cells[column].dataset.value; }
      head.firstElementChild.addEventListener("click", function () {
        var sign = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
        Array.prototype.forEach.call(heads, function (each) { each.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", sign < 0 ? "descending" : "ascending");
        Array.from(body.rows).sort(function (one, other) {
          var a = value(one), b = value(other);
          return sign * (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);
        }).forEach(function (row) { body.appendChild(row); });
      });
    });
    words.addEventListener("input", function () {
      var wanted = words.value.toLowerCase().split(/\s+/);
      Array.prototype.forEach.call(body.rows, function (row) {
        row.hidden = !wanted.every(function (word) { return row.dataset.words.indexOf(word) >= 0; });
      });
    });
  });
  if (boards.length) {
    var unfold = function () {
      var target = document.getElementById(location.hash.slice(1));
      if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
    };
    window.addEventListener("hashchange", unfold);
    unfold();
  }

  // Numbers of charts under the pointer.
  var box = document.createElement("div");
  box.className = "tip-box"; box.hidden = true; document.body.appendChild(box);
  document.addEventListener("pointerover", function (event) {
    var hit = event.target.closest && event.target.closest("[data-tip]");
    box.hidden = !hit;
    if (!hit) { return; }
    box.textContent = hit.dataset.tip;
    var place = hit.getBoundingClientRect(), size = box.getBoundingClientRect();
    var left = place.left + place.width / 2 - size.width / 2, above = place.top - size.height - 6;
    box.style.left = Math.max(4, Math.min(left, root.clientWidth - size.width - 4)) + "px";
    box.style.top = (above > 4 ? above : place.bottom + 6) + "px";
  });
  window.addEventListener("scroll", function () { box.hidden = true; }, { passive: true });
})();
