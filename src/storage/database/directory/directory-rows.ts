import type { Key, Workspace } from '../../../access/index.js';

/** Columns of `keys` as a `KeyRow`. */
export const KEY_COLUMNS = 'id, workspace, name, digest, created, expires, revoked, rolled_to AS "rolledTo"';

/** Columns of `workspaces` as a `WorkspaceRow`. */
export const WORKSPACE_COLUMNS = `id, name, created, closed, granted, budget, models,
  bytes_per_minute AS "bytesPerMinute", requests_per_minute AS "requestsPerMinute"`;

export type KeyRow = Key;

export interface WorkspaceRow extends Omit<Workspace, 'granted' | 'budget'> {
  readonly granted: string;
  readonly budget: string | null;
}

/** The key of a row, which may have further columns. */
export const keyOf = ({ id, workspace, name, digest, created, expires, revoked, rolledTo }: KeyRow): Key => ({
  id,
  workspace,
  name,
  digest,
  created,
  expires,
  revoked,
  rolledTo,
});

/** The workspace of a row, which may have further columns. */
export const workspaceOf = ({
  id,
  name,
  created,
  closed,
  granted,
  budget,
  models,
  bytesPerMinute,
  requestsPerMinute,
}: WorkspaceRow): Workspace => ({
  id,
  name,
  created,
  closed,
  granted: BigInt(granted),
  budget: budget === null ? null : BigInt(budget),
  models,
  bytesPerMinute,
  requestsPerMinute,
});
