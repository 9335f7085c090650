// Written from src/client: DOCS=write node dist/test/main.js docs/client-files
// src/client/encode.ts
var DEPTH_MAX = 1e3;
var KEYS_MAX = 16;
var KEY_CHARACTERS_MAX = 64;
function encode(value, name) {
  const found = { hasMap: false };
  const fault = value === void 0 ? faultOf("must not be undefined") : faultIn(value, 0, found);
  if (fault !== null) throw new TypeError(`${placeOf(name, fault.path)}: ${fault.message}.`);
  return found.hasMap ? written(value) : JSON.stringify(value);
}
function requireText(text, name) {
  if (!/\p{Surrogate}/u.test(text)) return text;
  throw new TypeError(`${name}: has half of a surrogate pair, which UTF-8 does not have.`);
}
var faultOf = (message) => ({ path: [], message });
function faultIn(value, depth, found) {
  switch (typeof value) {
    case "object":
      return value === null ? null : faultInObject(value, depth, found);
    case "number":
      return Number.isFinite(value) ? null : faultOf(`is ${value}, which JSON does not have`);
    case "bigint":
      return hasJson(value) ? faultInJson(value, depth, found) : faultOf("is a bigint; give a number or a string");
    case "function":
    case "symbol":
      return faultOf(`is a ${typeof value}, which JSON does not have`);
    default:
      return null;
  }
}
function faultInObject(value, depth, found) {
  if (depth >= DEPTH_MAX) return faultOf("is nested too deeply, or contains itself");
  if (Array.isArray(value)) return faultInList(value, depth, found);
  if (!isPlain(value)) return faultInInstance(value, depth, found);
  return hasJson(value) ? faultInJson(value, depth, found) : faultInFields(value, depth, found);
}
function faultInInstance(value, depth, found) {
  if (isMap(value)) {
    found.hasMap = true;
    return faultInEntries(value, depth, found);
  }
  if (tagOf(value) === "[object Date]" && Number.isNaN(Number(value))) return faultOf("is an invalid date");
  if (hasJson(value) && !ArrayBuffer.isView(value)) return faultInJson(value, depth, found);
  if (value instanceof String || value instanceof Boolean || value instanceof Number) {
    return faultIn(value.valueOf(), depth + 1, found);
  }
  const isRecord2 = tagOf(value) === "[object Object]" && Object.keys(value).length > 0;
  if (isRecord2) return faultInFields(value, depth, found);
  return faultOf(`is of the class ${nameOf(value)}, whose content JSON does not have`);
}
function faultInJson(value, depth, found) {
  const json2 = value.toJSON("");
  return json2 === void 0 ? faultOf("has a toJSON() that gives undefined") : faultIn(json2, depth + 1, found);
}
function faultInFields(value, depth, found) {
  for (const key of Object.keys(value)) {
    const fault = faultIn(value[key], depth + 1, found);
    if (fault !== null) return within(fault, key);
  }
  return null;
}
function faultInList(list, depth, found) {
  for (let at = 0; at < list.length; at += 1) {
    const value = list[at];
    const fault = value === void 0 ? faultOf("must not be undefined") : faultIn(value, depth + 1, found);
    if (fault !== null) return within(fault, at);
  }
  return null;
}
function faultInEntries(map, depth, found) {
  for (const [key, value] of map) {
    if (typeof key !== "string") return faultOf(`has a key that is a ${typeof key}; keys must be strings`);
    const fault = faultIn(value, depth + 1, found);
    if (fault !== null) return within(fault, key);
  }
  return null;
}
function within(fault, key) {
  fault.path.push(key);
  return fault;
}
function written(value) {
  if (typeof value !== "object" || value === null || isRawJson(value)) return JSON.stringify(value);
  if (isMap(value)) return writtenObject([...value]);
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  if (hasJson(value)) return written(value.toJSON(""));
  return isPlain(value) || tagOf(value) === "[object Object]" ? writtenObject(Object.entries(value)) : JSON.stringify(value);
}
var writtenObject = (entries) => `{${entries.filter(([, value]) => value !== void 0).map(([key, value]) => `${JSON.stringify(key)}:${written(value)}`).join()}}`;
var hasJson = (value) => typeof value.toJSON === "function";
var isRawJson = (value) => JSON.isRawJSON?.(value) === true;
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
var isMap = (value) => value instanceof Map || tagOf(value) === "[object Map]";
var tagOf = (value) => Object.prototype.toString.call(value);
function nameOf(value) {
  const name = value.constructor?.name;
  return typeof name === "string" && name !== "" ? name : tagOf(value).slice("[object ".length, -1);
}
function placeOf(name, path) {
  const keys = path.reverse().map((key) => typeof key === "number" ? `[${key}]` : `.${shown(key)}`);
  const more = keys.length > KEYS_MAX ? "…" : "";
  return `${name}${keys.slice(0, KEYS_MAX).join("")}${more}`.replace(/^\./, "") || "value";
}
function shown(key) {
  const short = key.length > KEY_CHARACTERS_MAX ? `${key.slice(0, KEY_CHARACTERS_MAX - 1)}…` : key;
  return /^[\w-]+…?$/.test(short) ? short : JSON.stringify(short);
}

// src/client/label-order.ts
var INDEX_MAX = 2 ** 32 - 2;
var isIndex = (key) => /^(0|[1-9]\d{0,9})$/.test(key) && Number(key) <= INDEX_MAX;
function requireLabelOrder(criteria, name) {
  if (typeof criteria !== "object" || criteria === null) return;
  if (Array.isArray(criteria) || isMap(criteria)) return;
  const labels = Object.keys(criteria);
  const [first] = labels;
  if (labels.length < 2 || first === void 0 || !isIndex(first)) return;
  throw new TypeError(
    `${name}: JavaScript changes the order of labels that are whole numbers, such as "${first}". Give a list of labels, or a Map of label to description.`
  );
}
function requireLabelOrders(questions, name) {
  if (typeof questions !== "object" || questions === null) return;
  for (const [key, question] of isMap(questions) ? questions : Object.entries(questions)) {
    if (typeof question !== "object" || question === null || question.type !== "choice") continue;
    requireLabelOrder(question.criteria, `${name}.${key}.criteria`);
  }
}

// src/client/ask-builders.ts
function noul(instructions, criteria) {
  return { type: "noul", ...given(instructions), ...criteria !== void 0 && { criteria } };
}
function choice(instructions, criteria) {
  requireLabelOrder(criteria, "criteria");
  return { type: "choice", ...given(instructions), criteria };
}
function score(instructions, criteria) {
  return { type: "score", ...given(instructions), criteria };
}
var given = (instructions) => instructions === void 0 || instructions === null ? {} : { instructions };

// src/client/argument-checks.ts
function requireFields(value, name) {
  if (typeof value === "object" && value !== null && !(Symbol.iterator in value)) return;
  throw new TypeError(`${name}: must be an object with fields.`);
}
function requireList(value, name) {
  const isList = typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value) && !ArrayBuffer.isView(value);
  if (!isList) throw new TypeError(`${name}: must be a list, a generator or another iterable object.`);
}

// src/client/client-error.ts
var DeciderError = class _DeciderError extends Error {
  constructor(type, message, facts = {}) {
    super(message, "cause" in facts ? { cause: facts.cause } : void 0);
    this.type = type;
    this.status = facts.status ?? null;
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
    this.lines = facts.lines ?? [];
    this.invalidLines = facts.invalidLines ?? this.lines.length;
    this.questions = facts.questions ?? {};
    this.field = facts.field ?? null;
    this.outcomeUnknown = facts.outcomeUnknown ?? false;
    this.isTemporary = facts.isTemporary ?? false;
  }
  type;
  name = "DeciderError";
  /** The status of the response; null if there was none. */
  status;
  /** The id of the call in the log of the server. */
  requestId;
  /** What the server asks to wait. */
  retryAfterSeconds;
  /** The invalid lines of a batch file, or the invalid labels, as far as the response lists them. */
  lines;
  /** The number of all invalid lines. */
  invalidLines;
  /** Of `too_few_labels`: what each question has and needs. */
  questions;
  /** The field of the request that is wrong; null if the response names none. */
  field;
  /** Whether the server may have done, and charged, what was asked. */
  outcomeUnknown;
  /** Whether the same call may succeed later. */
  isTemporary;
  /** The same error, if the lines that were sent follow as many others. */
  after(lines) {
    const moved = this.lines.map((each) => ({ ...each, line: each.line + lines }));
    return new _DeciderError(this.type, this.message, { ...this, cause: this.cause, lines: moved });
  }
};

// src/client/until-aborted.ts
async function* untilAborted(values, signal) {
  const iterator = Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
  let ended = false;
  try {
    for (; ; ) {
      const { done, value } = await orAborted(Promise.resolve(iterator.next()), signal);
      ended = done === true;
      if (ended) return;
      yield value;
    }
  } finally {
    if (!ended) Promise.resolve(iterator.return?.()).catch(() => {
    });
  }
}
function orAborted(value, signal) {
  if (signal === void 0) return value;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

// src/client/image-sources.ts
var INLINE_IMAGE_BYTES_MAX = 64 * 1024;
async function readImages(images) {
  requireFields(images, "images");
  const entries = Object.entries(images);
  return Promise.all(entries.map(async ([reference, source]) => readImage(reference, await source)));
}
async function readImage(reference, source) {
  const file = source instanceof Blob ? source : new Blob([source]);
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const starts = (...bytes) => bytes.every((byte, at) => head[at] === byte);
  if (starts(137, 80, 78, 71)) return { reference, format: "png", file };
  if (starts(255, 216, 255)) return { reference, format: "jpeg", file };
  throw new DeciderError("unsupported_image_format", `Image "${reference}" is neither PNG nor JPEG.`);
}
async function inlineAssets(images) {
  const assets = images.map(async ({ reference, format, file }) => {
    const data_base64 = base64(new Uint8Array(await file.arrayBuffer()));
    return [reference, { format, data_base64 }];
  });
  return Object.fromEntries(await Promise.all(assets));
}
async function encodedLine(line, name, signal) {
  requireFields(line, name);
  const { images, ...rest } = line;
  requireLabelOrders(rest.questions, `${name}.questions`);
  if (images === void 0) return encode(rest, name);
  const assets = async () => inlineAssets(await readImages(images));
  return encode({ ...rest, assets: await orAborted(assets(), signal) }, name);
}
function formOf(request, images) {
  const parts = images.map(
    ({ reference, format }, at) => [reference, { format, part: `image-${at}` }]
  );
  const form = new FormData();
  form.append("request", encode({ ...request, assets: Object.fromEntries(parts) }, ""));
  images.forEach(({ file }, at) => {
    form.append(`image-${at}`, file);
  });
  return form;
}
var BASE64_PIECE_BYTES = 3 * 8192;
function base64(bytes) {
  const pieces = [];
  for (let from = 0; from < bytes.length; from += BASE64_PIECE_BYTES) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + BASE64_PIECE_BYTES))));
  }
  return pieces.join("");
}

// src/client/batch-lines.ts
var BATCH_FILE_BYTES_MAX = 32 * 1024 * 1024;
var BATCH_LINES_MAX = 5e4;
async function fileOfBatch(lines, signal) {
  if (typeof lines === "string" || lines instanceof Uint8Array || lines instanceof Blob) {
    const file = lines instanceof Blob ? lines : new Blob([contentOf(lines)]);
    if (file.size > BATCH_FILE_BYTES_MAX) throw tooLarge();
    return file;
  }
  requireList(lines, "lines");
  const encoder2 = new TextEncoder();
  const pieces = [];
  let bytes = 0;
  for await (const line of untilAborted(lines, signal)) {
    const piece = encoder2.encode(`${await encodedLine(line, `lines[${pieces.length}]`, signal)}
`);
    bytes += piece.byteLength;
    if (bytes > BATCH_FILE_BYTES_MAX) throw tooLarge();
    if (pieces.push(piece) > BATCH_LINES_MAX) {
      throw new DeciderError("too_many_lines", `The batch has more than ${BATCH_LINES_MAX} lines.`);
    }
  }
  return new Blob(pieces);
}
var contentOf = (file) => typeof file === "string" ? requireText(file, "lines") : file;
var tooLarge = () => new DeciderError("body_too_large", `The batch has more than ${BATCH_FILE_BYTES_MAX} bytes.`);

// src/client/client-runtime.ts
var KEY_BYTES = 16;
var systemRuntime = {
  // Looked up at each call, so that a program can replace it.
  fetch: (input, init) => globalThis.fetch(input, init),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  // `crypto.randomUUID` exists only on pages with TLS and on this machine.
  newKey: () => [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
};
function pause(runtime, ms, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = runtime.after(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

// src/client/number-options.ts
var TIMER_MS_MAX = 2 ** 31 - 1;
function requireMilliseconds(option, value, least) {
  if (value >= least && value <= TIMER_MS_MAX) return;
  throw new TypeError(`${option}: must be a number of milliseconds from ${least} to ${TIMER_MS_MAX}.`);
}
function requireCount(option, value) {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new TypeError(`${option}: must be a whole number from 0.`);
}

// src/client/failed-fetch.ts
var CAUSES_MAX = 8;
var BEFORE = /* @__PURE__ */ new Set(["connect", "getaddrinfo"]);
var NOT_CONNECTED = /^(UND_ERR_CONNECT_TIMEOUT|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+)$/;
function failedFetch(error, url) {
  const faults = faultsOf(error);
  const code = faults.map((fault) => fault.code).findLast((each) => typeof each === "string");
  const named = typeof code === "string" ? ` (${code})` : "";
  const refused = faults.some(({ syscall }) => BEFORE.has(syscall));
  if (refused || faults.some(isBeforeRequest)) {
    const message = `${url.origin} cannot be reached${named}; nothing was sent.`;
    return new DeciderError("unreachable", message, {
      isTemporary: refused || isTimeout(code),
      cause: error
    });
  }
  return lostConnection(error, `The connection to ${url.origin} failed${named} before the response.`);
}
var lostConnection = (error, message) => new DeciderError("connection_lost", message, { outcomeUnknown: true, isTemporary: true, cause: error });
var isTimeout = (code) => code === "UND_ERR_CONNECT_TIMEOUT";
var isBeforeRequest = ({ code, message }) => typeof code === "string" && NOT_CONNECTED.test(code) || message === "bad port";
function faultsOf(error) {
  const faults = [];
  let inner = error;
  while (typeof inner === "object" && inner !== null && faults.length < CAUSES_MAX) {
    const fault = inner;
    faults.push(fault);
    inner = fault.cause ?? (Array.isArray(fault.errors) ? fault.errors[0] : void 0);
  }
  return faults;
}

// src/client/repeat-rules.ts
var RETRY_AFTER_SECONDS_MAX = 60;
var USUAL_WAIT_MS = 1e3;
var FIRST_WAIT_MS = 500;
var WAIT_MS_MAX = 8e3;
var SPREAD = 0.25;
function waitBeforeRetry(error, repeatable, attempts, random) {
  if (!(error instanceof DeciderError) || !error.isTemporary) return null;
  if (error.outcomeUnknown && repeatable !== "always") return null;
  const { retryAfterSeconds, status } = error;
  if (retryAfterSeconds !== null && retryAfterSeconds > RETRY_AFTER_SECONDS_MAX) return null;
  return baseWait(retryAfterSeconds, status, attempts) * (1 + SPREAD * random);
}
function baseWait(retryAfterSeconds, status, attempts) {
  if (retryAfterSeconds !== null) return retryAfterSeconds * 1e3;
  if (status === 408 || status === 429 || status === 503) return USUAL_WAIT_MS;
  return Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), WAIT_MS_MAX);
}

// src/client/response-body.ts
async function* piecesOf(response) {
  if (response.body === null) return;
  const reader = response.body.getReader();
  let ended = false;
  try {
    for (; ; ) {
      const { done, value } = await reader.read();
      ended = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!ended) reader.cancel().catch(() => {
    });
  }
}
async function readText(response, max) {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of piecesOf(response)) {
    bytes += piece.byteLength;
    if (bytes > max) throw new RangeError(`The response has more than ${max} bytes.`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

// src/client/result-stream.ts
var RESULT_BYTES_MAX = 64 * 1024 * 1024;
var LINE_FEED = 10;
async function* streamLines(calls, call, count) {
  let given2 = 0;
  let last = "";
  for (let failures = 0; ; ) {
    const before = given2;
    try {
      const opened = await calls.open(call);
      let at = 0;
      for await (const line of linesOf(opened)) {
        at += 1;
        if (at === given2 && line !== last) throw changed();
        if (at <= given2) continue;
        [given2, last] = [at, line];
        yield line;
      }
      if (at >= Math.max(given2, await count() ?? 0)) return;
      throw lostConnection(null, `The response ended after ${at} lines.`);
    } catch (error) {
      failures = given2 > before ? 1 : failures + 1;
      const wait = waitBeforeRetry(error, call.repeatable, failures, calls.runtime.random());
      if (wait === null || failures > calls.retries) throw error;
      await pause(calls.runtime, wait, call.signal);
    }
  }
}
var changed = () => new DeciderError("invalid_response", "The results have changed since the connection was lost.");
async function* linesOf({ response, deadline, failure }) {
  const pieces = timed(piecesOf(response), deadline);
  const begun = [];
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      let from = 0;
      for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, from)) {
        const line = textOf([...begun.splice(0), piece.subarray(from, end)]);
        [from, bytes] = [end + 1, 0];
        if (line.trim() !== "") yield line;
      }
      bytes += piece.byteLength - from;
      begun.push(piece.subarray(from));
      if (bytes > RESULT_BYTES_MAX) throw new RangeError(`A line has more than ${RESULT_BYTES_MAX} bytes.`);
    }
    const rest = textOf(begun);
    if (rest.trim() !== "") {
      JSON.parse(rest);
      yield rest;
    }
  } catch (error) {
    throw failure(error);
  } finally {
    deadline.end();
  }
}
async function* timed(pieces, deadline) {
  try {
    for (; ; ) {
      deadline.extend();
      const { done, value } = await pieces.next();
      deadline.hold();
      if (done) return;
      yield value;
    }
  } finally {
    await pieces.return();
  }
}
function textOf(parts) {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}

// src/client/batch-calls.ts
var PAGE_BATCHES = 100;
var POLL_MS = 1e3;
var POLL_MS_MAX = 3e4;
var RETRY_AFTER_MS_MAX = 60 * 6e4;
var PATIENCE_MS = 10 * 6e4;
var BatchCalls = class {
  constructor(calls) {
    this.calls = calls;
  }
  calls;
  /** Submits a batch. It is stored when this resolves. */
  async submit(lines, options = {}) {
    const { idempotencyKey = this.calls.runtime.newKey(), webhook, signal } = options;
    const headers = {
      "content-type": "application/jsonl",
      "idempotency-key": idempotencyKey,
      ...webhook !== void 0 && { "service-webhook-url": webhook }
    };
    const body = await fileOfBatch(lines, signal);
    return this.json({ path: "", method: "POST", headers, body, signal });
  }
  show(id, { signal } = {}) {
    return this.json({ path: `/${encodeURIComponent(id)}`, signal });
  }
  /** Cancels a batch. Lines in progress are still answered. */
  cancel(id, { signal } = {}) {
    return this.json({ path: `/${encodeURIComponent(id)}/cancel`, method: "POST", signal });
  }
  /** All batches of the key, oldest first. */
  async *list({ signal } = {}) {
    let after;
    for (let more = true; more; ) {
      const query = new URLSearchParams({ limit: String(PAGE_BATCHES), ...after && { after } });
      const page = await this.json({ path: `?${query}`, has: "data", signal });
      if (!Array.isArray(page.data))
        throw new DeciderError("invalid_response", "The list of batches is not what this interface sends.");
      yield* page.data;
      after = page.data.at(-1)?.id;
      more = page.has_more === true && after !== void 0;
    }
  }
  /**
   * Resolves when the results of a batch can be collected. Goes on while the server is away, for ten minutes from the first
   * failed look on; waits of more than 30 s that the server asks for do not count. Rejects with TypeError for an interval
   * that cannot be used.
   */
  async wait(id, options = {}) {
    const { onProgress, pollMs = POLL_MS, signal } = options;
    requireMilliseconds("pollMs", pollMs, 0);
    const { runtime } = this.calls;
    let awaySince = null;
    for (let wait = pollMs; ; ) {
      try {
        const batch = await this.show(id, { signal });
        [wait, awaySince] = [pollMs, null];
        onProgress?.(batch);
        if (batch.results_available) return batch;
      } catch (error) {
        const now = runtime.monotonic();
        awaySince ??= now;
        const isAway = error instanceof DeciderError && error.isTemporary;
        if (!isAway || now - awaySince > PATIENCE_MS) throw error;
        const asked = Math.min((error.retryAfterSeconds ?? 0) * 1e3, RETRY_AFTER_MS_MAX);
        wait = Math.max(Math.min(Math.max(wait * 2, POLL_MS), POLL_MS_MAX), asked);
        awaySince += wait - Math.min(wait, POLL_MS_MAX);
      }
      await pause(runtime, wait, signal);
    }
  }
  /** The results of a finished batch in the order of its lines, as they arrive. */
  async *results(batch, options = {}) {
    for await (const line of this.resultLines(batch, options)) yield resultOf(line);
  }
  /** As `results`: each as the text that the server sends, without its line feed. */
  resultLines(batch, { signal } = {}) {
    const id = typeof batch === "string" ? batch : batch.id;
    const count = async () => typeof batch === "string" ? this.lineCount(id, signal) : batch.lines;
    const path = `v1/batches/${encodeURIComponent(id)}/results`;
    return streamLines(this.calls, { path, repeatable: "always", signal }, count);
  }
  /**
   * Submits a batch, waits for it, and returns its results as they arrive. Leaving the loop, or aborting the signal, does
   * not cancel the batch.
   */
  async *run(lines, options = {}) {
    const { id } = await this.submit(lines, options);
    yield* this.results(await this.wait(id, options), options);
  }
  /** The lines of a batch; null if the server does not say, because the batch was deleted meanwhile, for example. */
  async lineCount(id, signal) {
    try {
      return (await this.show(id, { signal })).lines;
    } catch (error) {
      const isAway = !(error instanceof DeciderError) || error.isTemporary;
      if (isAway && error.type !== "invalid_response") throw error;
      return null;
    }
  }
  async json({ path, ...call }) {
    const whole = { has: "id", ...call, path: `v1/batches${path}`, repeatable: "always" };
    return (await this.calls.json(whole)).body;
  }
};
function resultOf(line) {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new DeciderError("invalid_response", "A result is not JSON.", { cause });
  }
}

// src/client/decide-body.ts
function bodyOfDecide(request, signal) {
  return orAborted(bodyOf(request), signal);
}
async function bodyOf(whole) {
  requireFields(whole, "request");
  const { images, ...request } = whole;
  requireLabelOrders(request.questions, "questions");
  if (images === void 0) return json(request);
  const read = await readImages(images);
  const bytes = read.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes > INLINE_IMAGE_BYTES_MAX) return { body: formOf(request, read), headers: {} };
  return json({ ...request, assets: await inlineAssets(read) });
}
var json = (value) => ({
  body: encode(value, ""),
  headers: { "content-type": "application/json" }
});

// src/client/attempt-deadline.ts
var AttemptDeadline = class {
  constructor(runtime, timeoutMs, outer) {
    this.runtime = runtime;
    this.timeoutMs = timeoutMs;
    this.outer = outer;
    if (outer?.aborted) this.onAbort();
    else outer?.addEventListener("abort", this.onAbort, { once: true });
    this.extend();
  }
  runtime;
  timeoutMs;
  outer;
  control = new AbortController();
  onAbort = () => this.control.abort(this.outer?.reason);
  cancel = () => {
  };
  /** Whether the time limit has passed. */
  timedOut = false;
  get signal() {
    return this.control.signal;
  }
  /** Begins the time limit again. */
  extend() {
    this.cancel();
    this.cancel = this.runtime.after(this.timeoutMs, () => {
      this.timedOut = true;
      this.control.abort();
    });
  }
  /** Stops the time limit until `extend`: the client waits for its own caller, not for the server. */
  hold() {
    this.cancel();
  }
  /** The attempt is over. */
  end() {
    this.cancel();
    this.outer?.removeEventListener("abort", this.onAbort);
  }
};

// src/client/error-response.ts
var ERROR_BYTES_MAX = 1024 * 1024;
var TEMPORARY = /* @__PURE__ */ new Set([408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);
var UNKNOWN_OUTCOME = /* @__PURE__ */ new Set([502, 504]);
var FAULT_STATUS_MIN = 500;
var isTemporaryStatus = (status) => TEMPORARY.has(status);
async function errorOfResponse(response, now) {
  const { status, headers } = response;
  const { error, type, errors, invalid_lines, questions, field } = ownForm(await readBody(response));
  const isOwn = typeof error === "string" && typeof type === "string";
  const facts = {
    status,
    requestId: headers.get("x-request-id"),
    retryAfterSeconds: readRetryAfter(headers.get("retry-after"), now),
    outcomeUnknown: UNKNOWN_OUTCOME.has(status) || !isOwn && status >= FAULT_STATUS_MIN,
    isTemporary: isTemporaryStatus(status) && headers.get("x-should-retry") !== "false"
  };
  if (!isOwn) return new DeciderError("unknown", messageOf(response), facts);
  return new DeciderError(type, error, {
    ...facts,
    ...Array.isArray(errors) && { lines: errors.filter(isLineError) },
    ...typeof invalid_lines === "number" && { invalidLines: invalid_lines },
    ...isRecord(questions) && { questions: countsOf(questions) },
    ...typeof field === "string" && { field }
  });
}
function ownForm(body) {
  if (!isRecord(body.error)) return body;
  const { message, code, param } = body.error;
  return { error: message, type: code, field: param };
}
function messageOf({ status, type }) {
  if (type === "opaqueredirect" || status >= 300 && status < 400) {
    return "The response is a redirect, which is not followed. Use the address that it leads to.";
  }
  return `The server, or a proxy before it, answered with status ${status}.`;
}
async function readBody(response) {
  try {
    const value = JSON.parse(await readText(response, ERROR_BYTES_MAX));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
var isRecord = (value) => typeof value === "object" && value !== null;
var isLineError = (value) => isRecord(value) && typeof value.line === "number" && typeof value.type === "string" && typeof value.error === "string";
function countsOf(questions) {
  const isCount = (value) => isRecord(value) && typeof value.labels === "number" && typeof value.needed === "number";
  return Object.fromEntries(Object.entries(questions).filter(([, value]) => isCount(value)));
}
var DATE = /^[A-Z][a-z]+, /;
var ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
function readRetryAfter(value, now) {
  if (value === null) return null;
  if (/^\s*\d+\s*$/.test(value)) return Number(value);
  const date = dateOf(value.trim());
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1e3);
}
function dateOf(value) {
  if (ASCTIME.test(value)) return Date.parse(`${value} GMT`);
  return DATE.test(value) ? Date.parse(value) : Number.NaN;
}

// src/client/time-limit.ts
var TRANSFER_MS = 9e4;
var ENGINE_MS = 6e4;
var PROMPTS_AT_ONCE = 16;
function usualTimeLimit(prompts) {
  const limits = Math.max(1, Math.ceil(prompts / PROMPTS_AT_ONCE) || 1);
  return Math.min(TRANSFER_MS + ENGINE_MS * limits, TIMER_MS_MAX);
}

// src/client/http-calls.ts
var RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
var RETRIES = 2;
var HttpCalls = class {
  /** Throws TypeError for settings that cannot be used. The address and the token are not quoted: both may be secret. */
  constructor({ url, token, retries = RETRIES, timeoutMs }, runtime) {
    this.runtime = runtime;
    const base = URL.canParse(url) ? new URL(url) : null;
    if (base === null || !/^https?:$/.test(base.protocol))
      throw new TypeError("url: not an http or https URL.");
    if (base.username !== "" || base.password !== "")
      throw new TypeError("url: must not have a user or a password.");
    if (token !== null && !/^[\x21-\x7e]+$/.test(token)) {
      throw new TypeError("token: must be printable ASCII characters without spaces.");
    }
    requireCount("retries", retries);
    if (timeoutMs !== void 0) requireMilliseconds("timeoutMs", timeoutMs, 1);
    this.base = new URL(base.pathname.replace(/\/*$/, "/"), base);
    this.#token = token;
    this.retries = retries;
    this.timeoutMs = timeoutMs;
  }
  runtime;
  #token;
  base;
  retries;
  timeoutMs;
  /** Sends a call until it is answered or must not be sent again, and reads the response as JSON. */
  async json(call) {
    return this.repeat(call, async (attempts) => {
      const { response, deadline, failure } = await this.open(call);
      try {
        const body = parsed(await readText(response, RESPONSE_BYTES_MAX), call.has);
        const { headers } = response;
        return { body, info: { requestId: headers.get("x-request-id"), headers, attempts } };
      } catch (error) {
        throw failure(error);
      } finally {
        deadline.end();
      }
    });
  }
  /** Sends a call once. The deadline stays until the caller has read the body and ended it. */
  async open(call) {
    const { path, signal, prompts = 1 } = call;
    signal?.throwIfAborted();
    const url = new URL(path, this.base);
    const timeoutMs = this.timeoutMs ?? usualTimeLimit(prompts);
    const deadline = new AttemptDeadline(this.runtime, timeoutMs, signal);
    const failure = (error, otherwise = brokenBody) => {
      if (signal?.aborted) return signal.reason;
      return deadline.timedOut ? timeout(timeoutMs, error) : otherwise(error, url);
    };
    try {
      const response = await this.runtime.fetch(url, this.initOf(call, deadline.signal)).catch((error) => Promise.reject(failure(error, failedFetch)));
      if (response.ok) return { response, deadline, failure };
      const refusal = await errorOfResponse(response, this.runtime.now());
      throw signal?.aborted ? signal.reason : refusal;
    } catch (error) {
      deadline.end();
      throw error;
    }
  }
  /** Runs `attempt`, again after a failure if the call may be sent again. */
  async repeat({ repeatable, signal }, attempt) {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt(attempts);
      } catch (error) {
        const wait = waitBeforeRetry(error, repeatable, attempts, this.runtime.random());
        if (wait === null || attempts > this.retries) throw error;
        await pause(this.runtime, wait, signal);
      }
    }
  }
  initOf({ method = "GET", body, headers }, signal) {
    return {
      method,
      // Throws TypeError for a value that a header cannot have: before `fetch`, whose own errors concern the connection.
      headers: new Headers({
        ...headers,
        ...this.#token !== null && { authorization: `Bearer ${this.#token}` }
      }),
      ...body !== void 0 && { body },
      signal,
      credentials: "omit",
      // Only the types of browsers have this field.
      ...{ cache: "no-store" },
      // A redirect could lead a token or a decision somewhere else.
      redirect: "manual"
    };
  }
};
function parsed(text, field) {
  const value = JSON.parse(text);
  const fits = field === void 0 || typeof value === "object" && value !== null && Object.hasOwn(value, field);
  if (!fits) throw new SyntaxError(`The response has no field ${field}.`);
  return value;
}
var timeout = (ms, cause) => new DeciderError("timeout", `The response did not come within ${ms / 1e3} seconds.`, {
  outcomeUnknown: true,
  isTemporary: true,
  cause
});
function brokenBody(error, url) {
  if (error instanceof SyntaxError || error instanceof RangeError) {
    const message = `The response of ${url.origin} is not what this interface sends.`;
    return new DeciderError("invalid_response", message, {
      outcomeUnknown: true,
      isTemporary: true,
      cause: error
    });
  }
  return lostConnection(error, `The connection to ${url.origin} was lost within the response.`);
}

// src/client/label-pieces.ts
var LABEL_BYTES_MAX = 4 * 1024 * 1024;
var LABEL_LINES_MAX = 1e3;
var LABEL_STATES_MAX = 25;
var TASK_QUESTIONS_MAX = 16;
var LabelRoom = class {
  lines = 0;
  states = 0;
  bytes = 0;
  /** Adds a line, if the call has room for it. `bytes`: of the line with its end. */
  add(bytes, hasState2) {
    const states = this.states + Number(hasState2);
    const fits = this.bytes + bytes <= LABEL_BYTES_MAX && this.lines < LABEL_LINES_MAX && states <= LABEL_STATES_MAX;
    if (!fits) return false;
    this.bytes += bytes;
    this.lines += 1;
    this.states = states;
    return true;
  }
};
async function* linesOfLabels(labels, signal) {
  requireList(labels, "labels");
  let taken = 0;
  for await (const label of untilAborted(labels, signal)) {
    yield await encodedLine(label, `labels[${taken}]`, signal);
    taken += 1;
  }
}
async function* labelPieces(lines, signal) {
  requireList(lines, "lines");
  let [body, taken, room] = ["", 0, new LabelRoom()];
  const piece = () => ({ body, lines: room.lines, states: room.states });
  for await (const line of untilAborted(lines, signal)) {
    if (typeof line !== "string") throw new TypeError(`lines[${taken}]: must be a string of JSON.`);
    const size = bytesOf(requireText(line, `lines[${taken}]`)) + 1;
    taken += 1;
    if (size > LABEL_BYTES_MAX)
      throw new DeciderError("body_too_large", `Label ${taken} has more than ${LABEL_BYTES_MAX} bytes.`);
    const withState = mayHaveState(line);
    if (!room.add(size, withState)) {
      yield piece();
      [body, room] = ["", new LabelRoom()];
      room.add(size, withState);
    }
    body += `${line}
`;
  }
  if (room.lines > 0) yield piece();
}
var encoder = new TextEncoder();
var bytesOf = (text) => encoder.encode(text).byteLength;
var hasState = (label) => typeof label === "object" && label !== null && (label.state ?? null) !== null;
function mayHaveState(line) {
  try {
    return hasState(JSON.parse(line));
  } catch {
    return true;
  }
}

// src/client/task-calls.ts
var TaskCalls = class {
  constructor(calls) {
    this.calls = calls;
  }
  calls;
  /**
   * Makes a task, or changes it: other questions or another model make a new version.
   *
   * @param task what it has, or the same as JSON
   */
  async put(name, task, { signal } = {}) {
    const headers = { "content-type": "application/json" };
    const body = typeof task === "string" ? requireText(task, "task") : bodyOfTask(task);
    return this.json({ path: pathOf(name), method: "PUT", headers, body, repeatable: "always", signal });
  }
  /** All tasks, by name, without their questions. */
  async list({ signal } = {}) {
    const list = await this.json({
      path: "",
      repeatable: "always",
      has: "data",
      signal
    });
    return list.data;
  }
  show(name, { signal } = {}) {
    return this.json({ path: pathOf(name), repeatable: "always", signal });
  }
  /**
   * Answers the questions of a task about a state. With the type of the questions, `decide<typeof questions>`, the answers
   * are typed. `info` of the response is about the HTTP exchange; its `requestId` names the answer in labels.
   */
  async decide(name, request, { signal } = {}) {
    const { body, headers } = await bodyOfDecide(request, signal);
    const answer = await this.calls.json({
      path: `v1/tasks${pathOf(name)}/decide`,
      method: "POST",
      body,
      headers,
      repeatable: "unanswered",
      has: "answers",
      signal
    });
    return { ...answer.body, info: answer.info };
  }
  /**
   * Says which answers were correct, in as many calls as the labels need. Labels of one call are all stored, or none. If a
   * call fails, the labels of the calls before it stay stored; `lines` of the error counts from the first label. Labels of
   * answers are sent again after a lost connection, which changes nothing; those with a state are not, because they are
   * charged.
   */
  label(name, labels, options = {}) {
    return this.labelLines(name, linesOfLabels(labels, options.signal), options);
  }
  /** As `label`: each as a line of JSON. None may be blank. */
  async labelLines(name, lines, { onProgress, signal } = {}) {
    const path = `${pathOf(name)}/labels`;
    let stored = null;
    for await (const piece of labelPieces(lines, signal)) {
      const before = stored?.lines ?? 0;
      const answer = await this.sendLabels(path, piece, before, signal);
      stored = { ...answer, lines: before + answer.lines };
      onProgress?.(stored);
    }
    if (stored === null) throw new DeciderError("empty_batch", "There are no labels.");
    return stored;
  }
  /** Fits a task to its labels, and puts its thresholds in force. */
  fit(name, { signal } = {}) {
    const path = `${pathOf(name)}/fit`;
    return this.json({ path, method: "POST", repeatable: "always", has: "questions", signal });
  }
  /**
   * Makes the shadow build of a task its model, as a new version without a shadow. After a lost connection it is not sent again:
   * the task shows whether it was made.
   *
   * @param expected refuses the call unless this version is in use and this build is the shadow build
   */
  async promote(name, expected = {}, { signal } = {}) {
    return this.json({
      path: `${pathOf(name)}/promote`,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: encode(expected, ""),
      repeatable: "unanswered",
      signal
    });
  }
  /** Deletes a task with everything that is known about its answers. */
  delete(name, { signal } = {}) {
    return this.json({ path: pathOf(name), method: "DELETE", repeatable: "unanswered", signal });
  }
  /** Sends a piece of the labels. `before`: how many labels precede it. */
  async sendLabels(path, { body, states }, before, signal) {
    const headers = { "content-type": "application/jsonl" };
    const repeatable = states > 0 ? "unanswered" : "always";
    const prompts = states * TASK_QUESTIONS_MAX;
    try {
      return await this.json({
        path,
        method: "POST",
        headers,
        body,
        repeatable,
        has: "labels",
        signal,
        prompts
      });
    } catch (error) {
      throw error instanceof DeciderError && before > 0 ? error.after(before) : error;
    }
  }
  async json({ path, ...call }) {
    return (await this.calls.json({ has: "name", ...call, path: `v1/tasks${path}` })).body;
  }
};
function bodyOfTask(task) {
  requireFields(task, "task");
  requireLabelOrders(task.questions, "questions");
  return encode(task, "");
}
function pathOf(name) {
  if (/^[A-Za-z0-9_.:-]{1,64}$/.test(name) && name !== "." && name !== "..") return `/${name}`;
  throw new TypeError("name: must be 1 to 64 letters, digits, `_`, `.`, `:` or `-`, and not `.` or `..`.");
}

// src/client/webhook-body.ts
var BODY_CHARACTERS_MAX = 4096;
var BATCH_ID = /^batch_[A-Za-z0-9]{24}$/;
function batchOfWebhook(body) {
  const { id } = parsed2(body) ?? {};
  if (typeof id === "string" && BATCH_ID.test(id)) return id;
  throw new DeciderError("invalid_request", "The body is not that of a webhook call.");
}
function parsed2(body) {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return body;
  if (body.length > BODY_CHARACTERS_MAX) return null;
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

// src/client/decider-client.ts
var LOCAL_URL = "http://127.0.0.1:8080";
var Decider = class {
  batches;
  tasks;
  calls;
  /** Throws TypeError for options that cannot be used. */
  constructor({ url, token, fetch, retries, timeoutMs } = {}, runtime = systemRuntime) {
    const used = fetch === void 0 ? runtime : { ...runtime, fetch };
    const settings = { url: url ?? LOCAL_URL, token: token ?? null, retries, timeoutMs };
    this.calls = new HttpCalls(settings, used);
    this.batches = new BatchCalls(this.calls);
    this.tasks = new TaskCalls(this.calls);
  }
  /** Answers questions about a state. `info` of the response is about the HTTP exchange. */
  async decide(request, options) {
    const { signal, ...asked } = options ?? {};
    const { body, headers } = await bodyOfDecide(request, signal);
    const answer = await this.calls.json({
      path: "v1/decide",
      method: "POST",
      body,
      headers: { ...headers, ...diagnosticHeaders(asked) },
      prompts: countOf(request.questions) * (asked.optionRotations ?? 1),
      repeatable: "unanswered",
      has: "answers",
      signal
    });
    return { ...answer.body, info: answer.info };
  }
  /** Answers up to 400 questions in the form of OpenAI's Decisions API (docs/decisions-api.md). */
  async decisions(request, { signal } = {}) {
    const answer = await this.calls.json({
      path: "v1/decisions",
      method: "POST",
      body: encode(request, ""),
      prompts: countOf(request.questions),
      headers: { "content-type": "application/json" },
      repeatable: "unanswered",
      has: "answers",
      signal
    });
    return { ...answer.body, info: answer.info };
  }
  /** The credit, the limits and the prices of the key. */
  limits(options = {}) {
    return this.get("v1/limits", options);
  }
  /** What the key was charged. `days`: 1 to 92, today included; 30 if absent. */
  usage({
    days,
    ...options
  } = {}) {
    return this.get(days === void 0 ? "v1/usage" : `v1/usage?days=${encodeURIComponent(days)}`, options);
  }
  models(options = {}) {
    return this.get("v1/models", options);
  }
  /** Resolves if the server is ready to answer. */
  health(options = {}) {
    return this.get("health", options, "status");
  }
  /**
   * The finished batch that a webhook call is about. The call itself proves nothing, so the batch is fetched with the key.
   * Rejects with DeciderError: `invalid_request` if the body is not that of a webhook, `batch_not_found` if the key has
   * no such batch, `batch_not_finished` if it has not finished.
   *
   * @param body as received, or parsed
   */
  async verifyWebhook(body, options = {}) {
    const batch = await this.batches.show(batchOfWebhook(body), options);
    if (batch.finished_at !== null) return batch;
    throw new DeciderError("batch_not_finished", "The batch of the webhook call has not finished.");
  }
  async get(path, { signal }, has = "object") {
    return (await this.calls.json({ path, repeatable: "always", has, signal })).body;
  }
};
function countOf(questions) {
  const asked = questions ?? {};
  return isMap(asked) ? asked.size : Object.keys(asked).length;
}
function diagnosticHeaders({ rawProbabilities, labelMass, optionRotations }) {
  return {
    ...rawProbabilities === true && { "service-raw-probabilities": "true" },
    ...labelMass === true && { "service-label-mass": "true" },
    ...optionRotations !== void 0 && { "service-option-rotations": String(optionRotations) }
  };
}
export {
  BatchCalls,
  Decider,
  DeciderError,
  HttpCalls,
  LabelRoom,
  TaskCalls,
  choice,
  hasState,
  isTemporaryStatus,
  noul,
  score,
  systemRuntime,
  usualTimeLimit
};
