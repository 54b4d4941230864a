/** The focus, where the button that had it is gone: the new part of the view takes it, so that keys go on there. */

/** @import { Ref } from "../vendor/hooks.js" */

import { useEffect } from "./html.js";

/**
 * Focus `selector` within `element`, or the element itself, once `there` names what is in it and nothing else has the
 * focus; again when it names something else, which has taken the place of what had the focus.
 *
 * @param {Ref<HTMLElement|null>} element
 * @param {string} [selector]
 * @param {string} [there]  "": nothing yet
 */
export function useLostFocus(element, selector = "", there = "all") {
  useEffect(() => {
    if (!there || !isLost(document.activeElement)) return;
    const found = selector ? element.current?.querySelector(selector) : null;
    (found instanceof HTMLElement ? found : element.current)?.focus({ preventScroll: true });
  }, [there]);
}

/** @param {Element|null} active */
function isLost(active) {
  return !active || active === document.body || active.id === "main";
}
