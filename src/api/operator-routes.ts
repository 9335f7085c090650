import type {
  OperatorAuditEntry,
  OperatorBatch,
  OperatorHistory,
  OperatorKey,
  OperatorListedWorkspace,
  OperatorLive,
  OperatorLogLine,
  OperatorModel,
  OperatorNewKey,
  OperatorUsage,
  OperatorWorkspace,
} from './operator.js';

/**
 * Every route of the operator listener. All of them need the operator's token; `HEAD` follows `GET`. `{id}` is the id
 * of a workspace, a key or a batch.
 */
export const OPERATOR_ROUTES = [
  {
    name: 'metrics',
    method: 'GET',
    path: '/metrics',
    meaning: 'All metrics in the Prometheus text format; see [metrics](metrics.md).',
  },
  {
    name: 'ready',
    method: 'GET',
    path: '/ready',
    meaning: '200 if the server can answer requests, otherwise 503 with the reasons.',
  },
  {
    name: 'status',
    method: 'GET',
    path: '/status',
    meaning:
      'Version, uptime, settings without secrets, devices, models with their lanes and queues, batches, data folder.',
  },
] as const;

/** The routes of the operator's JSON interface. `status`: of the response, if the request succeeds. */
export const OPERATOR_API = [
  {
    name: 'listWorkspaces',
    method: 'GET',
    path: '/api/workspaces',
    status: 200,
    meaning:
      'List the workspaces with their credit, charges, budgets and limits; a page of them with `search`, `sort` and `limit`, and `after`, `before` or `offset`.',
  },
  {
    name: 'showWorkspace',
    method: 'GET',
    path: '/api/workspaces/{id}',
    status: 200,
    meaning: 'Show one workspace.',
  },
  {
    name: 'createWorkspace',
    method: 'POST',
    path: '/api/workspaces',
    status: 201,
    meaning: 'Create a workspace, without credit.',
  },
  {
    name: 'changeWorkspace',
    method: 'PATCH',
    path: '/api/workspaces/{id}',
    status: 200,
    meaning: 'Set the name, the budget, the models or the limits of a workspace.',
  },
  {
    name: 'closeWorkspace',
    method: 'POST',
    path: '/api/workspaces/{id}/close',
    status: 200,
    meaning: 'Close a workspace: its keys stop working, and their open batches end.',
  },
  {
    name: 'reopenWorkspace',
    method: 'POST',
    path: '/api/workspaces/{id}/reopen',
    status: 200,
    meaning: 'Open a closed workspace again: its keys work as before.',
  },
  {
    name: 'grantCredit',
    method: 'POST',
    path: '/api/workspaces/{id}/grants',
    status: 200,
    meaning: 'Grant credit; a negative amount takes it back.',
  },
  {
    name: 'showUsage',
    method: 'GET',
    path: '/api/workspaces/{id}/usage',
    status: 200,
    meaning: 'Usage and charges of the last `days` by day, key, model and kind.',
  },
  {
    name: 'listKeys',
    method: 'GET',
    path: '/api/keys',
    status: 200,
    meaning:
      'List the keys, of one `workspace` or all, of one `state` (`working`) or all; a page of them with `search`, `sort` and `limit`, and `after`, `before` or `offset`.',
  },
  {
    name: 'createKey',
    method: 'POST',
    path: '/api/keys',
    status: 201,
    meaning: 'Create a key. The response has its token, which is not stored.',
  },
  {
    name: 'changeKey',
    method: 'PATCH',
    path: '/api/keys/{id}',
    status: 200,
    meaning: 'Set the name of a key.',
  },
  {
    name: 'rollKey',
    method: 'POST',
    path: '/api/keys/{id}/roll',
    status: 201,
    meaning: 'Replace a key; the old one works until the end of the next UTC day.',
  },
  {
    name: 'revokeKey',
    method: 'POST',
    path: '/api/keys/{id}/revoke',
    status: 200,
    meaning: 'Revoke a key immediately and permanently.',
  },
  {
    name: 'listModels',
    method: 'GET',
    path: '/api/models',
    status: 200,
    meaning: 'List the models with their builds and prices.',
  },
  {
    name: 'showLive',
    method: 'GET',
    path: '/api/live',
    status: 200,
    meaning: 'What the server does now: lanes, waves, queues, memory. Cheap enough for a call per second.',
  },
  {
    name: 'showHistory',
    method: 'GET',
    path: '/api/history',
    status: 200,
    meaning:
      'What the server did in the last hour, by minute: requests, errors, latency, memory; top workspaces.',
  },
  {
    name: 'listBatches',
    method: 'GET',
    path: '/api/batches',
    status: 200,
    meaning:
      'List the newest batches, of one `state` or `workspace` or all, up to `limit`. Without their contents.',
  },
  {
    name: 'eraseBatch',
    method: 'POST',
    path: '/api/batches/{id}/erase',
    status: 200,
    meaning: 'Erase a batch of any key before its time, in any state.',
  },
  {
    name: 'cancelBatch',
    method: 'POST',
    path: '/api/batches/{id}/cancel',
    status: 200,
    meaning: 'Cancel a batch; lines in progress are still answered and charged.',
  },
  {
    name: 'listErrors',
    method: 'GET',
    path: '/api/errors',
    status: 200,
    meaning: 'List the last warnings and errors of the log.',
  },
  {
    name: 'listAudit',
    method: 'GET',
    path: '/api/audit',
    status: 200,
    meaning:
      'List the last administrative changes, up to `limit`, with a number below `before`, of one `workspace`, `key` or `action` or all.',
  },
] as const;

export type OperatorApiName = (typeof OPERATOR_API)[number]['name'];

/** Where a page is in its list. */
interface ListPart {
  /** Entries of all pages. */
  readonly total: number;
  /** Of them, those before the page. */
  readonly offset: number;
  /** What to pass as `after` for the next page; null: there is none, or this one is empty. */
  readonly next: string | null;
  /** What to pass as `before` for the page before; null: as above. */
  readonly previous: string | null;
}

/** The response of each route with JSON, by its name. */
export interface OperatorResponses {
  readonly listWorkspaces: ListPart & {
    readonly currency: string;
    readonly workspaces: readonly OperatorListedWorkspace[];
  };
  readonly showWorkspace: OperatorListedWorkspace & { readonly currency: string };
  readonly createWorkspace: OperatorWorkspace;
  readonly changeWorkspace: OperatorWorkspace;
  readonly closeWorkspace: OperatorWorkspace;
  readonly reopenWorkspace: OperatorWorkspace;
  readonly grantCredit: OperatorWorkspace;
  /** From the first to the last day, both inclusive; sorted by day, key, model and kind. */
  readonly showUsage: {
    readonly currency: string;
    readonly from: string;
    readonly to: string;
    readonly usage: readonly OperatorUsage[];
  };
  /** Oldest first, unless another order is asked for. */
  readonly listKeys: ListPart & { readonly keys: readonly OperatorKey[] };
  readonly createKey: OperatorNewKey;
  readonly changeKey: OperatorKey;
  /** `rolled`: the old key, which works until it expires. */
  readonly rollKey: OperatorNewKey & { readonly rolled: OperatorKey };
  readonly revokeKey: OperatorKey;
  readonly listModels: { readonly currency: string; readonly models: readonly OperatorModel[] };
  readonly showLive: OperatorLive;
  readonly showHistory: OperatorHistory;
  readonly cancelBatch: OperatorBatch;
  /** Newest first. `more`: whether there are more than the limit. */
  readonly listBatches: { readonly batches: readonly OperatorBatch[]; readonly more: boolean };
  /** The batch, with its state before. */
  readonly eraseBatch: Pick<OperatorBatch, 'id' | 'workspace' | 'key'> & { readonly state: string };
  /** Newest first; at most `LOG_LINES_KEPT`. */
  readonly listErrors: { readonly errors: readonly OperatorLogLine[] };
  /** Newest first. `more`: whether there are older ones. */
  readonly listAudit: { readonly entries: readonly OperatorAuditEntry[]; readonly more: boolean };
}

/** The body of each route that has one, by its name. Other fields are refused. `name`: null for none. */
export interface OperatorRequests {
  readonly createWorkspace: { readonly id: string; readonly name?: string | null };
  /** Fields that are absent stay as they are. */
  readonly changeWorkspace: {
    readonly name?: string | null;
    readonly budget?: string | null;
    readonly models?: readonly string[] | null;
    readonly requests_per_minute?: number;
    readonly bytes_per_minute?: number;
    /** Accepts ids of models that the manifest does not have. */
    readonly force?: boolean;
    /** The version of the workspace that is to be changed; absent: any. */
    readonly version?: string;
  };
  /** A negative amount takes credit back. `version`: as above. `reason`: for the audit log. */
  readonly grantCredit: { readonly amount: string; readonly version?: string; readonly reason?: string };
  /** `expires`: `never`, a number of days such as `30`, or the last day such as `2027-01-31`; absent: 365 days. */
  readonly createKey: {
    readonly workspace: string;
    readonly expires?: string;
    readonly name?: string | null;
  };
  readonly changeKey: { readonly name: string | null };
}

/** The fields by which the lists of workspaces and keys are sorted. */
export const WORKSPACE_SORTS = ['id', 'name', 'created', 'granted', 'working_keys'] as const;
export const KEY_SORTS = ['workspace', 'name', 'created', 'expires'] as const;
/** Those by which they are sorted if none is named. */
export const WORKSPACE_SORT = 'id' satisfies (typeof WORKSPACE_SORTS)[number];
export const KEY_SORT = 'created' satisfies (typeof KEY_SORTS)[number];

/**
 * A part of a list: `search`, a text that an id or a name must hold; `sort`, a field, with `-` before it for the largest first; `limit`,
 * 1 to 1,000, of the first entries, of those `after` the `next` of a page or `before` its `previous`, or of those from
 * `offset` on. Absent: everything.
 */
interface PageQuery {
  readonly search?: string;
  readonly sort?: string;
  readonly limit?: string;
  readonly after?: string;
  readonly before?: string;
  readonly offset?: string;
}

/** The query parameters of each route that has some, by its name. All are optional. */
export interface OperatorQueries {
  /** `days`: the last so many UTC days, today included, 1 to 366; 30 if absent. */
  readonly showUsage: { readonly days?: string };
  readonly listWorkspaces: PageQuery;
  /** `state`: `working` or `all`. */
  readonly listKeys: PageQuery & { readonly workspace?: string; readonly state?: string };
  /** `limit`: 1 to 1,000; 100 if absent. */
  readonly listBatches: { readonly state?: string; readonly workspace?: string; readonly limit?: string };
  /** `limit`: as above. `before`: only entries with a smaller number. */
  readonly listAudit: {
    readonly limit?: string;
    readonly before?: string;
    readonly workspace?: string;
    readonly key?: string;
    readonly action?: string;
  };
}
