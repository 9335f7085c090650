/** A setting: its kind, its default and how both forms of a value are read. `docs/configuration.md` lists them. */
export interface Setting<Value> {
  /** The kind, for the documentation: `boolean`, `integer 0 to 65535`. */
  readonly kind: string;
  readonly default: Value;
  /** The default as an environment variable would give it; '' for an empty one. */
  readonly defaultText: string;
  readonly meaning: string;
  /** The value is never shown. */
  readonly secret?: boolean;
  /** A running server can take over another value. */
  readonly reloads?: boolean;
  /** Reads the text of an environment variable, which is not empty. Throws InvalidValue. */
  fromText(text: string): Value;
  /** Reads a JSON value of the configuration file. Throws InvalidValue. */
  fromJson(value: unknown): Value;
}

/** A value does not fit its setting. The message continues the setting's name: `must be true or false.` */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
}

/** What every row of the table states. */
interface Common<Value> {
  readonly default: Value;
  readonly meaning: string;
  readonly secret?: boolean;
  readonly reloads?: boolean;
}

/** Entries of a list or a map. */
export const ENTRIES_MAX = 256;
/** Characters of a wrong value that an error message quotes. */
const QUOTED_CHARACTERS_MAX = 40;
/** Settings beyond this many characters are a mistake, such as a file in place of its name. */
export const TEXT_CHARACTERS_MAX = 65_536;

/** A non-empty string, which `check` may refuse. Wrong values are not quoted: they may be secret. */
export function text({
  check = () => {},
  ...row
}: Common<string> & { readonly check?: (value: string) => void }): Setting<string> {
  const read = (value: unknown) => {
    if (typeof value === 'string' && value !== '' && value.length <= TEXT_CHARACTERS_MAX) {
      check(value);
      return value;
    }
    throw new InvalidValue(`must be a string of 1 to ${TEXT_CHARACTERS_MAX} characters.`);
  };
  return { kind: 'string', ...row, defaultText: row.default, fromText: read, fromJson: read };
}

/** A secret of one form, which continues `must be`. Wrong values are not quoted. */
export function secret({
  pattern,
  form,
  ...row
}: Common<string> & { readonly pattern: RegExp; readonly form: string }): Setting<string> {
  const read = (value: unknown) => {
    if (typeof value === 'string' && pattern.test(value)) return value;
    throw new InvalidValue(`must be ${form}.`);
  };
  return { kind: 'string', ...row, secret: true, defaultText: row.default, fromText: read, fromJson: read };
}

/** The address of a PostgreSQL database. Wrong values are not quoted: they may have a password. */
export function databaseUrl(row: Common<string>): Setting<string> {
  const read = (value: unknown) => {
    const isUrl = typeof value === 'string' && value.length <= TEXT_CHARACTERS_MAX;
    if (isUrl && /^postgres(ql)?:\/\/[^\s]/.test(value)) return value;
    throw new InvalidValue('must be a URL such as postgres://user:password@host/database.');
  };
  return { kind: 'URL', ...row, defaultText: row.default, fromText: read, fromJson: read };
}

/** An address of HTTP without a user and a password, which would be shown. Wrong values are not quoted: they may have both. */
export function httpUrl(row: Common<string>): Setting<string> {
  const read = (value: unknown) => {
    const text = typeof value === 'string' && value.length <= TEXT_CHARACTERS_MAX ? value : '';
    const url = URL.canParse(text) ? new URL(text) : null;
    const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
    if (url !== null && isHttp && url.username === '' && url.password === '') return text;
    throw new InvalidValue(
      'must be a URL such as https://host:4318/v1/traces, without a user or a password.',
    );
  };
  return { kind: 'URL', ...row, defaultText: row.default, fromText: read, fromJson: read };
}

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['yes', true],
  ['0', false],
  ['false', false],
  ['no', false],
]);

/** `true` or `false`; as a variable also `1`, `0`, `yes` or `no`. JSON may also quote the two words. */
export function boolean(row: Common<boolean>): Setting<boolean> {
  return {
    kind: 'boolean',
    ...row,
    defaultText: String(row.default),
    fromText(value) {
      const found = BOOLEANS.get(value);
      if (found !== undefined) return found;
      throw new InvalidValue(`must be true or false, 1 or 0, yes or no${butIs(value)}.`);
    },
    fromJson(value) {
      if (value === true || value === 'true') return true;
      if (value === false || value === 'false') return false;
      throw new InvalidValue(`must be true or false${butIs(value)}.`);
    },
  };
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** A whole number; a JSON number, not a string. */
export function integer({ min, max, ...row }: Common<number> & Range): Setting<number> {
  const fromJson = (value: unknown) => {
    if (isWithin(value, min, max)) return value;
    throw new InvalidValue(`must be an integer from ${min} to ${max}${butIs(value)}.`);
  };
  const fromText = (value: string) => fromJson(/^-?\d+$/.test(value) ? Number(value) : value);
  return { kind: `integer, ${min} to ${max}`, ...row, defaultText: String(row.default), fromText, fromJson };
}

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** A duration in milliseconds: a whole number of them, or a number with a unit, such as `90s`. */
export function duration({ min, max, ...row }: Common<number> & Range): Setting<number> {
  const read = (value: unknown) => {
    const [, digits, unit = 'ms'] = /^(\d{1,9})(ms|s|m|h)?$/.exec(String(value)) ?? [];
    const written = typeof value === 'string' || typeof value === 'number';
    const ms =
      written && digits !== undefined ? Number(digits) * UNITS_MS[unit as keyof typeof UNITS_MS] : null;
    if (isWithin(ms, min, max)) return ms;
    throw new InvalidValue(
      `must be a duration from ${min} to ${max} milliseconds, such as 1500, 90s or 5m${butIs(value)}.`,
    );
  };
  return {
    kind: `duration, ${min} to ${max} ms`,
    ...row,
    defaultText: String(row.default),
    fromText: read,
    fromJson: read,
  };
}

/** One of a few names. */
export function choice<const Name extends string>({
  choices,
  ...row
}: Common<Name> & { readonly choices: readonly Name[] }): Setting<Name> {
  const read = (value: unknown) => {
    const found = choices.find((name) => name === value);
    if (found !== undefined) return found;
    throw new InvalidValue(`must be one of ${choices.join(', ')}${butIs(value)}.`);
  };
  const kind = choices.map((name) => `\`${name}\``).join(', ');
  return { kind, ...row, defaultText: row.default, fromText: read, fromJson: read };
}

/** Distinct strings, each read by `entry`: a JSON array, or names separated by commas. */
export function list({
  entry = (name: string) => name,
  ...row
}: Common<readonly string[]> & {
  readonly entry?: (name: string) => string;
}): Setting<readonly string[]> {
  const readAll = (names: readonly string[]) => {
    if (names.length <= ENTRIES_MAX) return [...new Set(names.map(entry))];
    throw new InvalidValue(`must have at most ${ENTRIES_MAX} entries, and has ${names.length}.`);
  };
  const fromText = (value: string) => {
    const names = value.split(',').map((name) => name.trim());
    return readAll(names.filter((name) => name !== ''));
  };
  const isName = (name: unknown) => typeof name === 'string' && name.trim() !== '';
  return {
    kind: 'list',
    ...row,
    defaultText: row.default.join(','),
    fromText,
    fromJson(value) {
      if (typeof value === 'string' && value !== '') return fromText(value);
      if (Array.isArray(value) && value.every(isName)) return readAll(value.map((name) => name.trim()));
      throw new InvalidValue('must be an array of non-empty strings.');
    },
  };
}

const isWithin = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

/** The wrong value, as the end of a message. One line, shortened; of an array or an object its kind only. */
function butIs(value: unknown): string {
  if (Array.isArray(value)) return ', not an array';
  if (typeof value === 'object' && value !== null) return ', not an object';
  const shown = JSON.stringify(value) ?? String(value);
  return `, not ${shown.length > QUOTED_CHARACTERS_MAX ? `${shown.slice(0, QUOTED_CHARACTERS_MAX)}…` : shown}`;
}
