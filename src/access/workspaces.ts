import { type Clock, OperatorError } from '../base/index.js';
import type { Store, Value } from '../store/index.js';
import type { Amount } from './money.js';

/** An administrator asked for something impossible. The message names the argument, or what is missing. */
export class AccessError extends OperatorError {
  override readonly name = 'AccessError';
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
type WorkspaceChange = Partial<Pick<Workspace, 'budget' | 'models' | 'bytesPerMinute' | 'requestsPerMinute'>>;

export const DEFAULT_WORKSPACE = 'default';
/** Contract 8 `request bytes` and contract 8 `requests and caps`, of a new workspace. */
export const DEFAULT_LIMITS = { bytesPerMinute: 256 * 1024 * 1024, requestsPerMinute: 6_000 };
/** Each request of the last minute is kept individually, in 16 bytes. */
export const REQUESTS_PER_MINUTE_MAX = 1_000_000;
export const BYTES_PER_MINUTE_MAX = 2 ** 40;
const ID = /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/;

/** Creates a workspace without credit. Throws AccessError. */
export function createWorkspace(store: Store, clock: Clock, id: string): Workspace {
  if (!ID.test(id)) {
    throw new AccessError(
      `workspace: "${id}" is not 1 to 64 lower-case letters, digits, _ or -, with a letter or digit at both ends.`,
    );
  }
  return store.change(() => {
    if (store.table('workspaces').get(id) !== undefined) {
      throw new AccessError(`workspace: ${id} already exists.`);
    }
    const created = clock.now();
    return put(store, { id, created, granted: 0n, budget: null, models: null, ...DEFAULT_LIMITS });
  });
}

export function listWorkspaces(store: Store): Workspace[] {
  return [...store.table('workspaces').entries()].map(({ value }) => fromRow(value));
}

/** Throws AccessError if the workspace does not exist. */
export function getWorkspace(store: Store, id: string): Workspace {
  const found = findWorkspace(store, id);
  if (found === undefined) throw new AccessError(`workspace: there is no ${id}.`);
  return found;
}

export function findWorkspace(store: Store, id: string): Workspace | undefined {
  const row = ID.test(id) ? store.table('workspaces').get(id) : undefined;
  return row && fromRow(row);
}

/** Grants credit; a negative amount takes it back. Throws AccessError. */
export function grantCredit(store: Store, clock: Clock, id: string, amount: Amount): Workspace {
  return store.change(() => {
    const workspace = getWorkspace(store, id);
    const grants = store.table('grants');
    const number = [...grants.entries(id)].length;
    grants.put([id, number], { at: clock.now(), amount: amount.toString() });
    return put(store, { ...workspace, granted: workspace.granted + amount });
  });
}

/** Sets budget, models or limits. Throws AccessError. */
export function changeWorkspace(store: Store, id: string, change: WorkspaceChange): Workspace {
  checkChange(change);
  return store.change(() => put(store, { ...getWorkspace(store, id), ...change }));
}

function checkChange({ budget, bytesPerMinute, requestsPerMinute }: WorkspaceChange): void {
  if (budget !== undefined && budget !== null && budget < 0n) {
    throw new AccessError('budget: it cannot be negative.');
  }
  checkLimit('requests-per-minute', requestsPerMinute, REQUESTS_PER_MINUTE_MAX);
  checkLimit('bytes-per-minute', bytesPerMinute, BYTES_PER_MINUTE_MAX);
}

function checkLimit(name: string, value: number | undefined, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= max)) return;
  throw new AccessError(`${name}: it must be a whole number from 1 to ${max}.`);
}

function put(store: Store, workspace: Workspace): Workspace {
  const { granted, budget, models } = workspace;
  store.table('workspaces').put([workspace.id], {
    ...workspace,
    granted: granted.toString(),
    budget: budget === null ? null : budget.toString(),
    models: models === null ? null : [...models],
  });
  return workspace;
}

function fromRow(row: Value<'workspaces'>): Workspace {
  const { granted, budget } = row;
  return { ...row, granted: BigInt(granted), budget: budget === null ? null : BigInt(budget) };
}
