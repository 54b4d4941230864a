/** Places that several lines of a table share, as the server's text tables write them (tournament/standing.py). */

const EQUAL = 3; // decimals of Elo up to which two ratings are equal: computed ones differ in the last digits

/**
 * The place of each line: "1", and "2–3" for two lines of equal merit, one below the other.
 *
 * @param {(number|string|null)[]} merits  ranks, or what decides on them, in the order of the lines; null: no place
 * @returns {string[]}
 */
export function sharedPlaces(merits) {
  return merits.map((merit, index) => {
    if (merit === null) return "–";
    let [first, last] = [index, index];
    while (first > 0 && merits[first - 1] === merit) first -= 1;
    while (last < merits.length - 1 && merits[last + 1] === merit) last += 1;
    return first === last ? String(first + 1) : `${first + 1}–${last + 1}`;
  });
}

/**
 * What decides on the places of a leaderboard: provisional ratings stand below all others, and have none.
 *
 * @param {{rating: number, provisional: boolean}} leader
 */
export function ratingMerit({ rating, provisional }) {
  return provisional ? null : rating.toFixed(EQUAL);
}
