/* A button with the attribute data-theme-button changes between the system's theme, light and dark. */
const themes = ["", "light", "dark"], names = ["theme: system", "theme: light", "theme: dark"];
for (const button of document.querySelectorAll("[data-theme-button]")) {
  let chosen = themes.indexOf(document.documentElement.dataset.theme ?? "");
  const show = () => {
    if (themes[chosen]) document.documentElement.dataset.theme = themes[chosen];
    else delete document.documentElement.dataset.theme;
    button.textContent = names[chosen];
  };
  button.addEventListener("click", () => {
    chosen = (chosen + 1) % themes.length;
    show();
  });
  show();
}
