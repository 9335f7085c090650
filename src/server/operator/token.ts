import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createOwnFile, randomLetters, StartError } from '../../base/index.js';

/** The file of the token in the data folder. */
export const OPERATOR_TOKEN_FILE = 'operator.token';
/** 256 random bits. */
const LETTERS = 43;
const TOKEN = /^[\x21-\x7e]{32,256}$/;

/**
 * The token of the operator listener: `given` unless that is empty, else the one in the data folder's `operator.token`,
 * which is created if it is missing. Throws StartError.
 */
export function operatorToken(folder: string, given: string): string {
  if (given !== '') return checked(given, 'operator.token');
  const file = join(folder, OPERATOR_TOKEN_FILE);
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) createOwnFile(file, `op_${randomLetters(LETTERS)}\n`);
    else if ((found.mode & 0o007) !== 0) {
      throw new StartError(`${file} is accessible to all users. Change its mode to 0600 or 0640.`);
    }
    return checked(readFileSync(file, 'utf8').trim(), file);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${file} cannot be used: ${(error as Error).message}.`);
  }
}

/** Whether an `Authorization` header carries the token. */
export function carriesToken(header: string | undefined, token: string): boolean {
  const sent = /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
  return sent !== undefined && timingSafeEqual(digest(sent), digest(token));
}

/** Equally long for every token, as `timingSafeEqual` requires. */
const digest = (token: string) => createHash('sha256').update(token).digest();

function checked(token: string, source: string): string {
  if (TOKEN.test(token)) return token;
  throw new StartError(`${source} must be 32 to 256 printable ASCII characters without spaces.`);
}
