import { ApiError, LIMITS } from '../../api/index.js';
import { BYTE, stringEnd } from './bytes.js';
import { type ByteRange, FieldRanges } from './fields.js';
import { KeyCount, UNCOUNTED_BODY_BYTES_MAX } from './key-count.js';

/**
 * Scans a body once before it is parsed: enforces the limits that bound a parser's time and memory, and finds the values
 * of the top-level fields `names`.
 *
 * The body need not be JSON; the ranges are meaningful only if `JSON.parse` accepts it. Brackets are counted without
 * matching their kinds: the parser refuses a body whose depth is wrong because of a mismatch.
 *
 * @param body UTF-8 bytes
 * @param names the fields to find: letters, digits and `_` only
 * @returns for each field found, the bytes between its colon and the end of its entry
 * @throws ApiError `invalid_json` over `LIMITS.jsonDepth`, `LIMITS.jsonContainers`, `LIMITS.jsonValues` or `LIMITS.jsonKeys`
 */
export function scanBody(body: Buffer, names: readonly string[]): ReadonlyMap<string, ByteRange> {
  const fields = new FieldRanges(body, names);
  const keys = body.length > UNCOUNTED_BODY_BYTES_MAX ? new KeyCount(body) : null;
  let [stringStart, stringEnds] = [0, 0];
  let depth = 0;
  let containers = 0;
  let commas = 0;
  for (let at = 0; at < body.length; at += 1) {
    switch (body[at]) {
      case BYTE.quote: {
        const end = stringEnd(body, at);
        if (depth === 1) fields.string(at, end);
        [stringStart, stringEnds] = [at, end];
        at = end - 1;
        break;
      }
      case BYTE.openBrace:
      case BYTE.openBracket:
        depth += 1;
        containers += 1;
        refuseOver('jsonDepth', depth, 'levels');
        refuseOver('jsonContainers', containers, 'objects and arrays');
        keys?.open(depth);
        break;
      case BYTE.closeBrace:
      case BYTE.closeBracket:
        if (depth === 1) fields.entryEnd(at);
        depth -= 1;
        break;
      case BYTE.comma:
        // Every value but the first of a container follows a comma.
        commas += 1;
        refuseOver('jsonValues', commas + containers, 'values');
        if (depth === 1) fields.entryEnd(at);
        break;
      case BYTE.colon:
        if (depth === 1) fields.colon(at);
        if (keys !== null) {
          keys.key(Math.max(0, depth), stringStart, stringEnds);
          refuseOver('jsonKeys', keys.count, 'different object keys');
        }
        break;
    }
  }
  return fields.ranges;
}

function refuseOver(
  limit: 'jsonDepth' | 'jsonContainers' | 'jsonValues' | 'jsonKeys',
  found: number,
  unit: string,
): void {
  if (found <= LIMITS[limit]) return;
  throw new ApiError('invalid_json', `The JSON has more than the limit of ${LIMITS[limit]} ${unit}.`);
}
