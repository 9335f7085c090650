import { readJsonFile } from './json-file.js';

/** A value that can be configured: by its key in the JSON file, or by its environment variable, which wins. */
export type Setting =
  | (SettingBase & { readonly kind: 'text'; readonly default: string })
  | (SettingBase & { readonly kind: 'flag'; readonly default: boolean })
  | (SettingBase & { readonly kind: 'choice'; readonly default: string; readonly choices: readonly string[] })
  | (SettingBase & {
      readonly kind: 'integer';
      readonly default: number;
      readonly min: number;
      readonly max: number;
    });

interface SettingBase {
  /** Dotted place in the configuration file. */
  readonly key: string;
  readonly variable: string;
  readonly meaning: string;
}

/** A configuration cannot be used; the message names the key. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const CONFIG_VARIABLE = 'DECIDER_CONFIG';
/** Read by the commands that call a server. */
const TOKEN_VARIABLE = 'DECIDER_TOKEN';
const PREFIX = 'DECIDER_';

/** The values of a table of settings, by key. */
export type Values<Table extends readonly Setting[]> = {
  readonly [Row in Table[number] as Row['key']]: ValueOf<Row['kind']>;
};
type ValueOf<Kind extends Setting['kind']> = Kind extends 'integer'
  ? number
  : Kind extends 'flag'
    ? boolean
    : string;

/** How a flag is written in the environment. In the file it is a JSON boolean, or `"true"` or `"false"`. */
const FLAGS: ReadonlyMap<unknown, boolean> = new Map([
  ['1', true],
  ['0', false],
  ['true', true],
  ['false', false],
]);

/**
 * Reads the table's values: environment, else file, else default. `file` wins over `DECIDER_CONFIG`. A variable whose
 * value is empty counts as unset.
 * Throws SettingsError for an unknown key or variable and for a value that does not fit.
 */
export function readSettings<const Table extends readonly Setting[]>(
  table: Table,
  variables: Readonly<Record<string, string | undefined>>,
  config?: string,
): Values<Table> {
  const environment = Object.fromEntries(Object.entries(variables).filter(([, text]) => text !== ''));
  const file = config ?? environment[CONFIG_VARIABLE];
  const known = new Set([CONFIG_VARIABLE, TOKEN_VARIABLE, ...table.map((row) => row.variable)]);
  const stray = Object.keys(environment).find((name) => name.startsWith(PREFIX) && !known.has(name));
  if (stray !== undefined) throw new SettingsError(`The environment variable ${stray} is not known.`);
  const fromFile = file === undefined ? new Map<string, unknown>() : readFile(file);
  for (const key of fromFile.keys()) {
    if (!table.some((row) => row.key === key))
      throw new SettingsError(`${file}: the key ${key} is not known.`);
  }
  const values = table.map((row): [string, Value] => {
    const text = environment[row.variable];
    if (text !== undefined) return [row.key, fromText(row, text)];
    if (fromFile.has(row.key)) return [row.key, check(row, fromFile.get(row.key), `${file}: ${row.key}`)];
    return [row.key, row.default];
  });
  return Object.fromEntries(values) as Values<Table>;
}

function readFile(file: string): Map<string, unknown> {
  let value: unknown;
  try {
    value = readJsonFile(file);
  } catch (error) {
    throw new SettingsError(`${file}: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new SettingsError(`${file}: the configuration is not an object.`);
  return flatten(value, '');
}

function flatten(value: object, prefix: string): Map<string, unknown> {
  const result = new Map<string, unknown>();
  for (const [name, entry] of Object.entries(value)) {
    const key = prefix + name;
    if (isObject(entry) && Object.keys(entry).length > 0) {
      for (const [inner, leaf] of flatten(entry, `${key}.`)) result.set(inner, leaf);
    } else result.set(key, entry);
  }
  return result;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Value = string | number | boolean;

function fromText(row: Setting, text: string): Value {
  if (row.kind === 'flag') {
    const flag = FLAGS.get(text);
    if (flag !== undefined) return flag;
    throw new SettingsError(`${row.variable} must be 1, 0, true or false.`);
  }
  const value = row.kind === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;
  return check(row, value, row.variable);
}

function check(row: Setting, value: unknown, name: string): Value {
  if (row.kind === 'flag') {
    const flag = value === 'true' || value === 'false' ? value === 'true' : value;
    if (typeof flag === 'boolean') return flag;
    throw new SettingsError(`${name} must be true or false.`);
  }
  if (row.kind === 'integer') {
    if (Number.isInteger(value) && (value as number) >= row.min && (value as number) <= row.max) {
      return value as number;
    }
    throw new SettingsError(`${name} must be a whole number from ${row.min} to ${row.max}.`);
  }
  if (typeof value !== 'string' || value === '') throw new SettingsError(`${name} must be a text.`);
  if (row.kind === 'choice' && !row.choices.includes(value)) {
    throw new SettingsError(`${name} must be one of ${row.choices.join(', ')}.`);
  }
  return value;
}
