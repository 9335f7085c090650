import type { TableName } from '../folder/lmdb/tables.js';

/** The fields of a JSON value, and where the database has each: in a column, or as a group in several. */
export interface Fields {
  readonly [field: string]: string | Group | List;
}

/** A nested object. */
interface Group {
  readonly fields: Readonly<Record<string, string>>;
  /** What the value has in place of the object if all of its columns are `column`; absent: there always is an object. */
  readonly without?: { readonly value: null | undefined; readonly column: null | 0 };
}

/** An array of objects in a column of JSON, which does not keep the order of their fields. */
interface List {
  readonly column: string;
  readonly fields: readonly string[];
}

/** How the entries of a table of the data folder are rows of a table of the database. */
export interface Correspondence {
  readonly table: string;
  /** The columns of the parts of the key, in their order. */
  readonly key: readonly string[];
  /** Where the value is: in one column, or its fields in several. */
  readonly value: string | Fields;
  /** Further columns of the database, derived from the entry; see `addedColumns`. */
  readonly added?: readonly string[];
  /** The table of the data folder is an index: the entries of another table write the rows. */
  readonly isIndex?: true;
  /** Entries, with the task first in the key, stay for a while after their task is deleted. Only those of other tasks are moved. */
  readonly outlivesTask?: true;
}

/** Chunk or line of a batch, and an encrypted value. */
const sealedOf = (table: string, part: 'chunk' | 'line'): Correspondence => ({
  table,
  key: ['batch', part],
  value: 'sealed',
});

/**
 * Where the database has the entries of each table of the data folder, except `meta` (see `Facts`), `lists`, an index that
 * follows from two others, and `batch_erasures`, which must be empty: with a database, an erased batch is marked at once. Moves in both
 * directions and the comparison use it.
 */
const CORRESPONDENCES = {
  workspaces: {
    table: 'workspaces',
    key: ['id'],
    value: {
      id: 'id',
      name: 'name',
      created: 'created',
      closed: 'closed',
      granted: 'granted',
      budget: 'budget',
      models: 'models',
      bytesPerMinute: 'bytes_per_minute',
      requestsPerMinute: 'requests_per_minute',
    },
    added: ['sorted_name', 'changed'],
  },
  grants: { table: 'grants', key: ['workspace', 'number'], value: { at: 'at', amount: 'amount' } },
  keys: {
    table: 'keys',
    key: ['id'],
    value: {
      id: 'id',
      workspace: 'workspace',
      name: 'name',
      digest: 'digest',
      created: 'created',
      expires: 'expires',
      revoked: 'revoked',
      rolledTo: 'rolled_to',
    },
    added: ['sorted_name', 'changed'],
  },
  digests: { table: 'keys', key: ['digest'], value: 'id', isIndex: true },
  key_uses: { table: 'key_uses', key: ['key'], value: { used: 'used' } },
  audit: {
    table: 'audit',
    key: ['entry'],
    value: {
      at: 'at',
      actor: 'actor',
      action: 'action',
      workspace: 'workspace',
      key: 'key',
      changes: { column: 'changes', fields: ['field', 'before', 'after'] },
    },
  },
  accounts: {
    table: 'accounts',
    key: ['workspace'],
    value: { charged: 'charged', month: 'month', monthCharged: 'month_charged' },
  },
  usage: {
    table: 'usage',
    key: ['workspace', 'day', 'key', 'model', 'kind', 'price'],
    value: { requests: 'requests', inputTokens: 'input_tokens', amount: 'amount' },
  },
  batches: {
    table: 'batches',
    key: ['id'],
    value: {
      id: 'id',
      key: 'key',
      workspace: 'workspace',
      number: 'number',
      state: 'state',
      lines: 'lines',
      chunks: 'chunks',
      done: 'done',
      failed: 'failed',
      models: 'models',
      created: 'created',
      started: 'started',
      finished: 'finished',
      expires: 'expires',
      collected: 'collected',
      reason: 'reason',
      estimate: {
        fields: { amount: 'estimate_amount', inputTokens: 'estimate_tokens', rate: 'estimate_rate' },
      },
      webhook: {
        fields: { attempts: 'webhook_attempts', due: 'webhook_due' },
        without: { value: null, column: null },
      },
      // Batches whose webhook was not called, or by an earlier version, have no outcome.
      called: { fields: { outcome: 'webhook_outcome' }, without: { value: undefined, column: null } },
      deleted: 'deleted',
      // Batches of earlier versions have no sizes. No batch has values of 0 bytes.
      stored: {
        fields: { lines: 'stored_lines', other: 'stored_other' },
        without: { value: undefined, column: 0 },
      },
    },
  },
  batch_order: { table: 'batches', key: ['key', 'number'], value: 'id', isIndex: true },
  batch_lines: sealedOf('batch_lines', 'chunk'),
  batch_ids: { ...sealedOf('batch_ids', 'chunk'), added: ['first', 'lines'] },
  batch_results: sealedOf('batch_results', 'line'),
  batch_aborts: {
    table: 'batch_aborts',
    key: ['batch', 'line'],
    value: { count: 'count', last: 'last', reason: 'reason' },
  },
  batch_webhooks: { table: 'batch_webhooks', key: ['batch'], value: 'sealed' },
  submissions: {
    table: 'submissions',
    key: ['key', 'digest'],
    value: { batch: 'batch', body: 'body', at: 'at' },
  },
  tasks: {
    table: 'tasks',
    key: ['workspace', 'name'],
    value: {
      id: 'id',
      created: 'created',
      changed: 'changed',
      version: 'version',
      bytes: 'bytes',
      sealed: 'sealed',
    },
  },
  task_versions: { table: 'task_versions', key: ['task', 'version'], value: 'sealed' },
  task_answers: {
    table: 'task_answers',
    key: ['task', 'number'],
    value: { ref: 'ref', at: 'at', version: 'version', build: 'build', sealed: 'sealed' },
    outlivesTask: true,
  },
  task_labels: {
    table: 'task_labels',
    key: ['task', 'ref'],
    value: {
      ref: 'ref',
      at: 'at',
      version: 'version',
      build: 'build',
      sealed: 'sealed',
      expected: 'expected',
    },
    outlivesTask: true,
  },
  task_fits: { table: 'task_fits', key: ['task', 'build'], value: 'sealed' },
  task_shadows: { table: 'task_shadows', key: ['task'], value: 'sealed' },
  task_monitors: { table: 'task_monitors', key: ['task', 'build'], value: 'sealed' },
  task_refs: {
    table: 'task_answers',
    key: ['task', 'ref'],
    value: 'number',
    isIndex: true,
    outlivesTask: true,
  },
  data_keys: { table: 'data_keys', key: ['owner'], value: 'sealed' },
} as const satisfies Record<Exclude<TableName, 'meta' | 'lists' | 'batch_erasures'>, Correspondence>;

export type MovedTable = keyof typeof CORRESPONDENCES;
export const MOVED_TABLES = Object.keys(CORRESPONDENCES) as MovedTable[];

export const correspondenceOf = (name: MovedTable): Correspondence => CORRESPONDENCES[name];

/** The columns that entries of a table have, each once: those of the key first. */
export function columnsOf(name: MovedTable): readonly string[] {
  const { key, value } = correspondenceOf(name);
  const ofValue = typeof value === 'string' ? [value] : Object.values(value).flatMap(columnsOfField);
  return [...new Set([...key, ...ofValue])];
}

function columnsOfField(field: Fields[string]): readonly string[] {
  if (typeof field === 'string') return [field];
  return 'column' in field ? [field.column] : Object.values(field.fields);
}
