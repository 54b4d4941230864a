/** A table that may be wider than its place: it scrolls within its frame, and says so where something is out of sight. */

/** @import { Renderable } from "../vendor/preact.js" */

import { html, useEffect, useId, useRef, useState } from "../lib/html.js";

/**
 * @param {object} props
 * @param {string} [props.label]
 * @param {string} [props.labelledby]  the id of a heading, in place of a label: that of a section, which is the landmark
 * @param {Renderable} props.children
 */
export function Wide({ label, labelledby, children }) {
  const [more, setMore] = useState(false); // to the right of what is seen
  const [wide, setWide] = useState(false);
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  const id = useId();
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const look = () => {
      setWide(element.scrollWidth > element.clientWidth + 1);
      setMore(element.scrollLeft + element.clientWidth < element.scrollWidth - 1);
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild); // the table grows with what it lists
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  return html`
    <div class="wide-table" data-more=${more ? "" : null}>
      <div ref=${frame} class="scroll" role=${labelledby ? "group" : "region"} aria-label=${label} aria-labelledby=${labelledby} aria-describedby=${wide ? id : null} tabindex="0">${children}</div>
      ${wide && html`<p class="wide-hint" id=${id}>Scroll sideways for the other columns.</p>`}
    </div>
  `;
}
