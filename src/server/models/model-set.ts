import type { Price } from '../../access/index.js';
import { ApiError } from '../../api/index.js';
import type { Owner } from '../../base/index.js';
import type { PrepareResult, SentRequest } from '../../decide/index.js';
import { Catalog, type CatalogBuild, type Engine, type Manifest } from '../../engine/index.js';
import type {
  ReadLabels,
  ReadPromotion,
  ReadTask,
  SentLabels,
  SentPromotion,
  SentTask,
} from '../../tasks/index.js';
import type { PreparePool } from '../prepare-pool.js';
import type { LoadedBuild } from './loaded-build.js';

/** `Retry-After` of a request that was cut off: the models that replace its own ones are loaded. */
const CUT_OFF_RETRY_SECONDS = 1;

/**
 * The models of one manifest, and everything that depends on it. A request uses one set from its preparation to its
 * answer, so that the build that prepared it also answers it.
 */
export class ModelSet {
  readonly catalog: Catalog;
  /** By build id. */
  readonly builds = new Map<string, LoadedBuild>();
  /** By build id. A reload of the settings replaces them. */
  prices: ReadonlyMap<string, Price> = new Map();
  private pool: PreparePool | null = null;
  private uses = 0;
  private onUnused = () => {};
  /** What requests are rejected with; null: they are prepared. */
  private refused: ApiError | null = null;

  /** @param folder that of the manifest */
  constructor(
    readonly manifest: Manifest,
    folder: string,
  ) {
    this.catalog = new Catalog(manifest, folder);
  }

  /** The preparing threads of this set. */
  set preparing(pool: PreparePool) {
    this.pool = pool;
  }

  /** The engine of a build; undefined if it is not loaded. */
  engine(build: string): Engine | undefined {
    return this.builds.get(build)?.engine;
  }

  /** The most options of a question that a build can tell apart; null: it is not loaded. */
  maxOptions(build: string): number | null {
    return this.builds.get(build)?.verified.labels.list.length ?? null;
  }

  /** What lists of models have of a model, which is that of its newest build, or of a build; see `ModelListEntry`. */
  factsOf(name: string) {
    const { id, model, projector } = this.catalog.find(name) as CatalogBuild;
    // A reload may have changed the maximum of a build that is loaded.
    const most = this.builds.get(id)?.contextTokensMax;
    return {
      maxOptions: this.maxOptions(id),
      readsImages: projector !== null,
      contextTokens: most === undefined ? null : Math.min(most, model.context_length ?? most),
      domain: model.domain ?? null,
    };
  }

  /** Keeps the set loaded until the work has ended. */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.uses += 1;
    try {
      return await work();
    } finally {
      this.uses -= 1;
      if (this.uses === 0) this.onUnused();
    }
  }

  /** Like `PreparePool.prepare`; rejects with the reason once the set is refused. */
  prepare(task: SentRequest, owner: Owner, signal?: AbortSignal): Promise<PrepareResult> {
    return this.onThreads((threads) => threads.prepare(task, owner, signal));
  }

  /** Like `PreparePool.prepareLine`; rejects with the reason once the set is refused. */
  prepareLine(task: SentRequest): Promise<PrepareResult> {
    return this.onThreads((threads) => threads.prepareLine(task));
  }

  /** Like `PreparePool.readTask`; rejects with the reason once the set is refused. */
  readTask(task: SentTask, owner: Owner, signal: AbortSignal): Promise<ReadTask> {
    return this.onThreads((threads) => threads.readTask(task, owner, signal));
  }

  /** Like `PreparePool.readLabels`; rejects with the reason once the set is refused. */
  readLabels(task: SentLabels, owner: Owner, signal: AbortSignal): Promise<ReadLabels> {
    return this.onThreads((threads) => threads.readLabels(task, owner, signal));
  }

  /** Like `PreparePool.readPromotion`; rejects with the reason once the set is refused. */
  readPromotion(task: SentPromotion, owner: Owner, signal: AbortSignal): Promise<ReadPromotion> {
    return this.onThreads((threads) => threads.readPromotion(task, owner, signal));
  }

  /** Resolves when nothing uses the set. From then on nothing must begin to use it. */
  unused(): Promise<void> {
    if (this.uses === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.onUnused = resolve;
    });
  }

  /**
   * Rejects the requests that still use the set with ApiError `model_unavailable`, and aborts their waves. Builds that
   * `others` shares go on.
   */
  cutOff(others: ModelSet): void {
    const reason = cutOff();
    this.refuse(reason);
    for (const build of this.own(others)) {
      build.engine.abandon(reason);
      for (const thread of build.threads) thread.cancel();
    }
  }

  /** From now on, what is not prepared fails with `reason`. */
  refuse(reason: ApiError): void {
    this.refused = reason;
  }

  /** The builds that another set does not share. */
  own(others: ModelSet): LoadedBuild[] {
    return [...this.builds.values()].filter((build) => others.builds.get(build.id) !== build);
  }

  /** Ends the preparing threads. */
  async closePreparing(): Promise<void> {
    await this.pool?.close();
  }

  private async onThreads<Result>(work: (threads: PreparePool) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.threads);
    } catch (error) {
      throw this.refused ?? error;
    }
  }

  private get threads(): PreparePool {
    if (this.pool === null) throw new Error('the preparing threads of the models have not been started');
    return this.pool;
  }
}

const cutOff = () =>
  new ApiError('model_unavailable', 'The build of the request was replaced before it answered.', {
    retryAfterSeconds: CUT_OFF_RETRY_SECONDS,
  });
