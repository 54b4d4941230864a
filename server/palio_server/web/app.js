/** The page: one view at a time, chosen by the address. */

import { Footer, Header } from "./components/frame.js";
import { Leaderboard } from "./components/leaderboard.js";
import { Lobby } from "./components/lobby.js";
import { Lost } from "./components/lost.js";
import { Match } from "./components/match.js";
import { Tournament } from "./components/tournament.js";
import { TournamentList } from "./components/tournament_list.js";
import { useJson } from "./lib/hooks.js";
import { html, render, useEffect, useRef, useState } from "./lib/html.js";
import { route } from "./lib/router.js";

/** The views by the first word of their addresses, and how many words may follow; the lobby's has none. */
const VIEWS = new Map(
  Object.entries({
    match: { View: Match, least: 1, most: 1 },
    leaderboard: { View: Leaderboard, least: 1, most: 1 },
    tournaments: { View: TournamentList, least: 0, most: 1 },
    tournament: { View: Tournament, least: 1, most: 3 },
  }),
);
const read = () => route(location.hash, VIEWS);

function App() {
  const [here, setHere] = useState(read);
  const { value: games } = useJson("games");
  const main = useRef(/** @type {HTMLElement|null} */ (null));
  useEffect(() => {
    let last = read();
    const follow = () => {
      const next = read();
      const same = next.view === last.view && next.id === last.id;
      last = next;
      setHere(next);
      if (same) return; // another part of what is being looked at: its place on the screen is kept
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true }); // a screen reader starts to read the new view
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const skip = (/** @type {Event} */ event) => {
    event.preventDefault(); // the hash is the page's address: "#main" would lead nowhere
    main.current?.focus();
  };
  const View = here.view === "lobby" ? Lobby : (VIEWS.get(here.view)?.View ?? Lost);
  return html`
    <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    <${Header} here=${here} games=${games ?? []} />
    <main id="main" ref=${main} tabindex="-1">
      <${View} key=${`${here.view}/${here.id}`} id=${here.id} rest=${here.rest} games=${games ?? []} />
    </main>
    <${Footer} />
  `;
}

render(html`<${App} />`, document.body.querySelector("#app") ?? document.body);
