/** The page: one view at a time, chosen by the address. */

/** @import { View } from "./lib/views.js" */

import { Failure } from "./components/empty.js";
import { Footer } from "./components/frame.js";
import { KeyList } from "./components/key_list.js";
import { Later } from "./components/later.js";
import { Lost } from "./components/lost.js";
import { Masthead } from "./components/masthead.js";
import { SignIn } from "./components/sign_in.js";
import { listenForLinks } from "./lib/course_token.js";
import { loadIfNewer } from "./lib/fresh.js";
import { useJson } from "./lib/hooks.js";
import { html, render, useEffect, useRef, useState } from "./lib/html.js";
import { listen, useHere } from "./lib/navigation.js";
import { kept } from "./lib/play_keep.js";
import { signInAgain, whenDenied } from "./lib/reading.js";
import { isBare } from "./lib/routes.js";
import { loadView, VIEWS } from "./lib/views.js";

const loadOpenGame = async () => (await import("./components/open_game.js")).OpenGame;

function App() {
  const place = useHere();
  const denied = useDenied() && place.view !== "course"; // a course asks for a link of its own
  const { value: games } = useJson("games");
  const main = useRef(/** @type {HTMLElement|null} */ (null));
  const { View, error, retry } = useView(place.view);
  const bare = isBare(place.view);
  const table = place.view === "play" || place.view === "embed" ? null : kept(); // Play says it itself, a frame is another site's
  const identity = `${place.view}/${place.id}`;
  const shown = useRef(identity);
  useEffect(() => {
    if (shown.current === identity) return; // another part of what is being looked at: its place on the screen is kept
    shown.current = identity;
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true }); // a screen reader starts to read the new view
  }, [identity]);
  const skip = (/** @type {Event} */ event) => {
    event.preventDefault(); // the base is another page than this: "#main" would lead there
    main.current?.focus();
  };
  return html`
    <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    ${!bare && html`<${Masthead} here=${place} games=${games ?? []} />`}
    <main id="main" ref=${main} tabindex="-1" data-view=${place.view} data-bare=${bare ? "" : null}>
      ${denied && html`<${SignIn} />`}
      ${!denied && View && html`<${View} key=${identity} id=${place.id} rest=${place.rest} query=${place.query} games=${games ?? []} />`}
      ${!denied && error && html`<${Failure} error=${error} retry=${retry} />`}
    </main>
    <div class="open-game" role="status" data-bare=${bare ? "" : null}>
      ${table && html`<${Later} load=${loadOpenGame} props=${{ kept: table, games: games ?? [] }} silent />`}
    </div>
    ${!bare && html`<${Footer} />`}
    <${KeyList} view=${place.view} bare=${bare} />
  `;
}

/** Whether this server wants to know who reads, and the token that this tab keeps does not tell. */
function useDenied() {
  const [denied, setDenied] = useState(false);
  useEffect(() => {
    let asked = false;
    whenDenied(async () => {
      if (asked) return;
      asked = true;
      if (await signInAgain()) location.reload();
      else setDenied(true);
    });
  }, []);
  return denied;
}

/**
 * The view's component, once its modules are there.
 *
 * @param {string} view
 */
function useView(view) {
  const [found, setFound] = useState(/** @type {{view: string, View: View|null, error: Error|null}} */ ({ view: "", View: null, error: null }));
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let wanted = true;
    const loading = view in VIEWS ? loadView(view) : Promise.resolve(Lost);
    loading.then(
      (View) => wanted && setFound({ view, View, error: null }),
      () => {
        if (!wanted) return;
        setFound({ view, View: null, error: new Error("a part of the page could not be loaded; see whether the server still runs") });
        loadIfNewer();
      },
    );
    return () => {
      wanted = false;
    };
  }, [view, asked]);
  const retry = () => setAsked((count) => count + 1);
  return found.view === view ? { ...found, retry } : { View: null, error: null, retry };
}

listenForLinks();
listen();
render(html`<${App} />`, document.body.querySelector("#app") ?? document.body);
