import {
  ApiError,
  BATCH_STATES,
  type ErrorType,
  type OperatorApiName,
  type OperatorBatch,
  type OperatorErrorType,
  type OperatorLogLine,
} from '../../../api/index.js';
import { showInstant } from '../../../base/index.js';
import type { Batch } from '../../../batch/index.js';
import type { Storage } from '../../../storage/index.js';
import type { RecentLines } from '../../../telemetry/index.js';
import { readFields, readQuery, readWhole, wrong } from '../operator-fields.js';
import { Refusal } from '../refusal.js';
import type { Handlers } from './operator-call.js';

/** Entries of a list. */
export const LISTED_MAX = 1_000;
const LISTED = 100;

type RecordRoutes = Extract<
  OperatorApiName,
  'listBatches' | 'cancelBatch' | 'eraseBatch' | 'listErrors' | 'listAudit'
>;

/** The routes of batches, and those that list what has happened: errors, administrative changes. */
export function recordHandlers(
  { access, administration }: Storage,
  cancel: (id: string, actor: string) => Promise<Batch>,
  recentLines: RecentLines | undefined,
): Handlers<RecordRoutes> {
  return {
    async listBatches({ query }) {
      const { state, workspace, limit } = readQuery(query, 'state', 'workspace', 'limit');
      const filter = { state: readState(state), workspace, limit: readLimit(limit) };
      // If the disk refuses the last changes, the list shows the states before them.
      await access.flush().catch(() => {});
      const { batches, more } = await administration.read('listBatches', filter);
      return { batches: batches.map(showBatch), more };
    },
    async cancelBatch({ actor, id, body }) {
      readFields(body, {}, {});
      return showBatch(await cancel(id, actor).catch(asRefusal));
    },
    async eraseBatch({ actor, id, body }) {
      readFields(body, {}, {});
      return await administration.change(actor, 'eraseBatch', id);
    },
    listErrors({ query }) {
      readQuery(query);
      const lines = recentLines?.lines ?? [];
      const errors = lines.map(
        ({ number, at, level, message, type, requestId, reason }): OperatorLogLine => ({
          number,
          time: showInstant(at),
          level,
          message,
          type,
          request_id: requestId,
          reason,
        }),
      );
      return { errors };
    },
    async listAudit({ query }) {
      const { limit, before, ...filter } = readQuery(query, 'limit', 'before', 'workspace', 'key', 'action');
      const { entries, more } = await administration.read(
        'listAudit',
        readLimit(limit),
        readWhole('before', before, 1, Number.MAX_SAFE_INTEGER, undefined),
        filter,
      );
      return { entries: entries.map(({ at, ...entry }) => ({ time: showInstant(at), ...entry })), more };
    },
  };
}

/** A batch without its contents. */
const showBatch = ({
  id,
  workspace,
  key,
  state,
  lines,
  done,
  failed,
  models,
  ...times
}: Omit<Batch, 'estimate'>): OperatorBatch => ({
  id,
  workspace,
  key,
  state,
  lines,
  done,
  failed,
  models,
  created: showInstant(times.created),
  started: showInstant(times.started),
  finished: showInstant(times.finished),
  expires: showInstant(times.expires),
});

/** The errors of the batch interface, as those of the operator's. */
const REFUSALS: Partial<Record<ErrorType, OperatorErrorType>> = {
  batch_not_found: 'not_found',
  batch_finished: 'conflict',
  outcome_unknown: 'outcome_unknown',
  batch_unavailable: 'data_unavailable',
  model_unavailable: 'data_unavailable',
};

function asRefusal(error: unknown): never {
  const type = error instanceof ApiError ? REFUSALS[error.type] : undefined;
  if (type === undefined) throw error;
  throw new Refusal(type, (error as ApiError).message, type === 'data_unavailable' ? null : 'id');
}

const readLimit = (text: string | undefined) => readWhole('limit', text, 1, LISTED_MAX, LISTED);

function readState(text: string | undefined) {
  const state = BATCH_STATES.find((each) => each === text);
  if (text === undefined || state !== undefined) return state;
  throw wrong('state', `must be one of ${BATCH_STATES.join(', ')}`);
}
