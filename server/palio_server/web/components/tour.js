/** The closed line through a scene's cells. When it changes, what is new lights up and what is gone fades away. */

/** @import { Scene } from "../types/wire.js" */

import { html, useMemo, useRef } from "../lib/html.js";
import { closedLine, stepsNotIn } from "../lib/tour.js";

const LIT = 1000; // cells; of a longer line the changes would be drawn too slowly to be seen

/**
 * @param {object} props
 * @param {Scene} props.scene
 * @param {boolean} props.still  a change shows as it is, without light
 */
export function Tour({ scene: { board, path }, still }) {
  const line = useMemo(() => closedLine(board, path), [board, path]);
  const known = useRef({ line, path, change: 0, gone: "", fresh: "" });
  if (known.current.line !== line) {
    const { path: before, change } = known.current;
    const plain = still || !before?.length || !path?.length || path.length > LIT;
    known.current = {
      line,
      path,
      change: change + 1,
      gone: plain ? "" : stepsNotIn(board, before, path),
      fresh: plain ? "" : stepsNotIn(board, path, before),
    };
  }
  const { change, gone, fresh } = known.current;
  return html`
    <path class="way" d=${line} />
    ${gone && html`<path key=${`gone ${change}`} class="way-gone" d=${gone} />`}
    ${fresh && html`<path key=${`fresh ${change}`} class="way-fresh" d=${fresh} />`}
  `;
}
