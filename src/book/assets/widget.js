// Adds a button to the page of another site. The button opens the booking page of a business in an iframe.
// Styles are set through element.style, so the script works on pages whose policy forbids styles.
(() => {
  "use strict";
  const script = document.currentScript;
  if (!script || window.receptionist) return;
  const base = new URL(script.src);
  const { business, position } = script.dataset;
  const texts = {
    en: { open: "Book an appointment", close: "Close", title: "Appointments" },
    fr: { open: "Prendre rendez-vous", close: "Fermer", title: "Rendez-vous" },
  };
  const given = [script.dataset.locale].find((one) => Object.hasOwn(texts, one));
  const preferred = (navigator.languages || []).map((one) => one.slice(0, 2).toLowerCase());
  const locale = given || preferred.find((one) => Object.hasOwn(texts, one)) || "en";
  const text = texts[locale];
  const side = position === "left" ? "left" : "right";

  let button, dialog, frame, before;

  const style = (element, styles) => {
    for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, "important");
  };

  const isOpen = () => Boolean(dialog) && dialog.style.display !== "none";

  const show = (shown) => {
    style(dialog, { display: shown ? "block" : "none" });
    button.textContent = shown ? text.close : text.open;
    button.setAttribute("aria-expanded", String(shown));
  };

  const open = () => {
    if (!button || isOpen()) return;
    before = document.activeElement;
    if (!dialog) {
      dialog = document.createElement("div");
      dialog.lang = locale;
      dialog.setAttribute("role", "dialog");
      dialog.setAttribute("aria-label", text.title);
      style(dialog, {
        all: "initial",
        position: "fixed",
        "z-index": "2147483647",
        bottom: "76px",
        [side]: "16px",
        width: "min(420px, calc(100vw - 32px))",
        height: "min(680px, calc(100vh - 92px))",
        "max-height": "calc(100dvh - 92px)",
        overflow: "hidden",
        "box-sizing": "border-box",
        border: "1px solid #7d867d",
        "border-radius": "12px",
        background: "Canvas",
        "box-shadow": "0 8px 32px rgb(0 0 0 / .28)",
      });
      frame = document.createElement("iframe");
      frame.title = text.title;
      frame.src = `${base.origin}/book/${encodeURIComponent(business)}/frame${given ? `?locale=${given}` : ""}`;
      style(frame, { all: "initial", display: "block", width: "100%", height: "100%", border: "0" });
      dialog.append(frame);
      button.before(dialog);
    }
    show(true);
    frame.focus();
  };

  const close = () => {
    if (!isOpen()) return;
    show(false);
    (before && before !== document.body && before.isConnected ? before : button).focus();
  };

  const add = () => {
    button = document.createElement("button");
    button.type = "button";
    button.lang = locale;
    button.textContent = text.open;
    button.setAttribute("aria-haspopup", "dialog");
    button.setAttribute("aria-expanded", "false");
    style(button, {
      all: "initial",
      position: "fixed",
      "z-index": "2147483647",
      bottom: "16px",
      [side]: "16px",
      "min-height": "48px",
      "max-width": "calc(100vw - 32px)",
      "box-sizing": "border-box",
      padding: "12px 20px",
      border: "2px solid #fff",
      "border-radius": "24px",
      background: "#0d5c4c",
      color: "#fff",
      font: "600 16px/1.3 system-ui, sans-serif",
      "text-align": "center",
      cursor: "pointer",
      "box-shadow": "0 2px 12px rgb(0 0 0 / .35)",
    });
    const outline = () => style(button, { outline: button.matches(":focus-visible") ? "3px solid #06211a" : "0" });
    button.addEventListener("focus", outline);
    button.addEventListener("blur", outline);
    button.addEventListener("click", () => (isOpen() ? close() : open()));
    document.body.append(button);
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  // This page gets no event for a key that is pressed in the iframe. The page in the iframe sends a message for Escape.
  window.addEventListener("message", (event) => {
    if (!frame || event.source !== frame.contentWindow || event.origin !== base.origin) return;
    if (event.data === "receptionist:close") close();
  });
  window.receptionist = Object.freeze({ open, close });

  if (!business) console.error("receptionist: the script needs the attribute data-business.");
  else if (document.body) add();
  else document.addEventListener("DOMContentLoaded", add);
})();
