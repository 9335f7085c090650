import { serialize } from 'node:v8';
import { showAmount, type UsageSum } from '../../access/index.js';
import type { OperatorUsage } from '../../api/index.js';
import { jsonText } from '../../base/index.js';

/** Items of a list that the main thread reads in one turn of the event loop. */
const TURN_ITEMS = 32;

/** A row of usage in the JSON of the interface. `names`: of the keys, by their ids. */
export const showUsageRow = (
  { day, key, model, kind, requests, inputTokens, amount }: UsageSum,
  names: ReadonlyMap<string, string | null>,
): OperatorUsage => ({
  day,
  key,
  model,
  kind: kind as OperatorUsage['kind'],
  requests,
  input_tokens: inputTokens,
  amount: showAmount(amount),
  key_name: names.get(key) ?? null,
});

/** A response as bytes: the main thread copies them, however long a list is, and creates no objects. */
export const jsonBytes = (value: object): Uint8Array => Buffer.from(jsonText(value));

/** A list in parts, each for one turn of the main thread, which reads them with `deserialize`. */
export function inParts<Item>(items: readonly Item[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let from = 0; from < items.length; from += TURN_ITEMS) {
    parts.push(serialize(items.slice(from, from + TURN_ITEMS)));
  }
  return parts;
}
