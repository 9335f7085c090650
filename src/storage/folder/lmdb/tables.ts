import type { AuditEntry, Key } from '../../../access/index.js';
import { BATCH_STATES } from '../../../api/index.js';
import {
  isArrayOf,
  isBoolean,
  isCount,
  isNullOr,
  isNumber,
  isObjectOf,
  isOneOf,
  isOptional,
  isPartOf,
  isString,
  matches,
  type Shape,
} from '../../../base/index.js';
import type { Batch, LineAborts } from '../../../batch/index.js';
import { type KeyLayout, SEALED_PLACES } from '../../../sealing/index.js';
import type { AnswerRow, LabelRow } from '../../../tasks/index.js';

/** Milliseconds since 1970. */
const isInstant = isCount;
/** Money in units of 10⁻¹² of the currency, as a decimal string: JSON has no integers of that size. */
const isAmount = matches(/^-?[0-9]{1,38}$/);

const isBase64 = matches(/^[A-Za-z0-9+/]+={0,2}$/);

const isBatchState = isOneOf(...BATCH_STATES);

const isKey: Shape<Key> = isObjectOf({
  id: isString,
  workspace: isString,
  name: isNullOr(isString),
  digest: matches(/^[0-9a-f]{64}$/),
  created: isInstant,
  expires: isNullOr(isInstant),
  revoked: isNullOr(isInstant),
  rolledTo: isNullOr(isString),
});

const isAuditEntry: Shape<AuditEntry> = isObjectOf({
  at: isInstant,
  actor: isString,
  /** One of `AUDIT_ACTIONS`, or of a later version. */
  action: isString,
  workspace: isNullOr(isString),
  key: isNullOr(isString),
  changes: isArrayOf(isObjectOf({ field: isString, before: isNullOr(isString), after: isNullOr(isString) })),
});

const isBatch: Shape<Batch> = isObjectOf({
  id: isString,
  key: isString,
  workspace: isString,
  /** Its place among the batches of its key. */
  number: isCount,
  state: isBatchState,
  lines: isCount,
  chunks: isCount,
  done: isCount,
  failed: isCount,
  models: isArrayOf(isString),
  created: isInstant,
  started: isNullOr(isInstant),
  finished: isNullOr(isInstant),
  expires: isInstant,
  collected: isNullOr(isInstant),
  reason: isNullOr(isString),
  estimate: isObjectOf({ amount: isAmount, inputTokens: isCount, rate: isNumber }),
  webhook: isNullOr(isObjectOf({ attempts: isCount, due: isNullOr(isInstant) })),
  /** What the last call of its webhook came to. */
  called: isOptional(isObjectOf({ outcome: isString })),
  deleted: isBoolean,
  /** Bytes that its lines take until it finishes, and its other values until it is deleted. */
  stored: isOptional(isObjectOf({ lines: isCount, other: isCount })),
});

const ANSWER_FIELDS = {
  ref: matches(/^[0-9a-f]{32}$/),
  at: isInstant,
  version: isCount,
  build: isString,
  sealed: isBase64,
};
const isAnswerRow: Shape<AnswerRow> = isObjectOf(ANSWER_FIELDS);

const isLabelRow: Shape<LabelRow> = isObjectOf({ ...ANSWER_FIELDS, expected: isBase64 });

const isLineAborts: Shape<LineAborts> = isObjectOf({ count: isCount, last: isString, reason: isString });

/** The room that writes a table, and what it stores there. */
interface TableFacts {
  readonly owner: 'store' | 'access' | 'batch' | 'task';
  readonly meaning: string;
  readonly key: KeyLayout;
}

/**
 * Every table of the environment. Values are JSON of the shape, except `sealed` ones, which are ciphertext (see
 * sealing.ts). Workspaces, grants, keys, digests, lists, erasures and the audit log are written by `Store.change`,
 * in any process; the others by `Store.write` of the running server alone, which may therefore keep them in memory. Six
 * tables are written in both ways: `audit` also by `write`, when a task is promoted and when the operator cancels a batch;
 * `data_keys` and `batch_webhooks` also by `change`, when a batch is erased, and `data_keys` when the master key is replaced;
 * `batch_erasures` also by `write`, once the batch is removed; `batch_aborts` also by `change`, when an abort is counted;
 * `meta` also by `write`, when the time is stored.
 */
export const TABLES = {
  meta: {
    owner: 'store',
    meaning:
      'The version of the format, the number of administrative changes, a check of the master key, the server’s clock.',
    key: SEALED_PLACES.meta,
    value: isPartOf({
      format: isCount,
      changes: isCount,
      check: isString,
      shown: isInstant,
      certain: isInstant,
    }),
  },
  workspaces: {
    owner: 'access',
    meaning: 'A workspace: name, credit granted, budget, models, limits, and when it was closed.',
    key: [['workspace', 'text']],
    value: isObjectOf({
      id: isString,
      name: isNullOr(isString),
      created: isInstant,
      closed: isNullOr(isInstant),
      granted: isAmount,
      budget: isNullOr(isAmount),
      models: isNullOr(isArrayOf(isString)),
      bytesPerMinute: isCount,
      requestsPerMinute: isCount,
    }),
  },
  grants: {
    owner: 'access',
    meaning: 'Credit granted to a workspace, or taken back.',
    key: [
      ['workspace', 'text'],
      ['number', 'number'],
    ],
    value: isObjectOf({ at: isInstant, amount: isAmount }),
  },
  keys: {
    owner: 'access',
    meaning: 'An API key. The token itself is not stored.',
    key: [['key', 'text']],
    value: isKey,
  },
  digests: {
    owner: 'access',
    meaning: 'The key whose token has this SHA-256.',
    key: [['digest', 'text']],
    value: isString,
  },
  lists: {
    owner: 'access',
    meaning:
      'The workspaces and the keys, each in the order of one field, with what they are searched by. An index of both tables.',
    key: [
      ['list', 'text'],
      ['group', 'text'],
      ['rank', 'text'],
      ['id', 'text'],
      ['owner', 'text'],
      ['text', 'text'],
      ['end', 'text'],
    ],
    value: isOneOf(''),
  },
  key_uses: {
    owner: 'access',
    meaning: 'When a key was last used: the beginning of the hour.',
    key: [['key', 'text']],
    value: isObjectOf({ used: isInstant }),
  },
  audit: {
    owner: 'store',
    meaning: 'Administrative changes: when, by whom, and which fields. Numbered from 1, without gaps.',
    key: [['entry', 'number']],
    value: isAuditEntry,
  },
  accounts: {
    owner: 'access',
    meaning: 'What a workspace was charged in total, and in its current month.',
    key: [['workspace', 'text']],
    value: isObjectOf({
      charged: isAmount,
      month: matches(/^[0-9]{4}-[0-9]{2}$/),
      monthCharged: isAmount,
    }),
  },
  usage: {
    owner: 'access',
    meaning: 'What a key used of a model on a UTC day at one price, live and batch separately.',
    key: [
      ['workspace', 'text'],
      ['day', 'text'],
      ['key', 'text'],
      ['model', 'text'],
      ['kind', 'text'],
      ['price', 'text'],
    ],
    value: isObjectOf({ requests: isCount, inputTokens: isCount, amount: isAmount }),
  },
  batches: {
    owner: 'batch',
    meaning: 'A batch: its state, its counts, when it ends and is deleted.',
    key: [['batch', 'text']],
    value: isBatch,
  },
  batch_order: {
    owner: 'batch',
    meaning: 'The batches of a key, oldest first.',
    key: [
      ['key', 'text'],
      ['number', 'number'],
    ],
    value: isString,
  },
  batch_lines: {
    owner: 'batch',
    meaning: 'The lines as they were sent, in chunks; removed when the batch finishes.',
    key: SEALED_PLACES.batch_lines,
    value: 'sealed',
  },
  batch_ids: {
    owner: 'batch',
    meaning: 'The custom ids and models of the lines, in the same chunks.',
    key: SEALED_PLACES.batch_ids,
    value: 'sealed',
  },
  batch_results: {
    owner: 'batch',
    meaning: 'The result of every line that was answered, refused or given up.',
    key: SEALED_PLACES.batch_results,
    value: 'sealed',
  },
  batch_aborts: {
    owner: 'batch',
    meaning:
      'How often the engine ended the server while it computed a line that has no result, and why it last did.',
    key: [
      ['batch', 'text'],
      ['line', 'number'],
    ],
    value: isLineAborts,
  },
  batch_webhooks: {
    owner: 'batch',
    meaning: 'The webhook address of a batch.',
    key: SEALED_PLACES.batch_webhooks,
    value: 'sealed',
  },
  batch_erasures: {
    owner: 'access',
    meaning: 'The batches that were erased and that the server has not removed yet, and when.',
    key: [['batch', 'text']],
    value: isObjectOf({ at: isInstant }),
  },
  submissions: {
    owner: 'batch',
    meaning:
      'The batch made under an idempotency key, by the SHA-256 of that, and a digest of its file (see `Idempotency`).',
    key: [
      ['key', 'text'],
      ['digest', 'text'],
    ],
    value: isObjectOf({ batch: isString, body: isString, at: isInstant }),
  },
  tasks: {
    owner: 'task',
    meaning: 'A task of a workspace: its version in use. What a caller wrote is encrypted, but the name.',
    key: SEALED_PLACES.tasks,
    value: isObjectOf({
      id: isString,
      created: isInstant,
      changed: isInstant,
      version: isCount,
      /** Of the questions of all versions. */
      bytes: isCount,
      sealed: isBase64,
    }),
  },
  task_versions: {
    owner: 'task',
    meaning: 'The questions of a version of a task; under 0, the list of its versions.',
    key: SEALED_PLACES.task_versions,
    value: 'sealed',
  },
  task_answers: {
    owner: 'task',
    meaning: 'The last answers of a task, oldest first. Numbers only, and encrypted.',
    key: [
      ['task', 'text'],
      ['number', 'number'],
    ],
    value: isAnswerRow,
  },
  task_labels: {
    owner: 'task',
    meaning: 'Answers of a task whose correct options are known. Encrypted.',
    key: SEALED_PLACES.task_labels,
    value: isLabelRow,
  },
  task_fits: {
    owner: 'task',
    meaning: 'What the last fit of a task to the labels of a build has found.',
    key: SEALED_PLACES.task_fits,
    value: 'sealed',
  },
  task_shadows: {
    owner: 'task',
    meaning: 'How the answers of the shadow build of a task compare with those that were sent.',
    key: SEALED_PLACES.task_shadows,
    value: 'sealed',
  },
  task_monitors: {
    owner: 'task',
    meaning: 'What the answers to a task and new labels say since the last fit to a build: drift and errors.',
    key: SEALED_PLACES.task_monitors,
    value: 'sealed',
  },
  task_refs: {
    owner: 'task',
    meaning: 'The number of the answer that a digest names.',
    key: SEALED_PLACES.task_answers,
    value: isCount,
  },
  data_keys: {
    owner: 'store',
    meaning: 'The data key that encrypts one owner’s values, itself encrypted by the master key.',
    key: SEALED_PLACES.data_keys,
    value: 'sealed',
  },
} as const satisfies Record<string, TableFacts & { readonly value: Shape<unknown> | 'sealed' }>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** Tables that not all folders of earlier formats have, with the first format that has them: until then the start creates them. */
export const ADDED_TABLES: ReadonlyMap<TableName, number> = new Map([
  ['audit', 2],
  ['batch_aborts', 2],
  ['batch_erasures', 3],
  ['key_uses', 2],
  ['tasks', 2],
  ['task_versions', 2],
  ['task_answers', 3],
  ['task_refs', 3],
  ['task_labels', 3],
  ['task_fits', 3],
  ['task_monitors', 4],
  ['task_shadows', 4],
  ['lists', 3],
]);
