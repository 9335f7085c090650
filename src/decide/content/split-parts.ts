import { ApiError, LIMITS } from '../../api/index.js';

/** One part: views of the body, not copies. */
interface RawPart {
  /** The header lines with their line ends, without the empty line; may be empty. */
  readonly header: Buffer;
  readonly content: Buffer;
}

const LINE_END = '\r\n';
const SPACE = 0x20;
const TAB = 0x09;

/**
 * Splits a multipart body at its delimiters (RFC 2046, 5.1.1). The preamble and the epilogue are ignored, as the RFC
 * requires; lines end with CR LF. A boundary at the start of a longer line inside a part is ambiguous and refused.
 *
 * @throws ApiError `bad_multipart` if a delimiter is missing or followed by other text, or if there are more than
 *   `LIMITS.multipartParts` parts or more than `LIMITS.multipartHeaderBytes` of header in one
 */
export function splitParts(body: Buffer, boundary: string): RawPart[] {
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`, 'latin1');
  const parts: RawPart[] = [];
  let at = firstDelimiterEnd(body, delimiter);
  for (;;) {
    const line = readDelimiterLine(body, at);
    if (line.last) return parts;
    if (parts.length === LIMITS.multipartParts) {
      throw malformed(`it has more than the limit of ${LIMITS.multipartParts} parts`);
    }
    const header = readHeaderBlock(body, line.end);
    // By the grammar, a part without content may end with its header: the empty line then belongs to the delimiter.
    const end = body.indexOf(delimiter, header.end - LINE_END.length);
    if (end < 0) throw malformed('the final boundary is missing');
    parts.push({ header: header.block, content: body.subarray(header.end, Math.max(header.end, end)) });
    at = end + delimiter.length;
  }
}

/** The first delimiter may be the first line of the body, with no line end before it. */
function firstDelimiterEnd(body: Buffer, delimiter: Buffer): number {
  const bare = delimiter.subarray(LINE_END.length);
  if (body.subarray(0, bare.length).equals(bare)) return bare.length;
  const start = body.indexOf(delimiter);
  if (start < 0) throw malformed('the boundary does not occur at the start of a line');
  return start + delimiter.length;
}

/** Reads what follows a delimiter: `--` after the last one, then spaces and tabs, then the end of the line. */
function readDelimiterLine(body: Buffer, start: number): { last: boolean; end: number } {
  const last = body.toString('latin1', start, start + 2) === '--';
  let at = last ? start + 2 : start;
  while (body[at] === SPACE || body[at] === TAB) at += 1;
  if (last && at === body.length) return { last, end: at };
  if (body.toString('latin1', at, at + 2) === LINE_END) return { last, end: at + 2 };
  if (at >= body.length) throw malformed('the final boundary is missing');
  throw malformed('a boundary at the start of a line is followed by other text');
}

/** Returns the header lines of a part and where its content starts. */
function readHeaderBlock(body: Buffer, start: number): { block: Buffer; end: number } {
  if (body.toString('latin1', start, start + 2) === LINE_END) {
    return { block: body.subarray(start, start), end: start + 2 };
  }
  const most = body.subarray(start, start + LIMITS.multipartHeaderBytes + LINE_END.length);
  const length = most.indexOf(`${LINE_END}${LINE_END}`, 0, 'latin1');
  if (length >= 0) {
    const blockEnd = start + length + LINE_END.length;
    return { block: body.subarray(start, blockEnd), end: blockEnd + LINE_END.length };
  }
  const why =
    most.length < LIMITS.multipartHeaderBytes + LINE_END.length
      ? 'it ends inside the header of a part'
      : `the header of a part has more than the limit of ${LIMITS.multipartHeaderBytes} bytes, or no end`;
  throw malformed(why);
}

/** The error for a multipart body; `why` completes the message. */
export function malformed(why: string): ApiError {
  return new ApiError('bad_multipart', `The multipart body is malformed: ${why}.`);
}
