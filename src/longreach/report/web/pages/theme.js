// Light and dark: the system's choice until the button says otherwise.
const root = document.documentElement, toggle = document.getElementById("toggle"), system = window.matchMedia("(prefers-color-scheme: dark)");

function stored(value) {
  try {
    if (value) localStorage.setItem("longreach-theme", value);
    return localStorage.getItem("longreach-theme");
  } catch (error) { return null; }
}
const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
function label() { toggle.textContent = isDark() ? "Light" : "Dark"; }

const wanted = stored();
if (wanted === "light" || wanted === "dark") root.dataset.theme = wanted;
toggle.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; stored(root.dataset.theme); label(); });
system.addEventListener("change", label);
label();
