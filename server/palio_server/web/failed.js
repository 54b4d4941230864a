/**
 * Says that the page did not start: a module is missing or broken, or the first drawing failed. It is a script of its own,
 * without the module system, so that it runs when no module does; what it shows is hidden as soon as there is a heading.
 */

(() => {
  function say() {
    if (document.querySelector("#failed, #app h1")) return;
    const box = document.createElement("div");
    box.id = "failed";
    box.setAttribute("role", "alert");
    const sentence = document.createElement("p");
    sentence.textContent = "This page could not start: a part of it did not load, or has an error.";
    const button = document.createElement("button");
    button.textContent = "Load it again";
    button.addEventListener("click", () => location.reload());
    box.append(sentence, button);
    document.body.append(box);
  }

  /** @param {Event} event  of a script, or of a script's file */
  function hear(event) {
    if (event.target === window || event.target instanceof HTMLScriptElement) say();
  }

  addEventListener("error", hear, true); // files' errors do not bubble
  addEventListener("unhandledrejection", say);
})();
