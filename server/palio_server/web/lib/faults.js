/** The server's refusal stands at the field that it speaks of, and that field has the focus. */

import { fieldOf, fieldsOf } from "./event_request.js";
import { useEffect, useRef } from "./html.js";

/**
 * `element` is the form's reference; `wrong` the name of the field, "" if the refusal is about none; `fault` what is wrong
 * with a field.
 *
 * @param {string} error
 */
export function useFaults(error) {
  const element = useRef(/** @type {HTMLFormElement|null} */ (null));
  const wrong = error ? fieldOf(error, fieldsOf(element.current)) : "";
  useEffect(() => {
    const found = wrong ? element.current?.elements.namedItem(wrong) : null;
    const first = found instanceof RadioNodeList ? found[0] : found;
    if (first instanceof HTMLElement) first.focus();
  }, [wrong, error]);
  return { element, wrong, fault: (/** @type {string} */ name) => (wrong === name ? error : "") };
}
