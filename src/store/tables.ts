import { Type } from 'typebox';
import type { KeyLayout } from './key-layout.js';

/** Milliseconds since 1970. */
const Instant = Type.Integer({ minimum: 0 });
const Count = Type.Integer({ minimum: 0 });
/** Money in units of 10⁻¹² of the currency, as decimal text: JSON has no whole numbers of that size. */
const Amount = Type.String({ pattern: '^-?[0-9]{1,38}$' });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

/** What leads from one to another is in `batch/lifecycle`. */
const BatchState = Type.Union([
  Type.Literal('queued'),
  Type.Literal('running'),
  Type.Literal('cancelling'),
  Type.Literal('expiring'),
  Type.Literal('ending'),
  Type.Literal('done'),
  Type.Literal('failed'),
  Type.Literal('cancelled'),
]);

/** The room that writes a table, and what it keeps there. */
interface TableFacts {
  readonly owner: 'store' | 'access' | 'batch';
  readonly meaning: string;
  readonly key: KeyLayout;
}

/**
 * Every table of the environment. Values are JSON of the schema, but `sealed` ones, which are ciphertext (see
 * sealing.ts). `administration` tables are written by the command line and the first start, the others by the
 * running server alone: that is what lets it keep them in memory.
 */
export const TABLES = {
  meta: {
    owner: 'store',
    meaning:
      'The format’s version, a count of administrative changes, what proves the master key, the time of the server.',
    key: [['name', 'text']],
    value: Type.Object({
      format: Type.Optional(Count),
      changes: Type.Optional(Count),
      check: Type.Optional(Type.String()),
      shown: Type.Optional(Instant),
      certain: Type.Optional(Instant),
    }),
  },
  workspaces: {
    owner: 'access',
    meaning: 'A workspace: what it was granted, its budget, models and limits.',
    key: [['workspace', 'text']],
    value: Type.Object({
      id: Type.String(),
      created: Instant,
      granted: Amount,
      budget: nullable(Amount),
      models: nullable(Type.Array(Type.String())),
      bytesPerMinute: Count,
      requestsPerMinute: Count,
    }),
  },
  grants: {
    owner: 'access',
    meaning: 'Credit given to a workspace, or taken back.',
    key: [
      ['workspace', 'text'],
      ['number', 'number'],
    ],
    value: Type.Object({ at: Instant, amount: Amount }),
  },
  keys: {
    owner: 'access',
    meaning: 'An API key. The token itself is nowhere.',
    key: [['key', 'text']],
    value: Type.Object({
      id: Type.String(),
      workspace: Type.String(),
      digest: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      created: Instant,
      expires: nullable(Instant),
      revoked: nullable(Instant),
      rolledTo: nullable(Type.String()),
    }),
  },
  digests: {
    owner: 'access',
    meaning: 'The key whose token has this SHA-256.',
    key: [['digest', 'text']],
    value: Type.String(),
  },
  accounts: {
    owner: 'access',
    meaning: 'What a workspace was charged in all, and in its last month.',
    key: [['workspace', 'text']],
    value: Type.Object({
      charged: Amount,
      month: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$' }),
      monthCharged: Amount,
    }),
  },
  usage: {
    owner: 'access',
    meaning: 'What a key used of a model on a UTC day at one price, live and batch apart.',
    key: [
      ['workspace', 'text'],
      ['day', 'text'],
      ['key', 'text'],
      ['model', 'text'],
      ['kind', 'text'],
      ['price', 'text'],
    ],
    value: Type.Object({ requests: Count, inputTokens: Count, amount: Amount }),
  },
  batches: {
    owner: 'batch',
    meaning: 'A batch: where it stands, its counts, when it ends and is deleted.',
    key: [['batch', 'text']],
    value: Type.Object({
      id: Type.String(),
      key: Type.String(),
      workspace: Type.String(),
      /** Its place among the batches of its key. */
      number: Count,
      state: BatchState,
      lines: Count,
      chunks: Count,
      done: Count,
      failed: Count,
      models: Type.Array(Type.String()),
      created: Instant,
      started: nullable(Instant),
      finished: nullable(Instant),
      expires: Instant,
      collected: nullable(Instant),
      reason: nullable(Type.String()),
      estimate: Type.Object({ amount: Amount, inputTokens: Count, rate: Type.Number() }),
      webhook: nullable(Type.Object({ attempts: Count, due: nullable(Instant) })),
      deleted: Type.Boolean(),
    }),
  },
  batch_order: {
    owner: 'batch',
    meaning: 'The batches of a key, oldest first.',
    key: [
      ['key', 'text'],
      ['number', 'number'],
    ],
    value: Type.String(),
  },
  batch_lines: {
    owner: 'batch',
    meaning: 'Lines as they were sent, in chunks; gone when the batch has finished.',
    key: [
      ['batch', 'text'],
      ['chunk', 'number'],
    ],
    value: 'sealed',
  },
  batch_ids: {
    owner: 'batch',
    meaning: 'The custom id and the model of every line, in the same chunks.',
    key: [
      ['batch', 'text'],
      ['chunk', 'number'],
    ],
    value: 'sealed',
  },
  batch_results: {
    owner: 'batch',
    meaning: 'The result line of every line that was answered, refused or given up.',
    key: [
      ['batch', 'text'],
      ['line', 'number'],
    ],
    value: 'sealed',
  },
  batch_webhooks: {
    owner: 'batch',
    meaning: 'The address to call when a batch has finished.',
    key: [['batch', 'text']],
    value: 'sealed',
  },
  submissions: {
    owner: 'batch',
    meaning: 'The batch that a key’s idempotency key has made, by its SHA-256, and the SHA-256 of the body.',
    key: [
      ['key', 'text'],
      ['digest', 'text'],
    ],
    value: Type.Object({ batch: Type.String(), body: Type.String(), at: Instant }),
  },
  data_keys: {
    owner: 'store',
    meaning: 'The key that seals one owner’s data, itself sealed by the master key.',
    key: [['owner', 'text']],
    value: 'sealed',
  },
} as const satisfies Record<string, TableFacts & { readonly value: object | 'sealed' }>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];
