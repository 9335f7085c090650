import type { ClusterNode } from '../../support/faults/cluster.js';
import { OPERATOR_TOKEN } from '../../support/operator.js';
import { until } from '../../support/until.js';
import { call, callerHeaders } from './call.js';

const PATIENCE_MS = 300_000;
const AUDIT_PAGE = 1_000;

interface StoredKey {
  readonly id: string;
  readonly workspace: string;
  readonly state: 'live' | 'rolled' | 'expired' | 'revoked';
}

interface StoredWorkspace {
  readonly id: string;
  readonly granted: string;
  readonly charged: string;
  readonly balance: string;
  readonly reserved: string;
}

export interface StoredBatch {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly lines: number;
  readonly done: number;
  readonly failed: number;
}

interface StoredUsage {
  readonly key: string;
  readonly kind: 'live' | 'batch';
  readonly requests: number;
  readonly input_tokens: number;
  readonly amount: string;
}

interface AuditEntry {
  readonly number: number;
  readonly action: string;
  readonly workspace: string | null;
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

/** The text of a response with 200; tried again until there is one. */
export async function read(url: string, token: string): Promise<string> {
  let text = '';
  await until(async () => {
    const outcome = await call(url, { headers: callerHeaders(token) });
    if (outcome.kind !== 'answered' || outcome.status !== 200) return false;
    text = outcome.text;
    return true;
  }, PATIENCE_MS);
  return text;
}

/** What a node shows the operator of the stored data. */
export class Stored {
  constructor(private readonly node: ClusterNode) {}

  keys(): Promise<StoredKey[]> {
    return this.list('/api/keys', 'keys');
  }

  workspaces(): Promise<StoredWorkspace[]> {
    return this.list('/api/workspaces', 'workspaces');
  }

  batches(workspace: string): Promise<StoredBatch[]> {
    return this.list(`/api/batches?workspace=${workspace}&limit=1000`, 'batches');
  }

  /** Of all days: while the clock was ahead, charges were made on days that are still to come. */
  async usage(workspace: string): Promise<StoredUsage[]> {
    return JSON.parse(await this.node.print('usage', '--workspace', workspace, '--json')) as StoredUsage[];
  }

  /** All entries, newest first. */
  async audit(): Promise<AuditEntry[]> {
    const all: AuditEntry[] = [];
    for (;;) {
      const before = all.at(-1)?.number;
      const query = before === undefined ? '' : `&before=${before}`;
      const page = await this.list<AuditEntry>(`/api/audit?limit=${AUDIT_PAGE}${query}`, 'entries');
      all.push(...page);
      if (page.length < AUDIT_PAGE) return all;
    }
  }

  private async list<Entry>(path: string, field: string): Promise<Entry[]> {
    const text = await read(`${this.node.operatorUrl}${path}`, OPERATOR_TOKEN);
    const found = (JSON.parse(text) as Record<string, Entry[]>)[field];
    if (found === undefined) throw new Error(`${path} has no ${field}: ${text.slice(0, 200)}`);
    return found;
  }
}
