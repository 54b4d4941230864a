/** Moments as people say them: "5 min ago" within the hour, "14:52" today, "12 May" this year, "12 May 2025" before. */

const HOUR_MS = 3_600_000;

/**
 * @param {string} iso
 * @param {number} [now]
 */
export function when(iso, now = Date.now()) {
  const ms = now - Date.parse(iso);
  if (ms >= 0 && ms < 60_000) return "just now";
  if (ms >= 0 && ms < HOUR_MS) return `${Math.floor(ms / 60_000)} min ago`;
  return isToday(iso, now) ? time(iso) : day(iso, now);
}

/**
 * The same with the time of the day, so that two of one day differ: "14:52", "12 May, 14:52".
 *
 * @param {string} iso
 * @param {number} [now]
 */
export function moment(iso, now = Date.now()) {
  return isToday(iso, now) ? time(iso) : `${day(iso, now)}, ${time(iso)}`;
}

/**
 * "12 May", or "12 May 2025" of another year.
 *
 * @param {string|number} at
 * @param {number} [now]
 */
export function day(at, now = Date.now()) {
  const date = new Date(at);
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : "numeric";
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year });
}

/** @param {string} iso */
function time(iso) {
  return new Date(iso).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/**
 * @param {string} iso
 * @param {number} now
 */
function isToday(iso, now) {
  return new Date(iso).toDateString() === new Date(now).toDateString();
}
