import type { HeaderList } from './transport-types.js';

/**
 * The header fields of a request of node:http, from its `rawHeaders`: names in lower case, in the order sent. Its objects of
 * fields are not used, because a field may be called `__proto__`.
 */
export function headerList(raw: readonly string[]): HeaderList {
  const list: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) list.push([raw[at]!.toLowerCase(), raw[at + 1]!]);
  return list;
}
