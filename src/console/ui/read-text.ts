/** A file is not a text of UTF-8. */
export class NotUtf8 extends Error {
  override readonly name = 'NotUtf8';

  constructor() {
    super('The file is not UTF-8 text: save it as UTF-8.');
  }
}

/** What `decode` reads with a decoder that is fatal. Throws NotUtf8: the browser's own message is one for programmers. */
export function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new NotUtf8();
  }
}

/** The text of a file, without a byte order mark. Rejects with NotUtf8, or with the reason why it cannot be read. */
export async function readText(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
  return decoded(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}
