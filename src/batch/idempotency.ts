import { createHash, createHmac } from 'node:crypto';

/** What is stored of an idempotency key and its file. Without the key, a copy of the store cannot be used to test guesses of the file. */
export interface Idempotency {
  /** The SHA-256 of the header `Idempotency-Key`, in hexadecimal: the name of the entry. */
  readonly digest: string;
  /** The HMAC of the SHA-256 of the decompressed file, with the header as the key, in hexadecimal: what the entry has. */
  readonly body: string;
  /** The SHA-256 of the file, which entries of versions up to 0.2 have. It is not stored; an entry counts for a day. */
  readonly fileDigest: string;
}

/** @param fileDigest the SHA-256 of the decompressed file, in hexadecimal */
export const idempotencyOf = (header: string, fileDigest: string): Idempotency => ({
  digest: createHash('sha256').update(header).digest('hex'),
  body: createHmac('sha256', header).update(fileDigest).digest('hex'),
  fileDigest,
});

/** Whether the file of an entry is that of a submission. `body`: of the entry. */
export const isSameFile = (body: string, submission: Idempotency): boolean =>
  body === submission.body || body === submission.fileDigest;
