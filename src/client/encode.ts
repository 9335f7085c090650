/** Levels of a value. The server takes fewer; a value that contains itself has more. */
const DEPTH_MAX = 1_000;
/** Keys of a place in a message, and characters of each. */
const KEYS_MAX = 16;
const KEY_CHARACTERS_MAX = 64;

/** What JSON cannot express, and where it is. */
interface Fault {
  /** From the innermost key to the outermost. */
  readonly path: Array<string | number>;
  readonly message: string;
}

/** Whether a value has a `Map`, which `JSON.stringify` sends as `{}`. */
interface Found {
  hasMap: boolean;
}

/**
 * A value as JSON. A `Map` is an object in its order. Throws TypeError, which names the place, for what `JSON.stringify` would
 * change or leave out without a word: numbers that JSON does not have, functions, `undefined` in a list, and objects whose
 * content is not in their fields.
 *
 * @param name what the value is, at the beginning of the message; '' if the keys say it
 */
export function encode(value: unknown, name: string): string {
  const found: Found = { hasMap: false };
  const fault = value === undefined ? faultOf('must not be undefined') : faultIn(value, 0, found);
  if (fault !== null) throw new TypeError(`${placeOf(name, fault.path)}: ${fault.message}.`);
  return found.hasMap ? written(value) : JSON.stringify(value);
}

/**
 * A text whose characters all have UTF-8. Throws TypeError for half of a surrogate pair, in place of which another character
 * would be sent.
 */
export function requireText(text: string, name: string): string {
  if (!/\p{Surrogate}/u.test(text)) return text;
  throw new TypeError(`${name}: has half of a surrogate pair, which UTF-8 does not have.`);
}

const faultOf = (message: string): Fault => ({ path: [], message });

/** The first fault of a value; null if there is none. `undefined` is left to its parent. */
function faultIn(value: unknown, depth: number, found: Found): Fault | null {
  switch (typeof value) {
    case 'object':
      return value === null ? null : faultInObject(value, depth, found);
    case 'number':
      return Number.isFinite(value) ? null : faultOf(`is ${value}, which JSON does not have`);
    case 'bigint':
      return hasJson(value)
        ? faultInJson(value, depth, found)
        : faultOf('is a bigint; give a number or a string');
    case 'function':
    case 'symbol':
      return faultOf(`is a ${typeof value}, which JSON does not have`);
    default:
      return null;
  }
}

function faultInObject(value: object, depth: number, found: Found): Fault | null {
  if (depth >= DEPTH_MAX) return faultOf('is nested too deeply, or contains itself');
  if (Array.isArray(value)) return faultInList(value, depth, found);
  if (!isPlain(value)) return faultInInstance(value, depth, found);
  return hasJson(value) ? faultInJson(value, depth, found) : faultInFields(value, depth, found);
}

/** Of an object of a class. */
function faultInInstance(value: object, depth: number, found: Found): Fault | null {
  if (isMap(value)) {
    found.hasMap = true;
    return faultInEntries(value, depth, found);
  }
  if (tagOf(value) === '[object Date]' && Number.isNaN(Number(value))) return faultOf('is an invalid date');
  // Node's Buffer has a form of JSON, which is none of its bytes.
  if (hasJson(value) && !ArrayBuffer.isView(value)) return faultInJson(value, depth, found);
  if (value instanceof String || value instanceof Boolean || value instanceof Number) {
    return faultIn(value.valueOf(), depth + 1, found);
  }
  const isRecord = tagOf(value) === '[object Object]' && Object.keys(value).length > 0;
  if (isRecord) return faultInFields(value, depth, found);
  return faultOf(`is of the class ${nameOf(value)}, whose content JSON does not have`);
}

function faultInJson(value: WithJson, depth: number, found: Found): Fault | null {
  const json = value.toJSON('');
  return json === undefined
    ? faultOf('has a toJSON() that gives undefined')
    : faultIn(json, depth + 1, found);
}

function faultInFields(value: object, depth: number, found: Found): Fault | null {
  for (const key of Object.keys(value)) {
    const fault = faultIn((value as Readonly<Record<string, unknown>>)[key], depth + 1, found);
    if (fault !== null) return within(fault, key);
  }
  return null;
}

function faultInList(list: readonly unknown[], depth: number, found: Found): Fault | null {
  for (let at = 0; at < list.length; at += 1) {
    const value = list[at];
    const fault = value === undefined ? faultOf('must not be undefined') : faultIn(value, depth + 1, found);
    if (fault !== null) return within(fault, at);
  }
  return null;
}

function faultInEntries(map: ReadonlyMap<unknown, unknown>, depth: number, found: Found): Fault | null {
  for (const [key, value] of map) {
    if (typeof key !== 'string') return faultOf(`has a key that is a ${typeof key}; keys must be strings`);
    const fault = faultIn(value, depth + 1, found);
    if (fault !== null) return within(fault, key);
  }
  return null;
}

function within(fault: Fault, key: string | number): Fault {
  fault.path.push(key);
  return fault;
}

/** What `JSON.stringify` writes, with maps as objects. */
function written(value: unknown): string {
  if (typeof value !== 'object' || value === null || isRawJson(value)) return JSON.stringify(value);
  if (isMap(value)) return writtenObject([...value] as [string, unknown][]);
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  if (hasJson(value)) return written(value.toJSON(''));
  return isPlain(value) || tagOf(value) === '[object Object]'
    ? writtenObject(Object.entries(value))
    : JSON.stringify(value);
}

const writtenObject = (entries: ReadonlyArray<readonly [string, unknown]>): string =>
  `{${entries
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${written(value)}`)
    .join()}}`;

interface WithJson {
  toJSON(key: string): unknown;
}

const hasJson = (value: object | bigint): value is (object | bigint) & WithJson =>
  typeof (value as Partial<WithJson>).toJSON === 'function';

/** A value of `JSON.rawJSON`, a number as it is written for example; not in every runtime. */
const isRawJson = (value: object): boolean =>
  (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) === true;

/** Whether an object has no class. Frames, and contexts of `node:vm`, have an `Object.prototype` of their own. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether a value is a `Map`, also of another frame. */
export const isMap = (value: object): value is ReadonlyMap<unknown, unknown> =>
  value instanceof Map || tagOf(value) === '[object Map]';

const tagOf = (value: object): string => Object.prototype.toString.call(value);

function nameOf(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : tagOf(value).slice('[object '.length, -1);
}

/** `state.prices[2]`. */
function placeOf(name: string, path: Fault['path']): string {
  const keys = path.reverse().map((key) => (typeof key === 'number' ? `[${key}]` : `.${shown(key)}`));
  const more = keys.length > KEYS_MAX ? '…' : '';
  return `${name}${keys.slice(0, KEYS_MAX).join('')}${more}`.replace(/^\./, '') || 'value';
}

function shown(key: string): string {
  const short = key.length > KEY_CHARACTERS_MAX ? `${key.slice(0, KEY_CHARACTERS_MAX - 1)}…` : key;
  return /^[\w-]+…?$/.test(short) ? short : JSON.stringify(short);
}
