/**
 * The files that somebody wants to hand in: chosen, or dropped as files, folders or a zip.
 *
 * @typedef {{name: string, file: File}} Chosen  `name` with the folders that it lies in: "bot/search.py"
 */

import { ApiError } from "./api.js";

const MOST = 1000; // files: more is a wrong folder
const FORM_BYTES = 250_000; // that a form may have beside its files, as the server counts
const LEFT_OUT = new Set(["__pycache__", "node_modules", "__MACOSX", "venv"]);

/**
 * Whether a folder or file is of an editor's, of a system's or of a cache's making.
 *
 * @param {string} name  without folders
 */
export function isLeftOut(name) {
  return name.startsWith(".") || LEFT_OUT.has(name) || name.endsWith(".pyc");
}

/**
 * Files of a file or folder chooser.
 *
 * @param {Iterable<File>} files
 * @returns {Chosen[]}
 */
export function fromChooser(files) {
  const all = [...files].map((file) => ({ name: file.webkitRelativePath || file.name, file }));
  return bounded(all.filter(({ name, file }) => !file.webkitRelativePath || !name.split("/").some(isLeftOut)));
}

/**
 * Files and folders that were dropped. Must be called while the drop is handled. Raises ApiError.
 *
 * @param {DataTransfer} dropped
 * @returns {Promise<Chosen[]>}
 */
export async function fromDrop(dropped) {
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory)) return fromChooser(dropped.files);
  /** @type {Chosen[]} */
  const found = [];
  for (const entry of entries) if (entry) await collect(entry, "", found);
  return bounded(found);
}

/**
 * Add files to those that are there; one of the same name takes the former's place.
 *
 * @param {Chosen[]} before
 * @param {Chosen[]} more
 */
export function joined(before, more) {
  const names = new Set(more.map(({ name }) => name));
  return [...before.filter(({ name }) => !names.has(name)), ...more];
}

/**
 * Why these files need not be sent: they are more than the assignment takes. "" if they may fit.
 *
 * @param {{size: number}[]} files
 * @param {number} most  bytes
 */
export function tooLarge(files, most) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return size > most + FORM_BYTES ? `the files have ${bytes(size)} together; ${bytes(most)} are taken at most` : "";
}

/**
 * "812 bytes", "12 kB", "1.5 MB".
 *
 * @param {number} size
 */
export function bytes(size) {
  if (size < 1000) return size === 1 ? "1 byte" : `${size} bytes`;
  if (size < 999_500) return `${Math.round(size / 1000)} kB`;
  return `${Number((size / 1_000_000).toFixed(1))} MB`;
}

/**
 * @param {FileSystemEntry} entry
 * @param {string} folder  "" or "bot/"
 * @param {Chosen[]} found
 */
async function collect(entry, folder, found) {
  const name = folder + entry.name;
  if (folder && isLeftOut(entry.name)) return;
  if (isFile(entry)) {
    found.push({ name, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    bounded(found);
    return;
  }
  for (const inner of await entriesOf(/** @type {FileSystemDirectoryEntry} */ (entry))) await collect(inner, `${name}/`, found);
}

/**
 * @param {FileSystemEntry} entry
 * @returns {entry is FileSystemFileEntry}
 */
function isFile(entry) {
  return entry.isFile;
}

/**
 * All entries of a folder, which a browser tells a hundred at a time.
 *
 * @param {FileSystemDirectoryEntry} folder
 * @returns {Promise<FileSystemEntry[]>}
 */
async function entriesOf(folder) {
  const reader = folder.createReader();
  /** @type {FileSystemEntry[]} */
  const found = [];
  for (;;) {
    const more = await new Promise((/** @type {(entries: FileSystemEntry[]) => void} */ resolve, reject) => reader.readEntries(resolve, reject));
    if (!more.length) return found;
    found.push(...more);
  }
}

/** @param {Chosen[]} files */
function bounded(files) {
  if (files.length > MOST) throw new ApiError(`these are more than ${MOST} files; choose the folder with your work alone`, 0);
  return files;
}
