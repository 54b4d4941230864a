/** At a table: until all have come, who is waited for; then the game. */

/** @import { GameItem } from "../types/wire.js" */
/** @import { Kept } from "../lib/play_keep.js" */

import { post } from "../lib/api.js";
import { useAction } from "../lib/action.js";
import { useEvery, useJson, useNow } from "../lib/hooks.js";
import { html, useRef, useState } from "../lib/html.js";
import { useLostFocus } from "../lib/lost_focus.js";
import { lost } from "../lib/play_words.js";
import { to } from "../lib/router.js";
import { useSeat } from "../lib/seated.js";
import { Failure } from "./empty.js";
import { PlayGame } from "./play_game.js";

const LOOK_MS = 1500; // between two looks at who has come

/** @param {{kept: Kept, game: GameItem, sit: (kept: Kept) => void, leave: () => void}} props */
export function PlayTable({ kept, game, sit, leave }) {
  const seat = useSeat(kept);
  const { session, status } = seat;
  if (session.stage === "refused") {
    return html`<${Failure} error=${new Error(session.refusal)} /><p class="play-acts"><button type="button" class="primary" onClick=${leave}>New match</button></p>`;
  }
  return html`
    <div class="connection" role="status" data-status=${status}>
      ${status === "lost" && html`<${Lost} why=${seat.why || session.refusal} againAt=${seat.againAt} />`}
      ${status === "elsewhere" && html`<p>This match goes on in another tab <button type="button" onClick=${seat.retake}>Play here</button></p>`}
    </div>
    ${
      session.start
        ? html`<${PlayGame} key=${session.start.match} kept=${kept} game=${game} seat=${seat} sit=${sit} leave=${leave} />`
        : html`<${Waiting} kept=${kept} leave=${leave} />`
    }
  `;
}

/** @param {{why: string, againAt: number}} props */
function Lost({ why, againAt }) {
  const now = useNow(true);
  const words = lost(why, againAt - now);
  return html`<p>${words}</p>`;
}

/** @param {{kept: Kept, leave: () => void}} props */
function Waiting({ kept, leave }) {
  const { table, token, invites, name } = kept.table;
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  useLostFocus(box);
  const { value, error, refresh } = useJson(`play/${encodeURIComponent(table)}`);
  const { run, busy, error: fault } = useAction(leave);
  const look = useRef(refresh);
  look.current = refresh;
  const again = useRef(() => look.current());
  useEvery(LOOK_MS, again.current);
  const go = () => run(() => post(`play/${encodeURIComponent(table)}/leave`, {}, token));
  const match = value?.match ?? kept.match;
  const gone = (error && "status" in error && error.status === 404) || Boolean(value?.closed);
  const waiting = (value?.waiting ?? []).filter((who) => !who.startsWith(`${name} `)); // who reads this is here
  return html`
    <section class="panel play-waiting" aria-labelledby="waiting" tabindex="-1" ref=${box}>
      <h2 id="waiting">${gone ? "This table is gone" : waiting.length ? "Waiting" : "The table is laid"}</h2>
      <div role="status">
        ${gone ? html`<p>Nobody sits here any more${value?.closed ? `: ${value.closed}` : ""}.</p>` : waiting.map((who) => html`<p key=${who}>${who} …</p>`)}
      </div>
      ${!gone && invites.map(({ code }) => html`<${InviteLink} key=${code} code=${code} />`)}
      ${fault && html`<p class="form-error" role="alert">${fault}</p>`}
      <p class="play-acts">
        ${gone ? html`<button type="button" class="primary" onClick=${leave}>New match</button>` : html`<button type="button" disabled=${busy} onClick=${go}>Leave the table</button>`}
        ${match && html`<a href=${to("match", match)}>See the match</a>`}
      </p>
    </section>
  `;
}

/** @param {{code: string}} props */
function InviteLink({ code }) {
  const [copied, setCopied] = useState(false);
  const link = new URL(to("play", "join", code), document.baseURI).href;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      setCopied(true);
    } catch (error) {
      if (!(error instanceof Error)) throw error; // without leave to write there, the link is there to be marked
    }
  };
  return html`
    <div class="invite">
      <label for=${code}>Send this link to your friend</label>
      <input id=${code} readonly value=${link} onFocus=${(/** @type {FocusEvent & {currentTarget: HTMLInputElement}} */ event) => event.currentTarget.select()} />
      <button type="button" onClick=${copy}>${copied ? "Copied" : "Copy link"}</button>
    </div>
  `;
}
