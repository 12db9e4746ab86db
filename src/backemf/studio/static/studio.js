// What the server cannot do: the address, undo within a tab, and links that carry the state along.
window.studio = {
  stack() { return JSON.parse(sessionStorage.getItem("studio-undo") || "[]"); },
  keep(stack) {
    sessionStorage.setItem("studio-undo", JSON.stringify(stack.slice(-100)));
    this.mark();
  },
  // a state replaces the one before it; moves of one slider within a moment are one step of undo
  put(query, names) {
    const before = location.pathname + location.search;
    const after = location.pathname + (query ? "?" + query : "");
    if (before === after) return;
    const now = Date.now(), said = names.join();
    if (!(this.said === said && now - this.when < 1200)) this.keep([...this.stack(), before]);
    this.said = said;
    this.when = now;
    history.replaceState(history.state, "", after);
  },
  undo() {
    const stack = this.stack(), last = stack.pop();
    if (last === undefined) return;
    this.keep(stack);
    if (last === location.pathname + location.search) this.undo();
    else location.replace(last);
  },
  async copy(event) {
    const button = event.target.closest("button");
    const text = button.closest(".code").querySelector("pre").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = Object.assign(document.createElement("textarea"), { value: text });
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    const label = button.querySelector(".block") || button;
    const before = label.textContent;
    label.textContent = "Copied";
    setTimeout(() => { label.textContent = before; }, 1500);
  },
  // on a phone what is chosen stands below the catalogue
  show(place) {
    document.querySelector(place)?.scrollIntoView({ block: "nearest" });
  },
  mark() {
    const button = document.querySelector(".undo");
    if (button) button.toggleAttribute("data-empty", this.stack().length === 0);
  },
};
for (const kind of ["pointerdown", "focusin"])
  document.addEventListener(kind, (event) => {
    const link = event.target.closest && event.target.closest("a[data-page]");
    if (link) link.href = link.dataset.page + location.search;
  });
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=range]), textarea, [contenteditable]");
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === "z" && !typing) {
    event.preventDefault();
    studio.undo();
  }
});
// pages that begin with a picture load Plotly while they are set up, not when all else is there
if (["/look", "/try"].includes(location.pathname)) {
  const { imports } = JSON.parse(document.querySelector("script[type=importmap]").textContent);
  const link = { rel: "modulepreload", href: imports["nicegui-plotly"] };
  document.head.append(Object.assign(document.createElement("link"), link));
}
// Quasar keeps the field of a place for files out of the order of Tab
new MutationObserver(() => {
  for (const input of document.querySelectorAll(".q-uploader__input[tabindex='-1']")) input.tabIndex = 0;
  // a table that is wider than its area is scrolled by keyboard, too
  for (const area of document.querySelectorAll(".q-table__middle:not([tabindex])")) area.tabIndex = 0;
}).observe(document, { childList: true, subtree: true });
// Plotly is told of a picture's size once more when the picture has just been removed
window.addEventListener("unhandledrejection", (event) => {
  if (String(event.reason?.message).startsWith("Resize must be passed")) event.preventDefault();
});
