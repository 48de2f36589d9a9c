// The page around a chapter: contents, folded code, light and dark.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = document.getElementById("theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const name = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
  dark.addEventListener("change", name);
  name();

  const all = document.getElementById("all-code");
  const folds = [...document.querySelectorAll("details.code")];
  const open = folds.filter((fold) => fold.open);
  all.addEventListener("click", () => {
    const show = all.getAttribute("aria-pressed") === "false";
    all.setAttribute("aria-pressed", show);
    all.textContent = show ? "Fold code" : "Show all code";
    for (const fold of folds) fold.open = show || open.includes(fold);
  });

  const contents = document.querySelector(".contents");
  for (const heading of document.querySelectorAll("main h2")) {
    for (const anchor of heading.querySelectorAll(".anchor-link")) anchor.remove();
    const link = document.createElement("a");
    link.href = `#${heading.id}`;
    link.textContent = heading.textContent;
    contents.append(link);
  }
  for (const anchor of document.querySelectorAll(".anchor-link")) anchor.remove();
  for (const table of document.querySelectorAll("main table")) {
    if (table.parentElement.closest(".pz, .scroll")) continue;
    const box = document.createElement("div");
    box.className = "scroll";
    table.replaceWith(box);
    box.append(table);
  }
})();
