/**
 * How far a race's best solution is from what is possible, in words.
 *
 * @param {number|null} cost  of the best solution so far
 * @param {number|null|undefined} bound  what no solution costs less than, where that is proven
 */
export function gap(cost, bound) {
  if (cost === null) return "";
  if (bound === null || bound === undefined) return "optimum unknown";
  if (cost <= bound) return "proven optimal";
  return bound > 0 ? `${percent(cost / bound - 1)} above the optimum` : `optimum ${bound}`;
}

/** @param {number} share */
function percent(share) {
  return share < 0.001 ? "less than 0.1 %" : `${(100 * share).toFixed(1)} %`;
}
