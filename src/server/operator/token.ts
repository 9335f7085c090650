import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createOwnFile, foreignOwner, randomLetters, StartError } from '../../base/index.js';
import { OPERATOR_TOKEN, type Settings } from '../../settings/index.js';

/** The file of the token in the data folder. */
export const OPERATOR_TOKEN_FILE = 'operator.token';
/** 256 random bits. */
const LETTERS = 43;

/**
 * The token of the operator listener: `given` unless that is empty, else the one in the data folder's `operator.token`,
 * which is created if it is missing. Throws StartError.
 */
export function operatorToken(folder: string, given: string): string {
  if (given !== '') return given;
  return usable(folder, (file) => {
    if (statSync(file, { throwIfNoEntry: false }) === undefined)
      createOwnFile(file, `op_${randomLetters(LETTERS)}\n`);
    return readToken(file);
  });
}

/** Throws StartError if the operator listener is to use a token of the data folder that it cannot use. */
export function requireOperatorToken({ data, operator }: Pick<Settings, 'data' | 'operator'>): void {
  if (operator.port === 0 || operator.token !== '') return;
  usable(data, (file) => statSync(file, { throwIfNoEntry: false }) && readToken(file));
}

/** Calls `use` with the file of the token. Throws StartError. */
function usable<Result>(folder: string, use: (file: string) => Result): Result {
  const file = join(folder, OPERATOR_TOKEN_FILE);
  try {
    return use(file);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${file} cannot be used: ${(error as Error).message}.`);
  }
}

function readToken(file: string): string {
  const fault = openness(file);
  if (fault !== null) throw new StartError(`${file} ${fault}`);
  const token = readFileSync(file, 'utf8').trim();
  if (OPERATOR_TOKEN.pattern.test(token)) return token;
  throw new StartError(`${file} must be ${OPERATOR_TOKEN.form}.`);
}

/** Why others may know a token, and what to do; null: they do not. */
function openness(file: string): string | null {
  if ((statSync(file).mode & 0o007) !== 0)
    return 'is accessible to all users. Change its mode to 0600 or 0640.';
  const owner = foreignOwner(file);
  if (owner === null) return null;
  return `belongs to user ${owner}, who may know the token. Change its owner to the user of the server.`;
}

/** Whether an `Authorization` header carries the token. */
export function carriesToken(header: string | undefined, token: string): boolean {
  const sent = /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
  return sent !== undefined && timingSafeEqual(digest(sent), digest(token));
}

/** Equally long for every token, as `timingSafeEqual` requires. */
const digest = (token: string) => createHash('sha256').update(token).digest();
