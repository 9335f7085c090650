import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterNode } from '../../support/faults/cluster.js';
import { Administrator } from './administrator.js';
import { BatchTraffic } from './batch-traffic.js';
import { call, callerHeaders, statusOf } from './call.js';
import type { JournalKey } from './journal.js';
import type { Reference } from './references.js';
import { pick, type Traffic } from './traffic.js';

const CLIENTS = 6;
/** Between two requests of a client, in milliseconds. */
const PAUSE_MS_MAX = 160;
/** A change applies on every node after this many milliseconds; contract: 5 s, and the time of the calls. */
const APPLIES_MS = 7_000;
/** Keys older than this are no longer tried, in milliseconds. */
const TRIED_MS = 120_000;

/** Clients that send live requests, batches and administrative changes until `stop`. */
export class Clients {
  private isRunning = true;
  private readonly running: Promise<unknown>;

  constructor(private readonly traffic: Traffic) {
    const goesOn = () => this.isRunning;
    const batches = new BatchTraffic(traffic, goesOn);
    const administrator = new Administrator(traffic, goesOn);
    const clients = Array.from({ length: CLIENTS }, () => this.sendRequests());
    this.running = Promise.all([...clients, this.tryKeys(), batches.run(), administrator.run()]);
    this.running.catch(() => {});
  }

  /** Sends nothing more; resolves when everything sent has its outcome. */
  async stop(): Promise<void> {
    this.isRunning = false;
    await this.running;
  }

  private async sendRequests(): Promise<void> {
    const { next, journal, nodes } = this.traffic;
    while (this.isRunning) {
      await sleep(next.integer(PAUSE_MS_MAX));
      const key = pick(next, journal.keys.filter(isUsable));
      if (key !== undefined) await this.decide(pick(next, nodes) as ClusterNode, key);
    }
  }

  private async decide(node: ClusterNode, key: JournalKey): Promise<void> {
    const { next, journal, references, refusals } = this.traffic;
    const reference = pick(next, references) as Reference;
    const { state, questions, response, tokens } = reference;
    const body = JSON.stringify({ state, questions });
    const headers = callerHeaders(key.token);
    const sent = performance.now();
    const outcome = await call(`${node.url}/v1/decide`, { method: 'POST', headers, body });
    journal.count('live', statusOf(outcome));
    if (outcome.kind === 'unknown') key.unanswered += 1;
    if (outcome.kind !== 'answered') return;
    if (outcome.status === 200) {
      key.answers.push({ node: node.name, sent, at: performance.now(), tokens });
      if (outcome.text !== response)
        journal.violation(`${node.name} answered ${body} with ${outcome.text}, before with ${response}`);
    } else if (!refusals.includes(outcome.status))
      journal.violation(`${node.name} answered a live request ${outcome.status} ${outcome.text}`);
    this.checkKey(node, key, sent, outcome.status);
  }

  /** Tries keys without costs, revoked ones too. */
  private async tryKeys(): Promise<void> {
    const { next, journal, nodes } = this.traffic;
    while (this.isRunning) {
      await sleep(100);
      const since = performance.now() - TRIED_MS;
      const recent = ({ revoked, revokedAt, created }: JournalKey) =>
        revoked === 'no' ? created > since : revokedAt > since;
      const key = pick(next, journal.keys.filter(recent));
      if (key === undefined) continue;
      const node = pick(next, nodes) as ClusterNode;
      const sent = performance.now();
      const outcome = await call(`${node.url}/v1/limits`, { headers: callerHeaders(key.token) });
      journal.count('key', statusOf(outcome));
      if (outcome.kind !== 'answered') continue;
      if (outcome.status === 200) journal.written(node.name, sent, performance.now());
      this.checkKey(node, key, sent, outcome.status);
    }
  }

  private checkKey(node: ClusterNode, key: JournalKey, sent: number, status: number): void {
    const { journal } = this.traffic;
    if (journal.isLosing) return;
    const { id, created, exists, revoked, revokedAt } = key;
    if (status !== 401 && status < 500 && revoked === 'yes' && sent > revokedAt + APPLIES_MS)
      journal.violation(
        `${node.name} answered ${id} with ${status}, ${Math.round(sent - revokedAt)} ms after its revocation`,
      );
    // A failover has lost it.
    if (status === 401 && exists === 'maybe') key.exists = 'no';
    if (status === 401 && exists === 'yes' && revoked === 'no' && sent > created + APPLIES_MS)
      journal.violation(`${node.name} refused the key ${id}`);
  }
}

const isUsable = ({ exists, revoked }: JournalKey) => exists !== 'no' && revoked === 'no';
