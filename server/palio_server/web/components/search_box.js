/** A field that leads to bots, games, events and results by their names. On a narrow page it is a button until it is wanted. */

/** @import { EventOn } from "../lib/html.js" */
/** @import { GameItem } from "../types/wire.js" */
/** @import { Offer } from "../lib/search.js" */

import { useJson } from "../lib/hooks.js";
import { html, useId, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { go } from "../lib/navigation.js";
import { offers, results } from "../lib/search.js";

/** @type {Record<Offer["kind"], string>} */
const KINDS = { bot: "bot", game: "game", event: "event", all: "in all results" };

/** @param {{games: GameItem[], open: boolean, setOpen: (open: boolean) => void}} props  `open`: it has been asked for */
export function SearchBox({ games, open, setOpen }) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(-1);
  const field = useRef(/** @type {HTMLInputElement|null} */ (null));
  const id = useId();
  const { value: here } = useJson(open ? "bots" : null);
  const { value: absent } = useJson(open ? "bots?connected=false" : null);
  const { value: events } = useJson(open ? "tournaments?limit=100" : null);
  const found = open ? offers(text, { bots: [...(here ?? []), ...(absent ?? [])], games, events: events ?? [] }) : [];
  useLayoutEffect(() => {
    if (open) field.current?.focus(); // before the next key comes
  }, [open]);
  const leave = () => {
    setOpen(false);
    setActive(-1);
  };
  const follow = (/** @type {string} */ address) => {
    setText("");
    leave();
    field.current?.blur();
    go(address);
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      setActive((active + step + found.length + (active < 0 && step < 0 ? 1 : 0)) % found.length);
    } else if (event.key === "Escape") {
      leave();
      field.current?.blur();
    }
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (text.trim()) follow(found[active]?.address ?? results(text));
  };
  const onInput = (/** @type {EventOn<HTMLInputElement>} */ event) => {
    setText(event.currentTarget.value);
    setActive(-1);
  };
  return html`
    <form class="search" role="search" aria-label="Everything" data-open=${open ? "" : null} onSubmit=${submit}>
      <svg class="ico" viewBox="0 0 24 24" aria-hidden="true"><path d="M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM14.5 14.5L20 20" /></svg>
      <input
        ref=${field}
        type="search"
        role="combobox"
        aria-label="Search"
        aria-expanded=${found.length > 0}
        aria-controls=${`${id}l`}
        aria-autocomplete="list"
        aria-activedescendant=${active >= 0 ? `${id}o${active}` : null}
        aria-keyshortcuts="/"
        placeholder="Search"
        maxlength="200"
        autocomplete="off"
        autocapitalize="none"
        spellcheck=${false}
        value=${text}
        onFocus=${() => setOpen(true)}
        onBlur=${leave}
        onInput=${onInput}
        onKeyDown=${onKey}
      />
      <kbd aria-hidden="true">/</kbd>
      <ul class="offers" id=${`${id}l`} role="listbox" aria-label="Found" hidden=${!found.length} onPointerDown=${(/** @type {Event} */ event) => event.preventDefault()}>
        ${found.map(
          ({ kind, text: name, address }, index) => html`
            <li key=${address} id=${`${id}o${index}`} role="option" aria-selected=${index === active} onClick=${() => follow(address)}>
              <span class="offer-name">${name}</span> <small>${KINDS[kind]}</small>
            </li>
          `,
        )}
      </ul>
    </form>
  `;
}
