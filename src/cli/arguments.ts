import { AccessError, type Amount, parseAmount, type Workspace } from '../access/index.js';
import type { Catalog } from '../engine/index.js';

/** An amount as it is written, `12.50`. Throws AccessError, which names the argument. */
export function readAmount(name: string, text: string): Amount {
  const amount = parseAmount(text);
  if (amount === null) {
    throw new AccessError(
      `${name}: "${text}" is not an amount such as 12.50, with at most 15 digits before the point and 12 behind it.`,
    );
  }
  return amount;
}

/** A whole number as it is written; NaN, which no limit takes, where it is none. */
export const readWhole = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN);

/** The names of a list that is separated by spaces or commas; null for `all`. Throws AccessError. */
export function readModels(parts: readonly string[]): string[] | null {
  const names = parts.flatMap((part) => part.split(/[\s,]+/)).filter((name) => name !== '');
  if (names.length === 0) throw new AccessError('models: none is named; all allows every model.');
  if (!names.includes('all')) return [...new Set(names)];
  if (names.length === 1) return null;
  throw new AccessError('models: all stands alone.');
}

/**
 * Throws AccessError where the manifest has no such name: neither a model, nor a build, nor an id that a model
 * answers for. What a workspace may use already it may keep, whether the manifest still has it or not.
 */
export function checkModels(names: readonly string[], catalog: Catalog, { models }: Workspace): void {
  const unknown = names.find((name) => catalog.find(name) === undefined && !models?.includes(name));
  if (unknown === undefined) return;
  throw new AccessError(`models: the manifest has no ${unknown}; --force allows it all the same.`);
}
