/** Going from view to view without loading the page again: the History API, and links that are followed within the page. */

/** @import { Here } from "./router.js" */

import { useEffect, useState } from "./html.js";
import { fromHash, route } from "./router.js";
import { ROUTES } from "./routes.js";

const WENT = "palio:went"; // the address has changed, by whatever way

/** @returns {Here & {query: URLSearchParams}} */
export function here() {
  const path = location.pathname.slice(new URL(document.baseURI).pathname.length);
  return { ...route(path, ROUTES), query: new URLSearchParams(location.search) };
}

/**
 * Show the view at `address`; with `replace` the one before is not come back to.
 *
 * @param {string} address  as `to` and `asking` give it
 * @param {{replace?: boolean}} [how]
 */
export function go(address, { replace = false } = {}) {
  const url = new URL(address, document.baseURI);
  if (replace) history.replaceState(null, "", url);
  else if (url.href !== location.href) history.pushState(null, "", url);
  dispatchEvent(new Event(WENT));
}

/** Where the page is, kept up to date. Call `listen` once before. */
export function useHere() {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const look = () => setPlace(here());
    addEventListener(WENT, look);
    return () => removeEventListener(WENT, look);
  }, []);
  return place;
}

/** Follow links within the page, the browser's back and forward, and addresses of former versions. */
export function listen() {
  const former = () => {
    const address = fromHash(location.hash);
    if (address !== null) go(address, { replace: true });
  };
  former();
  addEventListener("hashchange", former);
  addEventListener("popstate", () => dispatchEvent(new Event(WENT)));
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return; // a tab or a window of its own
    if (link.target || link.hasAttribute("download") || link.getAttribute("href")?.startsWith("#")) return;
    const base = new URL(document.baseURI);
    const url = new URL(link.href);
    if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname)) return;
    if (route(url.pathname.slice(base.pathname.length), ROUTES).view === "lost") return; // no view: the API's pages, files
    event.preventDefault();
    go(link.href);
  });
}
