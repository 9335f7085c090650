/** One answer as it came over a connection. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Nothing else comes on the connection, by what the answer says. */
  readonly closes: boolean;
}

/** Bytes that are no answer of HTTP. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** Takes the bytes of a connection apart into answers. */
export class AnswerReader {
  private bytes: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
  }

  /** Bytes that belong to no answer yet. */
  get left(): Buffer {
    return this.bytes;
  }

  /**
   * The next answer that is there as a whole, interim ones passed over; null: more must come. Throws BadAnswer.
   *
   * @param head whether the answer is one to HEAD, which has no body
   * @param ended whether nothing more comes
   */
  next(head: boolean, ended: boolean): Answer | null {
    for (;;) {
      const end = this.bytes.indexOf('\r\n\r\n');
      if (end < 0) return null;
      const { status, headers } = readHead(this.bytes.toString('latin1', 0, end));
      const interim = status < 200;
      const body =
        interim || head ? { content: Buffer.alloc(0), end: end + 4 } : this.body(headers, end + 4, ended);
      if (body === null) return null;
      this.bytes = this.bytes.subarray(body.end);
      if (!interim)
        return { status, headers, body: body.content, closes: headers.get('connection') === 'close' };
    }
  }

  private body(headers: ReadonlyMap<string, string>, start: number, ended: boolean) {
    if (headers.get('transfer-encoding') === 'chunked') return readChunks(this.bytes, start);
    const length = headers.get('content-length');
    if (length === undefined)
      return ended ? { content: this.bytes.subarray(start), end: this.bytes.length } : null;
    if (!/^\d+$/.test(length)) throw new BadAnswer(`Content-Length: ${length}`);
    const end = start + Number(length);
    return this.bytes.length < end ? null : { content: this.bytes.subarray(start, end), end };
  }
}

function readHead(text: string): { status: number; headers: Map<string, string> } {
  const [first = '', ...lines] = text.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
  if (status === undefined) throw new BadAnswer(`it begins with ${JSON.stringify(first.slice(0, 80))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw new BadAnswer(`the header line ${JSON.stringify(line.slice(0, 80))}`);
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(status), headers };
}

function readChunks(bytes: Buffer, start: number): { content: Buffer; end: number } | null {
  const pieces: Buffer[] = [];
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return null;
    const size = bytes.toString('latin1', at, line);
    if (!/^[0-9a-f]+$/i.test(size))
      throw new BadAnswer(`a chunk of ${JSON.stringify(size.slice(0, 80))} bytes`);
    const length = Number.parseInt(size, 16);
    if (length === 0) {
      const over = endOfTrailer(bytes, line + 2);
      return over === null ? null : { content: Buffer.concat(pieces), end: over };
    }
    const end = line + 2 + length;
    if (bytes.length < end + 2) return null;
    pieces.push(bytes.subarray(line + 2, end));
    at = end + 2;
  }
}

/** The end of the fields behind the last chunk and of the empty line behind them; null: more must come. */
function endOfTrailer(bytes: Buffer, start: number): number | null {
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return null;
    if (line === at) return line + 2;
    at = line + 2;
  }
}
