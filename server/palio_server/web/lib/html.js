/**
 * What every component imports: `html` templates on preact, and its hooks.
 *
 * @template {Element} T
 * @typedef {Event & {currentTarget: T}} EventOn
 */

import { h, render } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export const html = htm.bind(h);
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
