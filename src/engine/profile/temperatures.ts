import { QUESTION_TYPES, type QuestionType } from '../../api/index.js';
import { ProfileError, type Temperatures } from './profile-types.js';

/**
 * The option counts of each bucket name that published decision models use, inclusive. A model uses one of the two
 * schemes; if a type has buckets of both, the first that holds the option count applies.
 */
export const TEMPERATURE_BUCKETS: ReadonlyMap<string, readonly [from: number, to: number]> = new Map([
  ['2', [1, 2]],
  ['3_5', [3, 5]],
  ['6_10', [6, 10]],
  ['11', [11, Number.POSITIVE_INFINITY]],
  ['small', [1, 8]],
  ['mid', [9, 26]],
  ['large', [27, Number.POSITIVE_INFINITY]],
]);

/**
 * The temperature of a question: that of the bucket of its option count, or of its type, or 1.
 *
 * @param values by `<type>` and `<type>.<bucket>`
 * @param fitted the same; for the types that it names, `values` is ignored
 * @throws ProfileError for an unknown key or a value that is not a positive number
 */
export function readTemperatures(
  values: Readonly<Record<string, number>>,
  fitted: Readonly<Record<string, number>> = {},
): Temperatures {
  const found: Record<string, number> = Object.fromEntries(QUESTION_TYPES.map((type) => [type, 1]));
  const replaced = new Set(Object.keys(fitted).map(typeOf));
  for (const [key, value] of Object.entries(values)) {
    check(key, value);
    if (!replaced.has(typeOf(key))) found[key] = value;
  }
  for (const [key, value] of Object.entries(fitted)) {
    check(key, value);
    found[key] = value;
  }
  return {
    values: found,
    of(type, options) {
      for (const [bucket, [from, to]] of TEMPERATURE_BUCKETS) {
        const value = found[`${type}.${bucket}`];
        if (value !== undefined && options >= from && options <= to) return value;
      }
      return found[type] as number;
    },
  };
}

const typeOf = (key: string) => key.split('.')[0] as string;

function check(key: string, value: number): void {
  const [type, bucket, ...rest] = key.split('.');
  const known =
    QUESTION_TYPES.includes(type as QuestionType) &&
    rest.length === 0 &&
    (bucket === undefined || TEMPERATURE_BUCKETS.has(bucket));
  if (!known) throw new ProfileError(`its temperature ${key} names no known question type or bucket`);
  if (!(value > 0 && Number.isFinite(value))) {
    throw new ProfileError(`its temperature ${key} is not a positive number`);
  }
}
