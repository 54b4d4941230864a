/** Taking a table, and giving one back. A tab sits at one table at a time. */

/** @import { Kept } from "./play_keep.js" */

import { ApiError, post } from "./api.js";
import { forget, keep, kept } from "./play_keep.js";

/**
 * Sit at this table; another one is left.
 *
 * @param {Kept} value
 */
export function sitDown(value) {
  const former = kept();
  if (former && former.table.table !== value.table.table) giveBack(former);
  keep(value);
}

/** Leave the table at which this tab sits, if there is one. */
export function standUp() {
  const former = kept();
  if (former) giveBack(former);
  forget();
}

/**
 * Give a table back, so that others can have its bots. One that is gone already needs nothing.
 *
 * @param {Kept} kept
 */
async function giveBack({ table: { table, token } }) {
  try {
    await post(`play/${encodeURIComponent(table)}/leave`, {}, token);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
