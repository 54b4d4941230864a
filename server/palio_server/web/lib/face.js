/**
 * A bot's face: a banner that its name alone decides, so that it is the same in every list and on every server.
 *
 * @typedef {{field: string, charge: string, division: string}} Face
 *   two colours by name, and the path of what the second one covers, within the cloth of `CLOTH`
 */

export const CLOTH = "M2 1.5h20v24l-5-3.4-5 3.4-5-3.4-5 3.4z"; // in a box of 24 by 27

export const FIELDS = ["brick", "lapis", "olive", "ochre", "plum", "teal", "rose", "slate"];
const CHARGES = ["cream", "ink", "cream", "ochre"]; // light ones more often: most fields are dark

export const DIVISIONS = [
  "M12 1.5h10v24l-5-3.4-5 3.4z", // per pale
  "M2 12h20v13.5l-5-3.4-5 3.4-5-3.4-5 3.4z", // per fess
  "M2 1.5l20 24-5-3.4-5 3.4-5-3.4-5 3.4z", // per bend
  "M12 1.5h10V12H12zM2 12h10v13.5l-5-3.4-5 3.4z", // quarterly
  "M2 15.2L12 6l10 9.2v7L12 13 2 22.2z", // a chevron
  "M9.5 1.5h5V9H22v5h-7.5v9.8L12 25.5l-2.5-1.7V14H2V9h7.5z", // a cross
  "M6 1.5h4v22.6L7 22.1l-1 .7zM14 1.5h4v21.3l-1-.7-3 2z", // two pales
  "M12 4l7 8-7 8-7-8z", // a lozenge
];

/**
 * @param {string} name
 * @returns {Face}
 */
export function face(name) {
  const number = hash(name);
  const field = FIELDS[number % FIELDS.length];
  const charge = CHARGES[(number >>> 6) % CHARGES.length];
  return { field, charge: charge === field ? "cream" : charge, division: DIVISIONS[(number >>> 3) % DIVISIONS.length] };
}

/**
 * FNV-1a over the name's code units, its bits mixed once more (the finalizer of MurmurHash3), for names that differ in
 * their last letter only are frequent.
 *
 * @param {string} text
 */
function hash(text) {
  let number = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) number = Math.imul(number ^ text.charCodeAt(i), 0x01000193);
  number = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  number = Math.imul(number ^ (number >>> 13), 0xc2b2ae35);
  return (number ^ (number >>> 16)) >>> 0;
}
