/**
 * Who one is in a course: the end of a personal link, `course/NAME#TOKEN`, or a token of the staff.
 *
 * A fragment never reaches a server; it is taken out of the address at once, so that nobody reads it over a shoulder or
 * copies it with the address. A student's is kept in this browser until the sign-out, the staff's in this tab only.
 */

import { useEffect, useState } from "./html.js";
import { here } from "./navigation.js";

const KEPT = "palio-course:"; // and the course's name, in localStorage or sessionStorage
const TAKEN = "palio:course-token"; // it has changed in this tab
const MADE = /^(course|palio)_[\w-]{8,200}$/; // as the server makes them: another fragment is no token
const CHOSEN = /^[!-~]{16,128}$/; // as an operator may choose one for the staff

/** @type {Map<string, string>} */
const unkept = new Map(); // where a browser lets nothing be kept

/**
 * The token in what somebody pastes: a whole link, its end, or a token alone; "" if there is none.
 *
 * @param {string} text
 */
export function tokenIn(text) {
  const pasted = text.trim();
  const end = tokenOf(pasted.slice(pasted.indexOf("#")));
  if (end || MADE.test(pasted)) return end || pasted;
  return CHOSEN.test(pasted) && !pasted.includes("://") ? pasted : "";
}

/**
 * The token that is an address's fragment; "" if it is something else.
 *
 * @param {string} hash
 */
export function tokenOf(hash) {
  return hash.startsWith("#") && MADE.test(hash.slice(1)) ? hash.slice(1) : "";
}

/** Take the token out of the address, now and whenever a link is followed within the page. */
export function listenForLinks() {
  const take = () => {
    const { view, id } = here();
    const found = view === "course" ? tokenOf(location.hash) : "";
    if (!found) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    keepCourseToken(id, found);
  };
  take();
  addEventListener("hashchange", take);
}

/** @param {string} course */
export function courseToken(course) {
  const name = KEPT + course;
  try {
    return sessionStorage.getItem(name) ?? localStorage.getItem(name) ?? unkept.get(name) ?? "";
  } catch {
    return unkept.get(name) ?? "";
  }
}

/**
 * Keep a token, in `tab` only if that is said; "" forgets it.
 *
 * @param {string} course
 * @param {string} text
 * @param {{tab?: boolean}} [where]
 */
export function keepCourseToken(course, text, { tab = false } = {}) {
  const name = KEPT + course;
  unkept.delete(name);
  try {
    for (const store of [sessionStorage, localStorage]) store.removeItem(name);
    if (text) (tab ? sessionStorage : localStorage).setItem(name, text);
  } catch {
    if (text) unkept.set(name, text);
  }
  dispatchEvent(new Event(TAKEN));
}

/**
 * The token that is kept for a course, followed: another tab may sign out.
 *
 * @param {string} course
 */
export function useCourseToken(course) {
  const [token, setToken] = useState(() => courseToken(course));
  useEffect(() => {
    const look = () => setToken(courseToken(course));
    look();
    addEventListener(TAKEN, look);
    addEventListener("storage", look);
    return () => {
      removeEventListener(TAKEN, look);
      removeEventListener("storage", look);
    };
  }, [course]);
  return token;
}
