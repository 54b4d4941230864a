/** Addresses of the page's views: `#/`, `#/match/<id>`, `#/leaderboard/<game>`, `#/tournament/<id>`. */

/** @returns {{view: "lobby"|"match"|"leaderboard"|"tournament"|"lost", id: string}} */
export function route(hash) {
  const parts = hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decode);
  if (parts.length === 0) return { view: "lobby", id: "" };
  const [view, id = ""] = parts;
  if (parts.length === 2 && ["match", "leaderboard", "tournament"].includes(view)) return { view, id };
  return { view: "lost", id: parts.join("/") };
}

/** The address of a view. */
export function to(view, id = "") {
  return view === "lobby" ? "#/" : `#/${view}/${encodeURIComponent(id)}`;
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part; // a hand-typed "%": shown as it is, and not found
    throw error;
  }
}
