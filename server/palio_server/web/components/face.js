/** A bot's banner, beside its name. */

import { html, useMemo } from "../lib/html.js";
import { CLOTH, face } from "../lib/face.js";

/**
 * @param {object} props
 * @param {string} props.name
 * @param {"line"|"large"} [props.size]  as high as a line of text, or as a heading of its own
 */
export function Face({ name, size = "line" }) {
  const { field, charge, division } = useMemo(() => face(name), [name]);
  return html`
    <svg class="face" data-size=${size} viewBox="0 0 24 27" aria-hidden="true">
      <path class=${`tint-${field}`} d=${CLOTH} />
      <path class=${`tint-${charge}`} d=${division} />
      <path class="rim" d=${CLOTH} />
    </svg>
  `;
}
