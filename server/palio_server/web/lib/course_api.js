/**
 * A course's part of the API, asked with the token of a personal link.
 *
 * @typedef {(share: number) => void} Progress  of an upload: 0 to 1
 */

/** @import { Answer, Me, Posted, SubmissionKept } from "../types/wire.js" */
/** @import { Chosen } from "./course_files.js" */

import { ApiError, call, sentence } from "./api.js";

export class CourseApi {
  /**
   * @param {string} course
   * @param {string} token
   */
  constructor(course, token) {
    this.base = /** @type {const} */ (`courses/${encodeURIComponent(course)}`);
    this.headers = { Authorization: `Bearer ${token}` };
  }

  /**
   * @template {string} Path
   * @param {Path} path  below the course's: "", "/roster"
   * @param {AbortSignal} [signal]
   * @returns {Promise<Answer<`courses/${string}${Path}`>>}
   */
  get(path, signal) {
    return /** @type {Promise<Answer<`courses/${string}${Path}`>>} */ (call(this.base + path, { signal, headers: this.headers }));
  }

  /**
   * @template {string} Path
   * @param {Path} path
   * @param {object} [body]
   * @returns {Promise<Posted<`courses/${string}${Path}`>>}
   */
  post(path, body = {}) {
    return /** @type {Promise<Posted<`courses/${string}${Path}`>>} */ (this.send("POST", path, body));
  }

  /**
   * @param {object} body
   * @returns {Promise<Me>}
   */
  setMe(body) {
    return /** @type {Promise<Me>} */ (this.send("PUT", "/me", body));
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} body
   */
  send(method, path, body) {
    return call(this.base + path, { method, headers: { ...this.headers, "Content-Type": "application/json" }, body: JSON.stringify(body) });
  }

  /**
   * Hand in files. They are read first, so that one that has changed since it was chosen is named. Raises ApiError; its
   * code is "late" where a submission in time would be replaced, which `late` accepts.
   *
   * @param {string} assignment
   * @param {Chosen[]} files
   * @param {Progress} told
   * @param {boolean} [late]
   * @returns {Promise<SubmissionKept>}
   */
  async handIn(assignment, files, told, late = false) {
    const form = new FormData();
    for (const { name, file } of files) form.append("files", new Blob([await bytesOf(name, file)]), name);
    return /** @type {SubmissionKept} */ (await this.upload(`/assignments/${encodeURIComponent(assignment)}/submissions${late ? "?late=accept" : ""}`, form, told));
  }

  /**
   * By XMLHttpRequest, because fetch does not tell how much was sent.
   *
   * @param {string} path
   * @param {FormData} form
   * @param {Progress} told
   * @returns {Promise<unknown>}
   */
  upload(path, form, told) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", new URL(`api/${this.base}${path}`, document.baseURI));
      request.setRequestHeader("Accept", "application/json");
      request.setRequestHeader("Authorization", this.headers.Authorization);
      request.upload.onprogress = ({ loaded, total }) => told(total ? loaded / total : 0);
      request.onerror = () => reject(new ApiError("the upload did not arrive; see whether you are online, then hand in again", 0));
      request.onload = () => {
        const { status, statusText } = request;
        const body = jsonOf(request.responseText);
        if (status >= 200 && status < 300) resolve(body);
        else reject(new ApiError(sentence(body, { status, statusText }), status, body?.error?.code));
      };
      request.send(form);
    });
  }
}

/**
 * @param {string} name
 * @param {File} file
 */
async function bytesOf(name, file) {
  try {
    return await file.arrayBuffer();
  } catch {
    throw new ApiError(`${name} cannot be read, or has changed since you chose it; choose it again`, 0);
  }
}

/** @param {string} text */
function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a proxy's page
  }
}
