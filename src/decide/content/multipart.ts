import { isUtf8 } from 'node:buffer';
import { parameterValues } from '../../base/index.js';
import { quoteName } from '../request/strings.js';
import { malformed, splitParts } from './split-parts.js';

const REQUEST = 'request';

/** A decide request with files (contract 4.1): views of the body, not copies. */
interface Multipart {
  /** The JSON text, not yet parsed. */
  readonly request: Buffer;
  /** The other parts by name, in the order sent. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/**
 * Reads a `multipart/form-data` body (contract 4.1, RFC 7578): the first part is named `request`, the others are files,
 * each with a unique name. Content types and file names of parts are ignored.
 *
 * @throws ApiError `bad_multipart`; the message states the reason
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

/**
 * A header field: a name of token characters, a colon, a value without ASCII control characters other than tab. The header
 * is read byte by byte, because the file name of an old client may be in any encoding; in UTF-8, other control characters
 * begin with C2.
 */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;
/** Transfer encodings that leave the content unchanged (RFC 7578, 4.7). */
const UNCHANGED = ['7bit', '8bit', 'binary'];

/**
 * The name of a part, from its header lines (RFC 7578, 4.2). Names are UTF-8. Within quotes, `\"` and `\\` stand for
 * `"` and `\`; other backslashes are literal. `%22`, `%0D` and `%0A` are decoded, as browsers encode them. Other fields
 * and parameters are ignored, whatever their encoding.
 *
 * @throws ApiError `bad_multipart` for a line that is not a field, a part that does not have exactly one non-empty name,
 *   or content in a transfer encoding
 */
function readPartName(header: Buffer): string {
  const fields = header.toString('latin1').split('\r\n').slice(0, -1).map(readField);
  for (const [field, value] of fields) {
    if (field === 'content-transfer-encoding' && !UNCHANGED.includes(value.toLowerCase())) {
      throw malformed('a part has a Content-Transfer-Encoding');
    }
  }
  const dispositions = fields.filter(([field]) => field === 'content-disposition');
  const [disposition] = dispositions;
  if (disposition === undefined) throw malformed('a part has no Content-Disposition');
  if (dispositions.length > 1) throw malformed('a part has more than one Content-Disposition');
  return nameOf(disposition[1]);
}

function readField(line: string): readonly [name: string, value: string] {
  const match = FIELD.exec(line);
  if (match === null) throw malformed('the header of a part has a line that is not a header field');
  const [, name, value] = match as unknown as [string, string, string];
  return [name.toLowerCase(), value.trim()];
}

function nameOf(disposition: string): string {
  const kind = /^form-data[ \t]*/i.exec(disposition)?.[0];
  if (kind === undefined) throw malformed('the Content-Disposition of a part is not form-data');
  const names = parameterValues(disposition, kind.length, 'name');
  if (names === null) throw malformed('the Content-Disposition of a part cannot be read');
  if (names.length > 1) throw malformed('a part has more than one name');
  const name = decodeName(names[0] ?? '');
  if (name === '') throw malformed('a part has no name');
  return name;
}

function decodeName(value: string): string {
  const text = value.startsWith('"') ? value.slice(1, -1).replace(/\\(["\\])/g, '$1') : value;
  const bytes = Buffer.from(text, 'latin1');
  if (!isUtf8(bytes)) throw malformed('the name of a part is not valid UTF-8');
  const decoded = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 16));
  return bytes.toString('utf8').replace(/%(22|0D|0A)/gi, decoded);
}
