import { OperatorError } from '../base/index.js';
import { type Amount, parseAmount } from './money.js';

/** Why a change is refused: an argument is wrong, there is no such object, or its state does not permit the change. */
type Refusal = 'invalid' | 'not_found' | 'conflict';

/** The request of an administrator cannot be fulfilled. The message begins with the argument. */
export class AccessError extends OperatorError {
  override readonly name = 'AccessError';

  constructor(
    readonly argument: string,
    readonly problem: string,
    readonly refusal: Refusal = 'invalid',
  ) {
    super(`${argument}: ${problem}`);
  }
}

/** A workspace. Amounts are in units of 10⁻¹² of the currency. `models` and `budget` null: no restriction. */
export interface Workspace {
  readonly id: string;
  /** For people; the id never changes. See `checkName`. */
  readonly name: string | null;
  readonly created: number;
  /** When it was closed, in milliseconds since 1970: its keys do not work. Null: it is open. */
  readonly closed: number | null;
  readonly granted: Amount;
  /** The most that may be charged in a UTC month. */
  readonly budget: Amount | null;
  readonly models: readonly string[] | null;
  readonly bytesPerMinute: number;
  readonly requestsPerMinute: number;
}

export const DEFAULT_WORKSPACE = 'default';
/** Contract 8 `request bytes` and contract 8 `requests and caps`, of a new workspace. */
export const DEFAULT_LIMITS = { bytesPerMinute: 256 * 1024 * 1024, requestsPerMinute: 6_000 };
/** Each request of the last minute is kept individually, in 16 bytes. */
export const REQUESTS_PER_MINUTE_MAX = 1_000_000;
export const BYTES_PER_MINUTE_MAX = 2 ** 40;
const ID = /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/;

/** The workspace that was found under an id. Throws AccessError if there is none. */
export function foundWorkspace(id: string, workspace: Workspace | undefined): Workspace {
  if (workspace === undefined) throw new AccessError('workspace', `${id} does not exist.`, 'not_found');
  return workspace;
}

/** Throws AccessError if a workspace is closed. */
export function requireOpen({ id, closed }: Workspace): void {
  if (closed === null) return;
  throw new AccessError('workspace', `${id} is closed; reopen it first.`, 'conflict');
}

/** Whether a workspace can have this id. */
export const isWorkspaceId = (id: string): boolean => ID.test(id);

/** Parses an amount such as `12.50`. Throws AccessError, which names the argument. */
export function readAmount(argument: string, text: string): Amount {
  const amount = parseAmount(text);
  if (amount !== null) return amount;
  throw new AccessError(
    argument,
    `"${text}" is not an amount such as 12.50, with at most 15 digits before the point and 12 after it.`,
  );
}

/** Parses the amount of a grant, which is not 0. Throws AccessError. */
export function readGrant(text: string): Amount {
  const amount = readAmount('amount', text);
  if (amount === 0n) throw new AccessError('amount', 'it cannot be 0.');
  return amount;
}
