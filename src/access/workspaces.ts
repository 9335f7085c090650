import { OperatorError } from '../base/index.js';
import type { Audited, AuditFields } from './audit.js';
import { type Amount, parseAmount, showAmount } from './money.js';

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
  readonly created: number;
  readonly granted: Amount;
  /** The most that may be charged in a UTC month. */
  readonly budget: Amount | null;
  readonly models: readonly string[] | null;
  readonly bytesPerMinute: number;
  readonly requestsPerMinute: number;
}

/** The settings of a workspace that can change. */
export type WorkspaceChange = Partial<
  Pick<Workspace, 'budget' | 'models' | 'bytesPerMinute' | 'requestsPerMinute'>
>;

export const DEFAULT_WORKSPACE = 'default';
/** Contract 8 `request bytes` and contract 8 `requests and caps`, of a new workspace. */
export const DEFAULT_LIMITS = { bytesPerMinute: 256 * 1024 * 1024, requestsPerMinute: 6_000 };
/** Each request of the last minute is kept individually, in 16 bytes. */
export const REQUESTS_PER_MINUTE_MAX = 1_000_000;
export const BYTES_PER_MINUTE_MAX = 2 ** 40;
const ID = /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/;

/** Characters of the name of a model that a workspace may use. */
export const MODEL_NAME_CHARACTERS_MAX = 128;
/** Commands separate names by spaces and commas, and `all` stands for all models. */
const MODEL_NAME = new RegExp(`^[A-Za-z0-9][\\w.:/@+-]{0,${MODEL_NAME_CHARACTERS_MAX - 1}}$`);

/** The rules of a new workspace, which has no credit. Throws AccessError. */
export function workspaceCreation(id: string, now: number): Audited<Workspace> {
  if (!isWorkspaceId(id)) {
    throw new AccessError(
      'workspace',
      `"${id}" is not 1 to 64 lower-case letters, digits, _ or -, with a letter or digit at both ends.`,
    );
  }
  const result = { id, created: now, granted: 0n, budget: null, models: null, ...DEFAULT_LIMITS };
  return { result, record: { action: 'workspace.create', workspace: id, after: fieldsOf(result) } };
}

/** The error for the id of an existing workspace. */
export const workspaceExists = (id: string): AccessError =>
  new AccessError('workspace', `${id} already exists.`, 'conflict');

/** The workspace that was found under an id. Throws AccessError if there is none. */
export function foundWorkspace(id: string, workspace: Workspace | undefined): Workspace {
  if (workspace === undefined) throw new AccessError('workspace', `${id} does not exist.`, 'not_found');
  return workspace;
}

/** Whether a workspace can have this id. */
export const isWorkspaceId = (id: string): boolean => ID.test(id);

/** Grants credit; a negative amount takes it back. */
export function creditGrant(before: Workspace, amount: Amount): Audited<Workspace> {
  const granted = before.granted + amount;
  return {
    result: { ...before, granted },
    record: {
      action: 'workspace.credit',
      workspace: before.id,
      before: { granted: showAmount(before.granted) },
      after: { granted: showAmount(granted) },
    },
  };
}

/** The rules of a change of budget, models or limits. Throws AccessError. */
export function workspaceUpdate(before: Workspace, change: WorkspaceChange): Audited<Workspace> {
  checkModels(change.models ?? [], before.models);
  const result = { ...before, ...change };
  return {
    result,
    record: {
      action: 'workspace.change',
      workspace: before.id,
      before: fieldsOf(before),
      after: fieldsOf(result),
    },
  };
}

/** The rules that a change has to satisfy for any workspace. Throws AccessError. */
export function checkChange({ budget, bytesPerMinute, requestsPerMinute }: WorkspaceChange): void {
  if (budget !== undefined && budget !== null && budget < 0n) {
    throw new AccessError('budget', 'it cannot be negative.');
  }
  checkLimit('requests-per-minute', requestsPerMinute, REQUESTS_PER_MINUTE_MAX);
  checkLimit('bytes-per-minute', bytesPerMinute, BYTES_PER_MINUTE_MAX);
}

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

/**
 * Throws AccessError for a name that no model can have, or that is not in the manifest (`isKnown`) as a model, a build or
 * an alias. Names that the workspace may already use are accepted even if the manifest no longer has them.
 */
export function requireModels(
  names: readonly string[],
  isKnown: (name: string) => boolean,
  { models }: Workspace,
  remedy: 'Use --force' | 'Set force to true',
): void {
  checkModels(names, models);
  const unknown = names.find((name) => !isKnown(name) && !models?.includes(name));
  if (unknown === undefined) return;
  throw new AccessError('models', `the manifest has no ${unknown}. ${remedy} to allow it anyway.`);
}

/** What the audit log has of a workspace. */
function fieldsOf(workspace: Workspace): AuditFields {
  const { granted, budget, models, requestsPerMinute, bytesPerMinute } = workspace;
  return {
    granted: showAmount(granted),
    budget: budget === null ? 'none' : showAmount(budget),
    models: models === null ? 'all' : models.join(' '),
    requests_per_minute: String(requestsPerMinute),
    bytes_per_minute: String(bytesPerMinute),
  };
}

/** Names that the workspace has already are accepted: earlier versions did not check them. */
function checkModels(names: readonly string[], present: readonly string[] | null): void {
  const wrong = names.find((name) => (!MODEL_NAME.test(name) || name === 'all') && !present?.includes(name));
  if (wrong === undefined) return;
  const shown = JSON.stringify(wrong.slice(0, MODEL_NAME_CHARACTERS_MAX));
  throw new AccessError(
    'models',
    `${shown} cannot be a model: names have 1 to ${MODEL_NAME_CHARACTERS_MAX} letters, digits or . _ : / @ + -, begin with a letter or digit, and are not "all".`,
  );
}

function checkLimit(name: string, value: number | undefined, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= max)) return;
  throw new AccessError(name, `it must be a whole number from 1 to ${max}.`);
}
