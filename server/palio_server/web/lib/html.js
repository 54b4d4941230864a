/**
 * What every component imports: `html` templates on preact, and its hooks.
 *
 * @template {Element} T
 * @typedef {Event & {currentTarget: T}} EventOn
 */

import { h, render } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

/**
 * Elements that htm would keep for the next time, as nothing in them changes, are made anew: see `memo.js`.
 *
 * @this {number[]}
 * @param {unknown} type
 * @param {object|null} props
 * @param {import("../vendor/preact.js").Renderable[]} children
 */
function create(type, props, ...children) {
  this[0] = 3; // htm's sign for "not static"
  return h(type, props, ...children);
}

export const html = htm.bind(create);
export { render };
export {
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "../vendor/hooks.js";
