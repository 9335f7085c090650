import { didYouMean, OperatorError, placeInJson, readJsonText, showPlace } from '../base/index.js';
import { InvalidValue, type Setting } from './kinds.js';
import { serviceLinks } from './service-links.js';

/** Settings by name, and groups of them: `engine.exact` is the setting `exact` of the group `engine`. */
interface SettingsTable {
  readonly [name: string]: Setting<unknown> | { readonly [name: string]: Setting<unknown> };
}

/** The values of a table, in the same groups. */
export type Values<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : Values<Table[Name]>;
};

/** A configuration cannot be used; the message names the setting. */
export class SettingsError extends OperatorError {
  override readonly name = 'SettingsError';
}

/** One setting of a table with its names. */
interface NamedSetting {
  /** Dotted place in the configuration file: `engine.wave_tokens`. */
  readonly key: string;
  /** The environment variable: `DECIDER_ENGINE_WAVE_TOKENS`. */
  readonly variable: string;
  readonly setting: Setting<unknown>;
}

const CONFIG_VARIABLE = 'DECIDER_CONFIG';
/** Read by the commands that call a server. */
const TOKEN_VARIABLE = 'DECIDER_TOKEN';
const PREFIX = 'DECIDER_';

/** The settings of a table, in its order. */
export function listSettings(table: SettingsTable): NamedSetting[] {
  return Object.entries(table).flatMap(([name, entry]) => {
    if (isSetting(entry)) return [named(name, entry)];
    return Object.entries(entry).map(([inner, setting]) => named(`${name}.${inner}`, setting));
  });
}

const isSetting = (entry: SettingsTable[string]): entry is Setting<unknown> =>
  typeof (entry as Setting<unknown>).fromJson === 'function';

const named = (key: string, setting: Setting<unknown>): NamedSetting => ({
  key,
  variable: PREFIX + key.replaceAll('.', '_').toUpperCase(),
  setting,
});

/**
 * Reads the values of a table: from the environment, else the file, else the default. `config` overrides
 * `DECIDER_CONFIG`. A variable with an empty value counts as unset, and so does a service link of Kubernetes. Throws
 * SettingsError for an unknown key or variable and for a value that does not fit.
 */
export function readSettings<Table extends SettingsTable>(
  table: Table,
  variables: Readonly<Record<string, string | undefined>>,
  config?: string,
): Values<Table> {
  const environment = new Map(Object.entries(variables).filter(([, value]) => value !== ''));
  for (const name of serviceLinks(variables)) environment.delete(name);
  const settings = listSettings(table);
  refuseUnknownVariables(environment, settings);
  const file = configFile(variables, config);
  const fromFile = file === undefined ? new Map<string, Given>() : readFile(file, settings);
  const values: Record<string, unknown> = {};
  for (const { key, variable, setting } of settings) {
    const inEnvironment = environment.get(variable);
    const given = fromFile.get(key);
    let value: unknown = setting.default;
    if (inEnvironment !== undefined) value = checked(variable, () => setting.fromText(inEnvironment));
    else if (given !== undefined)
      value = checked(`${given.place}: ${key}`, () => setting.fromJson(given.value));
    place(values, key, value);
  }
  return values as Values<Table>;
}

/** The configuration file; undefined if there is none. `config` overrides `DECIDER_CONFIG`. */
export const configFile = (
  variables: Readonly<Record<string, string | undefined>>,
  config?: string,
): string | undefined => config ?? (variables[CONFIG_VARIABLE] || undefined);

/** The settings of a table that a configuration file has, with their JSON values, unchecked. Throws SettingsError. */
export function valuesInFile(
  file: string,
  table: SettingsTable,
): Array<NamedSetting & { readonly value: unknown }> {
  const settings = listSettings(table);
  const found = readFile(file, settings);
  return settings.flatMap((each) => {
    const given = found.get(each.key);
    return given === undefined ? [] : [{ ...each, value: given.value }];
  });
}

function refuseUnknownVariables(
  environment: ReadonlyMap<string, unknown>,
  settings: readonly NamedSetting[],
): void {
  const known = new Set([CONFIG_VARIABLE, TOKEN_VARIABLE, ...settings.map(({ variable }) => variable)]);
  for (const name of environment.keys()) {
    if (!name.startsWith(PREFIX) || known.has(name)) continue;
    throw new SettingsError(
      `The environment variable ${name} is not a setting.${didYouMean(name, [...known])} Correct its name or unset it; docs/configuration.md lists all.`,
    );
  }
}

function checked<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidValue) throw new SettingsError(`${name} ${error.message}`);
    throw error;
  }
}

function place(values: Record<string, unknown>, key: string, value: unknown): void {
  const [name, inner] = key.split('.') as [string, string | undefined];
  if (inner === undefined) values[name] = value;
  else values[name] = { ...(values[name] as object), [inner]: value };
}

/** A value of a file, and where it is: `decider.json, line 3, column 5`. */
interface Given {
  readonly value: unknown;
  readonly place: string;
}

/** The JSON values of a file, by key. */
function readFile(file: string, settings: readonly NamedSetting[]): Map<string, Given> {
  let read: ReturnType<typeof readJsonText>;
  try {
    read = readJsonText(file);
  } catch (error) {
    throw new SettingsError(`${file}: ${(error as Error).message}`);
  }
  const { value: content, text } = read;
  if (!isObject(content)) throw new SettingsError(`${file}: the configuration must be a JSON object.`);
  const keys = new Set(settings.map(({ key }) => key));
  const found = new Map<string, Given>();
  const placeOf = (path: readonly string[]) => file + showPlace(placeInJson(text, path));
  /** `path`: the names that lead to the value; one of them may be dotted. */
  const add = (path: readonly string[], value: unknown) => {
    const key = path.join('.');
    const place = placeOf(path);
    if (!keys.has(key)) {
      throw new SettingsError(
        `${place}: ${key} is not a setting.${didYouMean(key, [...keys])} Correct or remove it; docs/configuration.md lists all.`,
      );
    }
    if (found.has(key)) throw new SettingsError(`${place}: ${key} is given twice.`);
    found.set(key, { value, place });
  };
  const groups = new Set([...keys].flatMap((key) => (key.includes('.') ? [key.split('.')[0]] : [])));
  for (const [name, value] of Object.entries(content)) {
    if (!groups.has(name)) {
      add([name], value);
      continue;
    }
    if (!isObject(value)) {
      throw new SettingsError(`${placeOf([name])}: ${name} must be an object of settings.`);
    }
    for (const [inner, entry] of Object.entries(value)) add([name, inner], entry);
  }
  return found;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
