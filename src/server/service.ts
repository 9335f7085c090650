import { type Caller, dayOf } from '../access/index.js';
import { ApiError, stopping } from '../api/index.js';
import { endAll } from '../base/index.js';
import type { Batch, BatchTasks } from '../batch/index.js';
import { type DecideDependencies, type Decision, decide, type SentRequest } from '../decide/index.js';
import type { App, Authorized, BatchApp, ModelListEntry, Rates, TaskApp } from '../http/index.js';
import type { Settings } from '../settings/index.js';
import type { Storage } from '../storage/index.js';
import type { Metrics } from '../telemetry/index.js';
import { limitsJson, usageJson } from './account-json.js';
import type { BatchService } from './batch-service.js';
import type { Engines } from './engines.js';
import type { ModelSet } from './models/model-set.js';
import { isServed, offeredModels } from './models/offered-models.js';
import type { ServiceStatus } from './operator/status.js';
import { type ReloadChanges, reloadRecord } from './reload/audit-reload.js';
import type { ServerDependencies } from './server-dependencies.js';
import { TaskService } from './task-service.js';

/** `Retry-After` while the models load, which takes an unknown time, and before a restart. */
const LOADING_RETRY_SECONDS = 5;

const PHASES = ['prepare', 'queue', 'engine'] as const;

/** The service behind HTTP: access and ledger, engines, preparing threads, and the decision between them. */
export class Service implements App {
  private batches: BatchService | null = null;
  private readonly tasks: TaskService;
  private ready = false;
  /** Why the process has to be restarted; null: it does not. */
  private failure: string | null = null;
  private isStopping = false;

  constructor(
    private settings: Settings,
    private readonly dependencies: ServerDependencies,
    private readonly metrics: Metrics,
    readonly engines: Engines,
    readonly storage: Storage,
  ) {
    const { log, clock } = dependencies;
    this.tasks = new TaskService(engines, storage, metrics, log, clock, Math.random);
    void engines.stuck.then((reason) => {
      this.failure = reason;
    });
  }

  /** From now on requests are answered: the models are loaded. `batches`: null if batches are off. */
  serve(batches: BatchService | null): void {
    this.batches = batches;
    this.ready = true;
  }

  /** The tasks as batches use them. */
  get batchTasks(): BatchTasks {
    return this.tasks.ofBatches;
  }

  /** The models and builds that open batches name. */
  openModels(): readonly string[] {
    return this.batches?.openModels ?? [];
  }

  /**
   * Checks the master key of other settings. The returned function uses these settings, and models that have become
   * current. Throws OperatorError.
   */
  prepareSettings(next: Settings): () => void {
    const useMasterKey = this.storage.prepareMasterKey(next.master_key);
    return () => {
      this.settings = next;
      this.engines.useLimits(next);
      this.batches?.modelsChanged();
      this.tasks.modelsChanged();
      useMasterKey();
    };
  }

  /** Adds a reload to the audit log. */
  recordReload(before: Settings, after: Settings, changed: ReloadChanges): void {
    this.storage.administration
      .change('server', 'record', reloadRecord(before, after, changed))
      .catch((error) => this.dependencies.log.error({ err: error }, 'a reload is not in the audit log'));
  }

  checkReady(model: string | null): void {
    if (this.isStopping) throw stopping();
    this.requireLoaded();
    this.requireStored();
    const { catalog } = this.engines;
    const builds = model === null ? catalog.builds : [catalog.find(model)];
    for (const build of builds) if (build !== undefined) this.engines.get(build.id)?.checkWorking();
  }

  /** From now on the server takes no new requests; those in progress are answered. */
  beginStop(): void {
    this.isStopping = true;
    this.tasks.beginStop();
  }

  /** Why requests cannot be answered; empty if they can. */
  unreadyReasons(): string[] {
    if (this.isStopping) return ['The server is stopping.'];
    if (this.failure !== null) return [`The server is about to restart: ${this.failure}.`];
    if (!this.ready) return ['The models are still loading.'];
    const idle = this.engines.catalog.builds
      .filter(({ id }) => this.engines.get(id)?.workingLanes === 0)
      .map(({ id }) => `No engine thread of ${id} works.`);
    return [...idle, ...this.storage.unreadyReasons()];
  }

  /** What the operator sees of the work in progress. */
  status(): ServiceStatus {
    const { engines, storage, batches } = this;
    return { engines, openBatches: batches?.openStates ?? {}, store: storage.status() };
  }

  /** Cancels the batch of any key, for the operator `actor`. Rejects with ApiError. */
  async cancelBatch(id: string, actor: string): Promise<Batch> {
    this.requireLoaded();
    if (this.batches !== null) return this.batches.cancelAny(id, actor);
    throw new ApiError('batch_unavailable', 'The server has no batch interface (batch.enabled).');
  }

  /** Resolves if keys, accounts and batches can be written; rejects with OperatorError. */
  probe(): Promise<void> {
    return this.storage.probe();
  }

  /** Name of what `probe` writes to, such as `The data folder`. */
  get place(): string {
    return this.storage.place;
  }

  serves(model: string, only: string | null): boolean {
    return isServed(this.engines.catalog, model, only);
  }

  models(model: string | null): ModelListEntry[] {
    const { catalog } = this.engines;
    const only = model === null ? null : catalog.listedId(model);
    const listed = catalog.list().filter(({ id }) => only === null || id === only);
    return listed.map((each) => ({ ...each, ownedBy: 'decider', ...this.engines.current.factsOf(each.id) }));
  }

  authorize(headers: readonly string[]): Authorized {
    const { access } = this.storage;
    const caller = access.authenticate(headers);
    const { id, expires } = caller.key;
    const batches = () => this.batchesOf(caller);
    const tasks = () => this.tasksOf(caller);
    return {
      keyId: id,
      workspaceId: caller.workspace.id,
      keyExpires: expires === null ? 'never' : dayOf(expires),
      admit: (bytes) => access.admit(caller, bytes),
      admitFree: (bytes) => access.admitFree(caller, bytes),
      rates: () => this.ratesOf(caller),
      limits: (only) => this.limitsOf(caller, only),
      usage: async (days) => usageJson(id, this.settings.billing.currency, await access.usage(caller, days)),
      get tasks() {
        return tasks();
      },
      get batches() {
        return batches();
      },
      allowedModels: caller.workspace.models,
      decide: (request, signal) => this.decide(caller, request, signal),
    };
  }

  /** Abandons work in progress, whose requests are answered 503, ends the threads and writes the charges. */
  async close(): Promise<void> {
    // Before the engines: otherwise an interrupted line would count as failed.
    const stopped = Promise.resolve(this.batches?.stop());
    // Reported by `endAll` below.
    stopped.catch(() => {});
    this.engines.abandon(stopping());
    this.engines.cancel();
    await endAll([
      () => stopped,
      () => this.tasks.close(),
      () => this.engines.close(),
      () => this.storage.close(),
    ]);
  }

  private async decide(caller: Caller, request: SentRequest, signal: AbortSignal): Promise<Decision> {
    this.requireLoaded();
    // Before the work of preparing it: its charge would be refused.
    this.requireStored();
    const set = this.engines.current;
    if (request.model !== null && set.catalog.find(request.model) === undefined)
      throw new ApiError(
        'model_not_found',
        'This endpoint does not serve the model in the path. GET /v1/models lists its models.',
      );
    const owner = { workspace: caller.workspace.id, key: caller.key.id };
    const dependencies: DecideDependencies = {
      clock: this.dependencies.clock,
      prepare: (sent) => set.prepare(sent, owner, signal),
      engine: (build) => this.engines.get(build, set),
      reserve: (build, inputTokens) => this.reserve(caller, set, build, inputTokens),
    };
    const decision = await set.use(() =>
      decide(request, dependencies, { signal, workspace: owner.workspace }),
    );
    this.count(decision);
    return decision;
  }

  private count({ build, usage, timing }: Decision): void {
    const { seconds } = this.metrics.instruments;
    this.metrics.countUsage(build, usage);
    for (const phase of PHASES) seconds.observe({ phase }, timing[phase] / 1_000);
  }

  private limitsOf(caller: Caller, only: string | null): Promise<object> {
    const set = this.engines.current;
    const terms = { only, listed: this.models(only), allowed: caller.workspace.models };
    return limitsJson(caller, offeredModels(set, terms), set, this.storage, this.settings);
  }

  private ratesOf(caller: Caller): Rates {
    const { requestsPerMinute, bytesPerMinute } = caller.workspace;
    const { resetMs, ...left } = this.storage.access.ratesLeft(caller);
    return { limit: { requests: requestsPerMinute, bytes: bytesPerMinute }, left, resetMs };
  }

  private tasksOf(caller: Caller): TaskApp {
    return this.tasks.appOf(caller, {
      requireLoaded: () => this.requireLoaded(),
      decide: (request, signal) => this.decide(caller, request, signal),
    });
  }

  private batchesOf(caller: Caller): BatchApp | null {
    if (!this.settings.batch.enabled) return null;
    this.requireLoaded();
    return this.batches?.appOf(caller) ?? null;
  }

  private reserve(caller: Caller, set: ModelSet, build: string, inputTokens: number) {
    const model = set.catalog.find(build)?.model.id ?? build;
    const price = this.engines.priceOf(build, set).live;
    return this.storage.access.reserve(caller, { model, kind: 'live', inputTokens, price });
  }

  /** Throws ApiError `overloaded` while accounts cannot be read or charges be written. */
  private requireStored(): void {
    const [reason] = this.storage.unreadyReasons();
    if (reason !== undefined) throw new ApiError('overloaded', reason, { retryAfterSeconds: 1 });
  }

  private requireLoaded(): void {
    if (this.failure !== null) {
      throw new ApiError('model_unavailable', 'The server is about to restart.', {
        retryAfterSeconds: LOADING_RETRY_SECONDS,
      });
    }
    if (this.ready) return;
    throw new ApiError('model_unavailable', 'The models are still loading.', {
      retryAfterSeconds: LOADING_RETRY_SECONDS,
    });
  }
}
