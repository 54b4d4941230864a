/** What a scene has besides cells and pieces: goals and sockets, a fence with its gaps, ways and passes. */

/** @import { Scene } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { chip } from "../lib/chip.js";
import { arrows, fence, goals, ways } from "../lib/rim.js";
import { Shape } from "./marks.js";

/**
 * What stays as it is for a whole game.
 *
 * @param {{scene: Scene, colour: (seat: number|null) => string}} props
 */
export function Rim({ scene, colour }) {
  const wall = fence(scene);
  return html`
    ${goals(scene).map(
      ({ seat, path }) => html`
        <g key=${`goal ${seat}`} class=${`goal ${colour(seat)}`}><path class="rim" d=${path} /><path d=${path} /></g>
      `,
    )}
    ${wall && html`<path class="fence" d=${wall} /><path class=${`gap ${colour(0)}`} d=${arrows(scene)} />`}
  `;
}

/**
 * The sockets behind the goals: empty ones are dashed, the others hold a small piece.
 *
 * @param {{scene: Scene, colour: (seat: number|null) => string}} props
 */
export function Sockets({ scene, colour }) {
  return html`
    ${goals(scene).map(({ seat, sockets }) => {
      const mark = chip(scene, seat);
      return html`
        <g key=${`sockets ${seat}`} class=${`sockets ${colour(seat)}`}>
          ${sockets.map(({ x, y, full }, index) =>
            full
              ? html`<g key=${index} class="mark" transform=${`translate(${x} ${y}) scale(0.5)`}><${Shape} mark=${mark} /></g>`
              : html`<circle key=${index} cx=${x} cy=${y} r="17" />`,
          )}
        </g>
      `;
    })}
  `;
}

/**
 * Lines of one kind: ways lie below the pieces, passes above them.
 *
 * @param {{scene: Scene, kind: "pass"|"way", colour: (seat: number|null) => string}} props
 */
export function Ways({ scene, kind, colour }) {
  return html`
    ${ways(scene)
      .filter((line) => line.kind === kind && line.path)
      .map((line, index) => html`<path key=${index} class=${`line line-${kind} ${colour(line.seat)}`} d=${line.path} />`)}
  `;
}
