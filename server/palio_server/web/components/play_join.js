/** A friend has sent a link: the free seat behind it. */

/** @import { GameItem } from "../types/wire.js" */
/** @import { Kept } from "../lib/play_keep.js" */

import { useAction } from "../lib/action.js";
import { post } from "../lib/api.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";

/** @param {{code: string, games: GameItem[], sit: (kept: Kept) => void}} props */
export function PlayJoin({ code, sit }) {
  const { run, busy, error } = useAction(() => {});
  const join = () =>
    run(async () => {
      const table = await post(`play/${encodeURIComponent(code)}/join`);
      sit({ table, request: null, made: [], match: "" });
    });
  return html`
    <section class="panel play-join" aria-labelledby="join">
      <h1 id="join">A seat is kept for you</h1>
      <p>Somebody has asked you to play. You play as a guest, unrated; the clock waits for the first move.</p>
      ${error && html`<p class="form-error" role="alert">${error}</p>`}
      <p class="play-acts"><button type="button" class="primary" disabled=${busy} onClick=${join}>Take the seat</button> <a href=${to("play")}>Play a bot instead</a></p>
    </section>
  `;
}
