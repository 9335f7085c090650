import { AccessError } from '../access/index.js';
import { OperatorError } from '../base/index.js';

/** Parses a whole number; NaN, which every limit refuses, for anything else. */
export const readWhole = (text: string): number => (/^\d{1,16}$/.test(text) ? Number(text) : Number.NaN);

/** Parses a whole number within bounds. Throws OperatorError, which names the argument. */
export function readWholeBetween(name: string, text: string, least: number, most: number): number {
  const value = readWhole(text);
  if (value >= least && value <= most) return value;
  throw new OperatorError(`${name}: "${text}" is not a whole number from ${least} to ${most}.`);
}

/** Model names, separated by spaces or commas; null for `all`. Throws AccessError. */
export function readModels(parts: readonly string[]): string[] | null {
  const names = parts.flatMap((part) => part.split(/[\s,]+/)).filter((name) => name !== '');
  if (names.length === 0) throw new AccessError('models', 'name at least one model, or all.');
  if (!names.includes('all')) return [...new Set(names)];
  if (names.length === 1) return null;
  throw new AccessError('models', 'give either all or a list of models, not both.');
}

/** The API token: `--token`, else DECIDER_TOKEN, without the line end that a file or a shell adds; '' if neither is given. */
export const tokenOf = (given: string | undefined): string =>
  (given ?? process.env.DECIDER_TOKEN ?? '').trim();

/** Whether the build that answered is the one that was asked for, or one of that model. */
export const isModelOf = (build: string, asked: string): boolean =>
  build === asked || build.startsWith(`${asked}-`);
