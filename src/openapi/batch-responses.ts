import Type from 'typebox';

// JSON Schemas of the batch interface's responses (contract 2.6), for documentation and tests.

const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 with offset.' });
const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });

const EstimatedCostSchema = Type.Object(
  {
    amount: Type.Number(),
    currency: Type.String(),
    input_tokens: Count,
    rate: Type.Number({ description: '0.5: half the live price.' }),
    basis: Type.Literal('estimate'),
  },
  { description: 'An estimate from the sizes of the lines.' },
);

const BatchStatusSchema = Type.String({ enum: ['queued', 'running', 'done', 'failed', 'cancelled'] });

/** Contract 2.6 `submit response`. */
export const SubmitResponseSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('batch'),
    status: BatchStatusSchema,
    lines: Count,
    estimated_cost: EstimatedCostSchema,
    expires_at: Timestamp,
    data_region: Type.String(),
  },
  { description: 'The batch that was stored.' },
);

/** Contract 2.6. */
export const BatchSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('batch'),
    status: BatchStatusSchema,
    lines: Count,
    counts: Type.Object({ done: Count, failed: Count, pending: Count }),
    models: Type.Array(Type.String()),
    created_at: Timestamp,
    started_at: orNull(Timestamp),
    finished_at: orNull(Timestamp),
    expires_at: Timestamp,
    reason: orNull(Type.String()),
    results_available: Type.Boolean(),
    webhook: Type.Boolean(),
    estimated_cost: EstimatedCostSchema,
    data_region: Type.String(),
    delete_after: orNull(Timestamp),
  },
  { description: 'A batch.' },
);

/** Contract 2.6 `list response`; `has_more` comes with a `limit` (contract 4.6 rule 9). */
export const BatchListSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(BatchSchema),
    has_more: Type.Optional(Type.Boolean({ description: 'Only with `limit`: whether more batches follow.' })),
  },
  { description: 'The batches of the key.' },
);
