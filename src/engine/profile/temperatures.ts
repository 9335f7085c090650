import { QUESTION_TYPES, type QuestionType } from '../../api/index.js';
import { ProfileError, type Temperatures } from './types.js';

/** The option counts of each bucket name that published decision models use, inclusive. */
const BUCKETS: Readonly<Record<string, readonly [from: number, to: number]>> = {
  small: [1, 8],
  mid: [9, 26],
  large: [27, Number.POSITIVE_INFINITY],
  '2': [1, 2],
  '3_5': [3, 5],
  '6_10': [6, 10],
  '11': [11, Number.POSITIVE_INFINITY],
};

/**
 * Temperatures by `<type>` and `<type>.<bucket>`: that of the option count's bucket, or of the type, or 1. Throws ProfileError for an unknown key or a value that is not a positive number.
 */
export function readTemperatures(values: Readonly<Record<string, number>>): Temperatures {
  for (const [key, value] of Object.entries(values)) {
    const [type, bucket, ...rest] = key.split('.');
    const known =
      QUESTION_TYPES.includes(type as QuestionType) &&
      rest.length === 0 &&
      (bucket === undefined || Object.hasOwn(BUCKETS, bucket));
    if (!known) throw new ProfileError(`its temperature ${key} names no known question type or bucket`);
    if (!(value > 0 && Number.isFinite(value))) {
      throw new ProfileError(`its temperature ${key} is not a positive number`);
    }
  }
  return {
    of(type, options) {
      for (const [bucket, [from, to]] of Object.entries(BUCKETS)) {
        const value = values[`${type}.${bucket}`];
        if (value !== undefined && options >= from && options <= to) return value;
      }
      return values[type] ?? 1;
    },
  };
}
