/** The shapes of a scene's marks, each drawn around (0, 0) in units of 100 a cell. */

/** @import { Mark } from "../lib/scene.js" */
/** @import { Renderable } from "../vendor/preact.js" */

import { html } from "../lib/html.js";
import { CELL, hexagon } from "../lib/scene.js";
import { Sign } from "./sign.js";

const INSET = 11; // between a block or bar and the edge of its cells

const PAWN = "M-27 35h54c1-9-8-13-14-20-4-5-6-10-7-17h-12c-1 7-3 12-7 17-6 7-15 11-14 20z";

/** @type {Record<string, (mark: Mark & {seat: number}, width: number, height: number) => Renderable>} */
const SHAPES = {
  pawn: ({ seat }) => html`
    <path class="body" d=${PAWN} />
    <circle class="body" cy="-17" r="15" />
    ${seat % 4 === 1 && html`<path class="sign" d="M-19 26h38" />`}
    ${seat % 4 === 2 && html`<circle class="sign full" cy="-17" r="5" />`}
    ${seat % 4 === 3 && html`<path class="sign" d="M-6 -17h12M0 -23v12" />`}
  `,
  disc: ({ seat }) => html`<circle class="body" r="37" /><${Sign} seat=${seat} size=${37} />`,
  ball: ({ seat }) => html`<circle class="body ball" r="27" /><${Sign} seat=${seat} size=${24} />`,
  block: ({ seat }, width, height) => html`
    <${Box} width=${width} height=${height} inset=${INSET} radius=${13} />
    ${seat % 4 === 1 && html`<${Box} sign width=${width} height=${height} inset=${INSET + 11} radius=${6} />`}
    ${seat > 1 && html`<${Sign} seat=${seat} size=${36} />`}
  `,
  bar: ({ seat }, width, height) => html`
    <${Box} width=${width} height=${height} inset=${INSET} radius=${18} />
    ${seat % 4 === 1 && html`<${Box} sign width=${width} height=${height} inset=${INSET + 12} radius=${9} />`}
    ${seat > 1 && html`<${Sign} seat=${seat} size=${36} />`}
  `,
  hex: ({ seat }) => html`<path class="body" d=${hexagon(0, 0, 50)} /><${Sign} seat=${seat} size=${36} />`,
  wall: (_mark, width, height) => html`
    <${Box} width=${width} height=${height} inset=${2} radius=${4} />
    <path class="sign" d=${`M${-width / 2 + 14} ${height / 2 - 14}L${width / 2 - 14} ${14 - height / 2}`} />
  `,
  label: () => null,
};

/**
 * One mark. A shape that this page does not know (a newer server's) is drawn as a disc.
 *
 * @param {{mark: Mark}} props
 */
export function Shape({ mark }) {
  const draw = SHAPES[mark.shape] ?? SHAPES.disc;
  const seat = mark.seat ?? 0;
  const signed = { ...mark, seat: mark.text ? Math.min(seat, 1) : seat }; // a text stands where a sign would
  return html`
    ${draw(signed, mark.cols * CELL, mark.rows * CELL)}
    ${mark.text && html`<text class="text" y=${mark.shape === "label" ? 10 : mark.shape === "disc" ? 15 : 11}>${mark.text}</text>`}
  `;
}

/** @param {{width: number, height: number, inset: number, radius: number, sign?: boolean}} props */
function Box({ width, height, inset, radius, sign }) {
  return html`
    <rect
      class=${sign ? "sign" : "body"}
      x=${-width / 2 + inset}
      y=${-height / 2 + inset}
      width=${width - 2 * inset}
      height=${height - 2 * inset}
      rx=${radius}
    />
  `;
}
