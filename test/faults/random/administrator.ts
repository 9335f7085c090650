import { setTimeout as sleep } from 'node:timers/promises';
import { showAmount } from '../../../src/access/index.js';
import { OPERATOR_TOKEN } from '../../support/operator.js';
import { call, callerHeaders, type Outcome, statusOf } from './call.js';
import type { JournalGrant, JournalKey, Known } from './journal.js';
import { pick, type Traffic } from './traffic.js';

const PAUSE_MS_MAX = 1_200;
/** Units per token at the default price of live requests. */
const PRICE = 1_500n;
/** A grant to a workspace with little credit covers about this many tokens. */
const GRANT_TOKENS = 4_000n;
/** Of a workspace, the keys that are not revoked. */
const KEYS_MAX = 4;
const KEYS_MIN = 2;
const RETRY_MS = 300;

/** Grants credit, and creates, rolls and revokes keys through the operator interface of the nodes. */
export class Administrator {
  constructor(
    private readonly traffic: Traffic,
    private readonly goesOn: () => boolean,
  ) {}

  async run(): Promise<void> {
    const { next, workspaces } = this.traffic;
    while (this.goesOn()) {
      await sleep(next.integer(PAUSE_MS_MAX));
      const workspace = pick(next, workspaces) as string;
      if (next.integer(2) === 0) await this.grant(workspace, GRANT_TOKENS);
      else await this.changeKeys(workspace);
    }
  }

  /** Grants credit for about so many tokens, once. */
  async grant(workspace: string, tokens: bigint): Promise<void> {
    const { journal } = this.traffic;
    // The amount identifies the grant.
    const amount = showAmount(tokens * PRICE + BigInt(journal.grants.length));
    const grant: JournalGrant = { workspace, amount, done: 'no', at: 0 };
    journal.grants.push(grant);
    const outcome = await this.send(`/api/workspaces/${workspace}/grants`, { amount });
    journal.count('grant', statusOf(outcome));
    grant.done = this.known(outcome, 'a grant');
    grant.at = performance.now();
  }

  async createKey(workspace: string): Promise<void> {
    const outcome = await this.send('/api/keys', { workspace, expires: 'never' });
    this.traffic.journal.count('create', statusOf(outcome));
    if (this.known(outcome, 'the creation of a key') === 'yes') this.noteKey(workspace, outcome);
  }

  private async changeKeys(workspace: string): Promise<void> {
    const { next, journal } = this.traffic;
    const working = journal.keys.filter(
      (key) => key.workspace === workspace && key.exists !== 'no' && key.revoked === 'no',
    );
    if (working.length < KEYS_MIN) return this.createKey(workspace);
    // The first keys of a workspace stay, so that their batches can be collected.
    const key = working[1 + next.integer(working.length - 1)] as JournalKey;
    if (working.length < KEYS_MAX && next.integer(2) === 0) {
      if (next.integer(2) === 0) return this.createKey(workspace);
      const outcome = await this.send(`/api/keys/${key.id}/roll`, {});
      journal.count('roll', statusOf(outcome));
      if (this.known(outcome, 'a roll') === 'yes') this.noteKey(workspace, outcome);
      return;
    }
    await this.revoke(key);
  }

  /** Until it is acknowledged. */
  private async revoke(key: JournalKey): Promise<void> {
    const { journal } = this.traffic;
    key.revoked = 'maybe';
    for (;;) {
      const outcome = await this.send(`/api/keys/${key.id}/revoke`, {});
      journal.count('revoke', statusOf(outcome));
      const isGone = outcome.kind === 'answered' && outcome.status === 404 && key.exists !== 'yes';
      if (isGone) key.exists = 'no';
      const known = isGone ? 'yes' : this.known(outcome, 'a revocation');
      if (known === 'yes') {
        key.revoked = 'yes';
        key.revokedAt = performance.now();
        return;
      }
      await sleep(RETRY_MS);
    }
  }

  private noteKey(workspace: string, outcome: Outcome): void {
    const { key, token } = JSON.parse((outcome as { text: string }).text) as {
      key: { id: string };
      token: string;
    };
    this.traffic.journal.keys.push({
      id: key.id,
      workspace,
      token,
      created: performance.now(),
      exists: 'yes',
      revoked: 'no',
      revokedAt: 0,
      answers: [],
      unanswered: 0,
    });
  }

  private known(outcome: Outcome, what: string): Known {
    if (outcome.kind === 'not sent') return 'no';
    if (outcome.kind === 'unknown' || outcome.status === 502) return 'maybe';
    if (outcome.status === 200 || outcome.status === 201) return 'yes';
    if (outcome.status === 404 || outcome.status === 409 || outcome.status === 503) return 'no';
    this.traffic.journal.violation(`${what} was answered ${outcome.status} ${outcome.text}`);
    return 'maybe';
  }

  private send(path: string, body: object): Promise<Outcome> {
    const { next, nodes } = this.traffic;
    const init = {
      method: 'POST',
      headers: callerHeaders(OPERATOR_TOKEN),
      body: JSON.stringify(body),
    };
    return call(`${pick(next, nodes)?.operatorUrl}${path}`, init);
  }
}
