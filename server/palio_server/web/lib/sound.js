/** The sound of a move: a short tick, off until somebody asks for it. */

import { useEffect, useRef, useState } from "./html.js";

const KEY = "palio-sound"; // in localStorage: who wants it once wants it tomorrow
const [PITCH_HZ, LENGTH_S, LOUD] = [620, 0.05, 0.12];
const SPACING_MS = 70; // ticks of a fast match would be a buzz

/** @type {AudioContext|null} */
let context = null;

/** A tick; nothing where nobody has touched the page yet: browsers forbid it, and complain. */
function tick() {
  if (!navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  void context.resume();
  const [tone, gain, now] = [context.createOscillator(), context.createGain(), context.currentTime];
  tone.type = "triangle";
  tone.frequency.setValueAtTime(PITCH_HZ, now);
  tone.frequency.exponentialRampToValueAtTime(PITCH_HZ / 3, now + LENGTH_S);
  gain.gain.setValueAtTime(LOUD, now);
  gain.gain.exponentialRampToValueAtTime(0.001, now + LENGTH_S);
  tone.connect(gain).connect(context.destination);
  tone.start(now);
  tone.stop(now + LENGTH_S);
}

/**
 * Whether a tick is due: a ply was added or stepped on to, somebody can see it, and the last one is over.
 *
 * @param {{before: number, ply: number, hidden: boolean, since: number}} state  `since`: milliseconds since the last tick
 */
export function isDue({ before, ply, hidden, since }) {
  return ply === before + 1 && !hidden && since >= SPACING_MS;
}

/**
 * Ticks when `ply` goes on by one; whether it does, and what turns it on or off.
 *
 * @param {number} ply  that is shown
 * @returns {[boolean, () => void]}
 */
export function useSound(ply) {
  const [on, setOn] = useState(() => localStorage.getItem(KEY) === "on");
  const last = useRef({ ply, at: -Infinity });
  useEffect(() => {
    const before = last.current;
    const now = performance.now();
    const due = on && isDue({ before: before.ply, ply, hidden: document.hidden, since: now - before.at });
    last.current = { ply, at: due ? now : before.at };
    if (due) tick();
  }, [ply, on]);
  const toggle = () => {
    localStorage.setItem(KEY, on ? "off" : "on");
    if (!on) tick(); // how it sounds
    setOn(!on);
  };
  return [on, toggle];
}
