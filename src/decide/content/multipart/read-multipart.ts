import { quoteName } from '../../request/index.js';
import { malformed } from './malformed.js';
import { readPartName } from './part-name.js';
import { splitParts } from './split-parts.js';

const REQUEST = 'request';

/** A decide request with files (contract 4.1): views of the body, nothing copied. */
export interface Multipart {
  /** The JSON text, unread. */
  readonly request: Buffer;
  /** The other parts by name, in the order sent. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/**
 * Reads a `multipart/form-data` body (contract 4.1, RFC 7578): the first part is named `request`, the others are files,
 * each with a name of its own. Content types and file names of parts are not looked at.
 *
 * @throws ApiError `bad_multipart`, with a sentence that says what is wrong
 */
export function readMultipart(body: Buffer, boundary: string): Multipart {
  const parts = splitParts(body, boundary).map(({ header, content }) => ({
    name: readPartName(header),
    content,
  }));
  const [first, ...others] = parts;
  if (first?.name !== REQUEST) throw malformed(`its first part must be named \`${REQUEST}\``);
  const files = new Map<string, Buffer>();
  for (const { name, content } of others) {
    if (name === REQUEST || files.has(name)) throw malformed(`two parts are named ${quoteName(name)}`);
    files.set(name, content);
  }
  return { request: first.content, files };
}
