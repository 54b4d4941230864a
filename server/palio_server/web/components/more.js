/** What stands at the foot of a match: its record, pictures to share, the board as text, how to show it elsewhere. */

/** @import { GameItem } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { asking, to } from "../lib/router.js";
import { CopyButton } from "./copy_button.js";

/**
 * @param {object} props
 * @param {string} props.path  the match's identity, for an address
 * @param {boolean} props.over
 * @param {boolean} props.archived  its record is elsewhere
 * @param {string} props.text  the board that is shown
 * @param {number} props.ply  that is shown
 * @param {boolean} props.drawn  whether the game has pictures
 * @param {GameItem} [props.game]  absent: not installed here any more
 */
export function More({ path, over, archived, text, ply, drawn, game }) {
  const id = decodeURIComponent(path);
  const page = new URL(`embed/${to("match", id)}`, document.baseURI).href;
  const frame = `<iframe src="${page}" width="480" height="600" title="A match on Palio"></iframe>`;
  return html`
    <div class="more">
      ${
        over
          ? !archived && html`<${RecordLinks} path=${path} texts=${game?.texts ?? ["text"]} />`
          : html`<p>The record can be had when the match is over.</p>`
      }
      ${drawn && !archived && html`<${Share} id=${id} over=${over} ply=${ply} />`}
      <details>
        <summary>The board as text</summary>
        <div class="copied-text"><pre tabindex="0" aria-label="the board as text">${text}</pre><${CopyButton} text=${text} label="copy the board as text" /></div>
      </details>
      <details>
        <summary>Show it on another page</summary>
        <div class="copied-text"><pre tabindex="0" aria-label="the frame for another page">${frame}</pre><${CopyButton} text=${frame} label="copy the frame for another page" /></div>
      </details>
    </div>
  `;
}

const SHOWN = new Set(["text", "json"]); // by browsers; other forms are files for other programs

/** @param {{path: string, texts: string[]}} props */
function RecordLinks({ path, texts }) {
  const link = (/** @type {string} */ format) => html`<a href=${`api/matches/${path}/record?format=${format}`} download=${SHOWN.has(format) ? null : `match-${path}.${format}`}>${format === "text" ? "text" : format.toUpperCase()}</a>`;
  return html`<p>The record as ${[...texts, "json"].map((format, at) => html`${at > 0 && ", "}${link(format)}`)}</p>`;
}

/**
 * A link to the ply that is shown, and its pictures; of a match that is over all of it as an animation.
 *
 * @param {{id: string, over: boolean, ply: number}} props
 */
function Share({ id, over, ply }) {
  const link = new URL(asking(to("match", id), { ply }), document.baseURI).href;
  const picture = (/** @type {string} */ name) => asking(`${to("match", id)}/${name}`, { ply });
  const file = (/** @type {string} */ ending) => `match-${id}-${ply}.${ending}`;
  return html`
    <div class="share" role="group" aria-label="share the match">
      <${CopyButton} text=${link} label="copy a link to this ply">Copy a link to this ply</${CopyButton}>
      <a class="button" href=${picture("preview.png")} download=${file("png")}>Picture of this ply</a>
      <a class="button" href=${picture("board.svg")} download=${file("svg")}>Board as SVG</a>
      ${over && html`<a class="button" href=${`${to("match", id)}/animation.gif`} download=${`match-${id}.gif`}>Animated GIF</a>`}
    </div>
  `;
}
