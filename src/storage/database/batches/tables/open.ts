import type { BatchState } from '../../../../api/index.js';
import { type Queryable, statement } from '../../postgres/statement.js';
import { UNFINISHED } from './conditions.js';

const STATES = statement(
  'open-states',
  `SELECT state, count(*) AS count FROM batches WHERE ${UNFINISHED} GROUP BY state`,
);
const MODELS = statement(
  'open-models',
  `SELECT DISTINCT unnest(models) AS model FROM batches WHERE ${UNFINISHED}`,
);

/** How many open batches are in each state. */
export async function openStates(sql: Queryable): Promise<Partial<Record<BatchState, number>>> {
  const rows = await sql.query<{ state: BatchState; count: number }>(STATES);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** The models and builds that open batches name. */
export async function openModels(sql: Queryable): Promise<string[]> {
  return (await sql.query<{ model: string }>(MODELS)).map(({ model }) => model);
}
