import { AccessError, type Amount, parseAmount, type Workspace } from '../access/index.js';
import { OperatorError } from '../base/index.js';
import type { Catalog } from '../engine/index.js';

/** Parses an amount such as `12.50`. Throws AccessError, which names the argument. */
export function readAmount(name: string, text: string): Amount {
  const amount = parseAmount(text);
  if (amount === null) {
    throw new AccessError(
      `${name}: "${text}" is not an amount such as 12.50, with at most 15 digits before the point and 12 after it.`,
    );
  }
  return amount;
}

/** Parses a whole number; NaN, which every limit refuses, for anything else. */
export const readWhole = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN);

/** Parses a whole number within bounds. Throws OperatorError, which names the argument. */
export function readWholeBetween(name: string, text: string, least: number, most: number): number {
  const value = readWhole(text);
  if (value >= least && value <= most) return value;
  throw new OperatorError(`${name}: "${text}" is not a whole number from ${least} to ${most}.`);
}

/** Model names, separated by spaces or commas; null for `all`. Throws AccessError. */
export function readModels(parts: readonly string[]): string[] | null {
  const names = parts.flatMap((part) => part.split(/[\s,]+/)).filter((name) => name !== '');
  if (names.length === 0) throw new AccessError('models: name at least one model, or all.');
  if (!names.includes('all')) return [...new Set(names)];
  if (names.length === 1) return null;
  throw new AccessError('models: give either all or a list of models, not both.');
}

/**
 * Throws AccessError for a name that is neither a model, nor a build, nor an id that a model of the manifest answers for.
 * Names that the workspace may already use are accepted even if the manifest no longer has them.
 */
export function requireModels(names: readonly string[], catalog: Catalog, { models }: Workspace): void {
  const unknown = names.find((name) => catalog.find(name) === undefined && !models?.includes(name));
  if (unknown === undefined) return;
  throw new AccessError(`models: the manifest has no ${unknown}. Use --force to allow it anyway.`);
}
