import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterNode } from '../../support/faults/cluster.js';
import type { Endings } from '../../support/owner.js';
import { type Random, random } from '../../support/random.js';
import { until } from '../../support/until.js';
import { Administrator } from './administrator.js';
import { Clients } from './clients.js';
import { compareCharges, compareGrants, compareKeys } from './compare-accounts.js';
import { allFinished, compareBatches } from './compare-batches.js';
import { Journal } from './journal.js';
import { makeReferences } from './references.js';
import { prepare, spendExactly } from './spend-exactly.js';
import { Stored } from './stored.js';
import type { Traffic } from './traffic.js';
import type { Effect, Fault, World } from './world.js';

const KEYS_PER_WORKSPACE = 2;
/** Faults at a time. */
const AT_ONCE_MAX = 2;
/** Between two rounds of faults, in milliseconds. In the long pauses, every answer is charged. */
const PAUSE_MS_MAX = 3_000;
const LONG_PAUSE_MS = 16_000;
const LONG_PAUSE_ONE_IN = 5;
const LOOK_MS = 1_000;
/** Before and after the faults of a plan, in milliseconds. */
const UNDISTURBED_MS = 4_000;
const PATIENCE_MS = 300_000;
/** Enough for all batches that wait for credit, in tokens. */
const LAST_GRANT = 10_000_000n;

export interface CampaignOptions {
  readonly seed: number;
  /** The workspaces that both live requests and batches use. */
  readonly workspaces: readonly string[];
  /** Which faults are caused: random ones for a time, of these names or all; or each of a list once. */
  readonly faults: { readonly ms: number; readonly names: readonly string[] | null } | readonly string[];
  start(owner: Endings): Promise<World>;
}

interface CampaignResult {
  readonly violations: readonly string[];
  /** How often each fault was caused. */
  readonly faults: ReadonlyMap<string, number>;
  readonly outcomes: ReadonlyMap<string, number>;
}

/** Runs traffic on servers, causes random faults for a time, and compares everything at the end. */
export async function runCampaign(options: CampaignOptions, owner: Endings): Promise<CampaignResult> {
  const campaign = new Campaign(options, await options.start(owner));
  return campaign.run();
}

class Campaign {
  private readonly journal = new Journal();
  private readonly next: Random;
  private readonly counts = new Map<string, number>();
  private isRunning = true;

  constructor(
    private readonly options: CampaignOptions,
    private readonly world: World,
  ) {
    this.next = random(options.seed);
  }

  async run(): Promise<CampaignResult> {
    const { journal, world, next } = this;
    const [node] = world.nodes as [ClusterNode];
    const references = await makeReferences(node.url, world.token, next);
    const { nodes, refusals } = world;
    const { workspaces } = this.options;
    const traffic: Traffic = { nodes, refusals, references, journal, next, workspaces };
    const administrator = new Administrator(traffic, () => true);
    for (const workspace of workspaces) {
      await prepare(traffic, workspace);
      for (let key = 0; key < KEYS_PER_WORKSPACE; key += 1) await administrator.createKey(workspace);
    }
    const clients = new Clients(traffic);
    const looking = this.look();
    await this.breakThings();
    await clients.stop();
    await this.settle(traffic, administrator);
    await this.compare(traffic);
    this.isRunning = false;
    await looking;
    for (const each of world.nodes) {
      const { code } = await each.stop();
      if (code !== 0) journal.violation(`${each.name} was stopped and ended with ${code}`);
    }
    for (const wrong of await world.verify()) journal.violation(wrong);
    return { violations: journal.violations, faults: this.counts, outcomes: journal.outcomes };
  }

  private async breakThings(): Promise<void> {
    const { faults } = this.options;
    if ('ms' in faults) return this.breakAtRandom(faults);
    await sleep(UNDISTURBED_MS);
    for (const name of faults) {
      const fault = this.world.faults.find((each) => each.name === name);
      if (fault === undefined) throw new Error(`there is no fault ${name}`);
      await this.cause(fault);
      await sleep(UNDISTURBED_MS);
    }
  }

  private async breakAtRandom({ ms, names }: { ms: number; names: readonly string[] | null }): Promise<void> {
    const { next, world } = this;
    const faults = world.faults.filter(({ name }) => names?.includes(name) ?? true);
    const end = performance.now() + ms;
    while (performance.now() < end) {
      await sleep(next.integer(LONG_PAUSE_ONE_IN) === 0 ? LONG_PAUSE_MS : next.integer(PAUSE_MS_MAX));
      const count = 1 + next.integer(AT_ONCE_MAX);
      const chosen = new Set(Array.from({ length: count }, () => choose(faults, next)));
      // Two faults of the database, or of one process, would disturb each other's steps.
      const [first, second] = [...chosen];
      if (first === undefined) throw new Error('there is no such fault');
      const together = second !== undefined && first.scope !== second.scope ? [first, second] : [first];
      await Promise.all(together.map((fault) => this.cause(fault)));
    }
  }

  private async cause(fault: Fault): Promise<void> {
    const from = performance.now();
    console.log(`${new Date().toISOString()} ${fault.name}`);
    this.journal.isLosing ||= fault.loses === true;
    const { node, lostSince } = await fault.cause(this.next).catch((error): Effect => {
      this.journal.violation(`${fault.name}: ${error}`);
      return { node: null, lostSince: from };
    });
    const to = performance.now();
    this.counts.set(fault.name, (this.counts.get(fault.name) ?? 0) + 1);
    this.journal.disturbed({ name: fault.name, node, from: Math.min(from, lostSince ?? from), to });
    if (lostSince === undefined) return;
    this.journal.lostSince(lostSince);
    this.journal.isLosing = false;
  }

  private async look(): Promise<void> {
    while (this.isRunning) {
      await sleep(LOOK_MS);
      for (const wrong of await this.world.look()) this.journal.violation(wrong);
      for (const { name, ending } of this.world.nodes)
        if (ending !== null) this.journal.violation(`${name} ended with ${ending}`);
    }
  }

  /** Waits until all batches have finished. */
  private async settle(traffic: Traffic, administrator: Administrator): Promise<void> {
    const { nodes, journal } = traffic;
    for (const node of nodes)
      await until(async () => (await node.ask('/health'))?.status === 200, PATIENCE_MS);
    await this.world.settled();
    for (const workspace of traffic.workspaces) await administrator.grant(workspace, LAST_GRANT);
    const stored = new Stored(nodes[0] as ClusterNode);
    await until(() => allFinished(traffic, stored), PATIENCE_MS).catch(() =>
      journal.violation('batches do not finish'),
    );
  }

  private async compare(traffic: Traffic): Promise<void> {
    const stored = new Stored(traffic.nodes[0] as ClusterNode);
    await compareKeys(traffic, stored);
    await compareGrants(traffic, stored);
    await compareBatches(traffic, stored);
    await compareCharges(traffic, stored);
    await spendExactly(traffic);
  }
}

function choose(faults: readonly Fault[], next: Random): Fault | undefined {
  let left = next.integer(faults.reduce((sum, { weight }) => sum + weight, 0));
  return faults.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
}
