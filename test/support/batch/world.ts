import type { Test } from 'tap';
import { type Clock, SteadyClock } from '../../../src/base/index.js';
import type { BatchParts, Page } from '../../../src/batch/index.js';
import { digestFile } from '../../../src/batch/ingest/digest-file.js';
import { ingest } from '../../../src/batch/ingest/ingest.js';
import type { WebhookOutcome } from '../../../src/batch/webhook/webhook-outcome.js';
import type { Abort } from '../../../src/engine/index.js';
import { countAbort } from '../../../src/storage/folder/batches/aborts.js';
import { FolderBatches } from '../../../src/storage/folder/batches/batches.js';
import { verifyBatches } from '../../../src/storage/folder/batches/index.js';
import { readStored } from '../../../src/storage/folder/batches/reading/reader.js';
import { openStore, Sealer, type Store } from '../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../src/storage/folder/ledger/folder-access.js';
import { verifyTasks } from '../../../src/storage/folder/tasks/index.js';
import { FolderTasks } from '../../../src/storage/folder/tasks/tasks.js';
import type { TaskBounds } from '../../../src/tasks/index.js';
import { createKey, createWorkspace, grantCredit } from '../access/folder-changes.js';
import { dataFolder } from '../data-folder.js';
import { fakeClock } from '../fake-clock.js';
import { turn } from '../paced-engine.js';
import { batchTasks } from './batch-tasks.js';
import { fileTools } from './ingest.js';
import { ENGINE_ROOM, TestEngine } from './test-engine.js';

export const START = Date.parse('2026-05-10T12:00:00Z');
export const SECOND_MS = 1_000;
export const DAY_MS = 24 * 3_600 * SECOND_MS;
/** Units per token of a line. */
export const PRICE = 750n;
/** A line of a batch file, answered by the engine under its custom id. */
export const line = (customId: string, state: unknown = customId, model = 'm') =>
  JSON.stringify({ custom_id: customId, model, state, questions: { q: { type: 'noul' } } });

/** Lines `a0`, `a1` and so on. */
export const lines = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => line(`${name}${at}`)).join('\n');

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly counts: { readonly done: number; readonly failed: number; readonly pending: number };
  readonly reason: string | null;
  readonly results_available: boolean;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly delete_after: string | null;
  readonly webhook_delivery: object | null;
}

/** A list of batches, parsed. */
interface Listed {
  readonly object: 'list';
  readonly data: readonly Shown[];
  readonly has_more?: boolean;
}

/** A result line, parsed. */
export interface ResultLine {
  readonly custom_id: string;
  readonly model: string;
  readonly status: number | null;
  readonly response?: unknown;
  readonly error?: { readonly error: string; readonly type: string };
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number; readonly batch: true };
}

/**
 * The batch interface over a data folder of its own, with an engine that the test rules and a clock that stands still.
 * `lives` one after the other: `restart` ends the process in order, `crash` without its last writes.
 */
export class World {
  readonly clock = fakeClock(START);
  engine = new TestEngine(this.clock);
  /** Most plans that wait in the engine of the next process. */
  nextRoom = ENGINE_ROOM;
  /** Of a batch token; tests change it as a reload does. */
  price = PRICE;
  /** How often the reading thread was asked for chunks or other values. */
  reads = 0;
  readonly troubles: string[] = [];
  readonly called: { readonly address: string; readonly id: string; readonly status: string }[] = [];
  /** What is reported of calls of webhooks: batch, outcome, whether a further one follows. */
  readonly callsEnded: [string, WebhookOutcome, boolean][] = [];
  /** The check of an address that a submission names. */
  checkWebhook: (address: string) => Promise<void> = async () => {};
  /** What calling an address comes to. */
  webhook: () => Promise<WebhookOutcome> = async () => 'delivered';
  store!: Store;
  access!: FolderAccess;
  batches!: FolderBatches;
  tasks!: FolderTasks;
  /** Of the answers to tasks, from the next process on; null: none are kept. */
  taskBounds: TaskBounds | null = null;
  calendar!: SteadyClock;
  /** What the last process has kept of the time, as the next one finds it; null: nothing. */
  lastCertain: number | null = null;
  /** Bytes of stored batches beyond which the next process refuses new ones. */
  /** Of the batches that run now. */
  sealer!: Sealer;
  storedBytesMax = Number.MAX_SAFE_INTEGER;
  workspacePercent = 100;
  private alive = { yes: true };

  constructor(private readonly folder: string) {
    this.open();
    createWorkspace(this.store, this.clock, 'w');
    grantCredit(this.store, this.clock, 'w', 10n ** 15n);
  }

  static async start(t: Test): Promise<World> {
    const world = new World(dataFolder(t));
    t.teardown(() => world.end());
    await world.begin();
    return world;
  }

  /** A new key of the workspace, which never expires unless it is said when. */
  key(expires: number | null = null, workspace = 'w') {
    return createKey(this.store, this.clock, workspace, expires).key;
  }

  /** A new workspace with so much credit. */
  workspace(id: string, credit: bigint): string {
    createWorkspace(this.store, this.clock, id);
    grantCredit(this.store, this.clock, id, credit);
    return id;
  }

  caller(key: { readonly id: string }) {
    const caller = this.access.holder(key.id);
    if (caller === undefined) throw new Error('no such key');
    return caller;
  }

  async submit(
    key: { readonly id: string },
    file: string,
    {
      webhook = null,
      idempotencyKey = null,
    }: { webhook?: string | null; idempotencyKey?: string | null } = {},
  ): Promise<string> {
    const { signal } = new AbortController();
    const sent = { file: Buffer.from(file), encoding: 'identity', signal } as const;
    const submission = { ...sent, webhook, idempotencyKey };
    return ((await this.batches.submit(this.caller(key), submission)) as Shown).id;
  }

  show(key: { readonly id: string }, id: string): Shown {
    return this.batches.show(this.caller(key), id) as Shown;
  }

  /** The result lines, collected to the end. */
  async collect(key: { readonly id: string }, id: string): Promise<ResultLine[]> {
    const { pieces, collected } = await this.batches.results(this.caller(key), id);
    const text = await textOf(pieces);
    collected();
    return text
      .split('\n')
      .slice(0, -1)
      .map((each) => JSON.parse(each) as ResultLine);
  }

  async list(key: { readonly id: string }, page: Partial<Page> = {}): Promise<Listed> {
    const list = await this.batches.list(this.caller(key), { limit: null, after: null, ...page });
    return JSON.parse(typeof list === 'string' ? list : await textOf(list)) as Listed;
  }

  /** Lets time pass in steps of a second, and everything happen that happens then. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.clock.advance(SECOND_MS);
      // The server reads it too, more often: a jump is noticed only when the calendar is read.
      this.calendar.now();
      await turns();
    }
  }

  /** What is wrong with the stored batches, once every charge is written. */
  async problems(): Promise<string[]> {
    await this.access.flush();
    const problems: string[] = [];
    const sealer = new Sealer(this.store, '');
    const report = (problem: string) => void problems.push(problem);
    const { ids } = verifyTasks(this.store, sealer, report);
    verifyBatches(this.store, sealer, ids, report);
    return problems;
  }

  async finished(key: { readonly id: string }, id: string): Promise<Shown> {
    await until(() => this.show(key, id).finished_at !== null);
    return this.show(key, id);
  }

  async restart(): Promise<void> {
    await this.end();
    this.open();
    await this.begin();
  }

  /**
   * What the ledger has not written is lost. `answersAtOnce`: the engine of the next process. `abort`: how the engine
   * ended this one.
   */
  async crash(answersAtOnce = true, abort?: Abort): Promise<void> {
    this.alive.yes = false;
    void this.batches.stop();
    await this.store.close();
    this.open();
    if (abort !== undefined) countAbort(this.store, abort);
    this.engine.answersAtOnce = answersAtOnce;
    await this.begin();
  }

  private open(): void {
    this.alive = { yes: true };
    this.store = openStore(this.folder);
    this.engine = new TestEngine(this.clock, this.nextRoom);
    this.calendar = new SteadyClock(this.own(), this.lastCertain, (ms) =>
      this.batches.moveTimes(ms).catch((error) => this.trouble(error)),
    );
    this.access = new FolderAccess(this.store, this.calendar, (error) => this.trouble(error));
  }

  private async begin(): Promise<void> {
    const sealer = new Sealer(this.store, '');
    this.sealer = sealer;
    const tools = fileTools();
    this.tasks = new FolderTasks({
      store: this.store,
      sealer,
      access: this.access,
      clock: this.calendar,
      onError: (error) => this.trouble(error),
    });
    if (this.taskBounds !== null) this.tasks.start(this.taskBounds);
    this.batches = new FolderBatches({
      store: this.store,
      sealer,
      access: this.access,
      clock: this.calendar,
      random: () => 0.5,
      engines: this.lineEngines(),
      tasks: batchTasks(this.tasks),
      files: {
        ingest: (task) => ingest(task, tools),
        digest: (task) => digestFile(task),
      },
      read: async (call) => {
        this.reads += 1;
        return readStored(this.store, call);
      },
      webhooks: {
        check: (address) => this.checkWebhook(address),
        call: async (address, { id, status }) => {
          this.called.push({ address, id, status });
          return this.webhook();
        },
      },
      reports: {
        error: (error) => this.trouble(error),
        answered: () => {},
        failed: () => {},
        called: (...ended) => void this.callsEnded.push(ended),
      },
      storedBytesMax: () => this.storedBytesMax,
      workspacePercent: () => this.workspacePercent,
      terms: { currency: 'GBP', dataRegion: 'CANADA-1 (Canada)' },
    });
    await this.batches.start();
  }

  /** The engine of now, as batches use it. */
  lineEngines(): BatchParts['engines'] {
    const { engine } = this;
    return {
      use: (work) =>
        work({
          prepare: (task) => engine.prepare(task),
          engine: (build) => engine.of(build),
          chargeOf: (build, inputTokens) => ({
            model: build,
            kind: 'batch',
            inputTokens,
            price: this.price,
          }),
        }),
      engine: (model) => engine.of(model),
      notePreparing: () => {},
      knows: (model) => !engine.unknown.has(model),
      mayUse: (model, allowed) => allowed === null || allowed.includes(model),
      priceOf: () => ({ live: 2n * this.price, batch: this.price }),
    };
  }

  private trouble(error: unknown): void {
    this.troubles.push((error as Error).message);
  }

  /** The clock of this life: when it has ended, nothing of it happens any more. */
  private own(): Clock {
    const { clock, alive } = this;
    return { ...clock, after: (ms, callback) => clock.after(ms, () => alive.yes && callback()) };
  }

  private async end(): Promise<void> {
    await this.batches.stop();
    await this.tasks.stop();
    await this.access.flush();
    await this.store.close();
  }
}

/** What is made in pieces. */
async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

/** Everything that promises do now, one after another, is done when it resolves. */
export async function turns(count = 8): Promise<void> {
  for (let round = 0; round < count; round += 1) await turn();
}

/** Long: it only delays a failure, and a busy machine may need it. */
const PATIENCE_MS = 100_000;

/** Waits for what other threads do. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`it does not come about: ${holds}`);
    await turn();
  }
}

/** What a promise rejects with. */
export const reason = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );
