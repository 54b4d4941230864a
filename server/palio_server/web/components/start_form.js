/** Start a match between connected bots. */

import { ApiError, keepToken, post, token } from "../lib/api.js";
import { html, useEffect, useId, useState } from "../lib/html.js";
import { to } from "../lib/router.js";
import { Field, Options } from "./fields.js";

export function StartForm({ games, bots }) {
  const [name, setGame] = useState("");
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const [guarded, setGuarded] = useState(token() !== "");
  const form = useId();
  const game = games.find((candidate) => candidate.name === name) ?? games[0];
  const players = (bots ?? []).filter((bot) => game && bot.games.includes(game.name));

  const start = async (event) => {
    event.preventDefault();
    const data = new FormData(event.target);
    if (guarded) keepToken(String(data.get("token") ?? "").trim());
    setBusy(true);
    setError(null);
    try {
      const { match } = await post("matches", request(game, data));
      location.hash = to("match", match);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      if (failure.status === 401 || failure.status === 403) setGuarded(true);
      setError(failure.message);
    } finally {
      setBusy(false);
    }
  };
  if (!game) return html`<section class="panel"><h2>Start a match</h2><p class="quiet">Asking for the games …</p></section>`;
  return html`
    <section class="panel" aria-labelledby=${form}>
      <h2 id=${form}>Start a match</h2>
      <form class="start" onSubmit=${start} aria-labelledby=${form}>
        <${Field} label="Game">
          <select name="game" value=${game.name} onChange=${(event) => setGame(event.target.value)}>
            ${games.map(({ name: value, title }) => html`<option key=${value} value=${value}>${title}</option>`)}
          </select>
        <//>
        ${game.seats.map((seat, index) => html`<${Seat} key=${`${game.name} ${seat}`} seat=${seat} index=${index} players=${players} />`)}
        <div class="pair">
          <${Field} label="Clock" hint="base + increment">
            <input name="tc" placeholder="10+0.1" autocomplete="off" spellcheck=${false} />
          <//>
          <${Field} label="A move" hint="seconds at most">
            <input name="st" placeholder="no limit" inputmode="decimal" autocomplete="off" />
          <//>
        </div>
        <${Options} key=${game.name} game=${game} />
        ${
          guarded &&
          html`<${Field} label="Token" hint="kept in this tab only">
            <input name="token" type="password" defaultValue=${token()} autocomplete="off" />
          <//>`
        }
        <p class="form-error" role="alert">${error}</p>
        <button type="submit" class="primary" disabled=${busy}>Start</button>
      </form>
    </section>
  `;
}

function Seat({ seat, index, players }) {
  const [bot, setBot] = useState("");
  useEffect(() => {
    if (!players.some(({ name }) => name === bot)) setBot(players[index]?.name ?? "");
  }, [players.map(({ name }) => name).join(" ")]);
  return html`
    <${Field} label=${seat}>
      <select name="bot" value=${bot} onChange=${(event) => setBot(event.target.value)} required>
        ${!players.length && html`<option value="">no bot plays this game yet</option>`}
        ${players.length > 0 && !bot && html`<option value="">one more bot is needed</option>`}
        ${players.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select>
    <//>
  `;
}

/** What is posted: only what was filled in, so that the server's own defaults hold. */
function request(game, data) {
  const text = (name) => String(data.get(name) ?? "").trim();
  const options = {};
  for (const { name } of game.options) {
    if (text(`option ${name}`)) options[name] = text(`option ${name}`);
  }
  const body = { game: game.name, bots: data.getAll("bot").map(String), options };
  if (text("tc")) body.tc = text("tc");
  if (text("st")) body.st = text("st");
  if (text("opening_plies")) body.opening_plies = Number(text("opening_plies"));
  return body;
}
