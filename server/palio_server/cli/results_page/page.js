// Steps through the replays of the page. Without it, each shows its last position and its moves.
"use strict";

const PAUSE_MS = 700; // between two positions while a replay plays

for (const figure of document.querySelectorAll("figure.replay")) {
  const { parts, frames, moves } = JSON.parse(figure.querySelector("script").textContent);
  const board = figure.querySelector(".board");
  const line = figure.querySelector("figcaption");
  const slider = figure.querySelector("input");
  const last = frames.length - 1;
  let now = last;
  let timer = 0;

  const show = (place) => {
    now = Math.min(last, Math.max(0, place));
    board.innerHTML = frames[now].map((part) => parts[part]).join("");
    line.textContent = moves[now];
    slider.value = String(now);
    slider.setAttribute("aria-valuetext", moves[now]);
  };
  const play = figure.querySelector("[data-do=play]");
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  };
  const start = () => {
    if (now === last) show(0);
    play.textContent = "Stop";
    timer = setInterval(() => {
      show(now + 1);
      if (now === last) stop();
    }, PAUSE_MS);
  };
  const actions = {
    first: () => show(0),
    back: () => show(now - 1),
    on: () => show(now + 1),
    last: () => show(last),
    play: () => {},
  };
  for (const button of figure.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const playing = timer !== 0;
      stop();
      if (button === play && !playing) start();
      actions[button.dataset.do]();
    });
  }
  slider.max = String(last);
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  figure.querySelector(".controls").hidden = false;
  show(last);
}

// A link to a replay opens it.
const open = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
};
addEventListener("hashchange", open);
open();
