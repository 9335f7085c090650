/** What Windows tools write at the beginning of a UTF-8 file. A parser may ignore it (RFC 8259, 8.1). */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export const hasByteOrderMark = (bytes: Buffer): boolean =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);

/** The bytes of a text without a byte order mark at its beginning. */
export const withoutByteOrderMark = (bytes: Buffer): Buffer =>
  hasByteOrderMark(bytes) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;

/** Whether a file is UTF-16, as some Windows tools write text. */
export const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
