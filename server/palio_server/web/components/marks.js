/** The shapes of a scene's marks, each drawn around (0, 0) in units of 100 a cell. */

/** @import { Mark } from "../lib/scene.js" */
/** @import { Renderable } from "../vendor/preact.js" */

import { html } from "../lib/html.js";
import { CELL, hexagon } from "../lib/scene.js";
import { Sign } from "./sign.js";

const INSET = 11; // between a block or bar and the edge of its cells

const PAWN = "M-27 35h54c1-9-8-13-14-20-4-5-6-10-7-17h-12c-1 7-3 12-7 17-6 7-15 11-14 20z";

const CHESSMEN = {
  king: "M-25 35h50v-8l-4-6c18-16 16-38-2-38-8 0-15 5-19 12-4-7-11-12-19-12-18 0-20 22-2 38l-4 6zM-4-10v-14h-8v-8h8v-8h8v8h8v8h-8v14l-4 5z",
  queen: "M-25 35h50v-8l-4-6 12-38-14 13-7-24-12 21-12-21-7 24-14-13 12 38-4 6z",
  rook: "M-27 35h54v-9l-7-8v-22l6-7v-21h-11v8h-9v-8h-12v8h-9v-8h-11v21l6 7v22l-7 8z",
  bishop: "M-27 35h54c0-8-8-11-17-13l4-8c12-10 10-30-10-42a6 6 0 1 0-8 0c-20 12-22 32-10 42l4 8c-9 2-17 5-17 13z",
  knight: "M-24 35h50c2-30 0-58-26-66l-3-8-6 9c-8 3-14 9-17 17l-11 17c-2 5 2 10 8 10l12-5c4 0 7-1 9-3 1 10-17 14-16 29z",
};

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
  stone: () => html`<circle class="body" r="46" />`,
  area: () => html`<path class="body" d="M-15 -15h30v30h-30z" />`,
  ...Object.fromEntries(Object.entries(CHESSMEN).map(([name, path]) => [name, (/** @type {{seat: number}} */ { seat }) => chessman(path, seat)])),
};

/**
 * @param {string} path
 * @param {number} seat
 */
function chessman(path, seat) {
  return html`<path class="body" d=${path} />${seat % 4 === 1 && html`<path class="sign" d="M-17 27h34" />`}`;
}

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
