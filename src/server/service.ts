import { ApiError } from '../api/index.js';
import { type DecideCalls, type Decision, decide } from '../decide/index.js';
import type { DecideCall, Door, ModelListEntry } from '../http/index.js';
import { Engines, type Surroundings } from './engines.js';
import { PreparePool } from './prepare-pool.js';
import type { Settings } from './settings.js';

/** How long a client may wait before it asks again while the models load: nobody knows how long that takes. */
const LOADING_RETRY_SECONDS = 5;

/** What HTTP stands in front of: the engines, the preparing threads, the decision between them. */
export class Service implements Door {
  readonly engines: Engines;
  private preparing: PreparePool | undefined;
  private calls: DecideCalls | undefined;

  /** Reads the manifest and chooses the backend. Throws ModelError or BackendError. */
  constructor(
    private readonly settings: Settings,
    private readonly surroundings: Surroundings,
  ) {
    this.engines = new Engines(settings, surroundings);
  }

  /** Resolves when it can answer. Rejects with ModelError or the reason to stop; `close` it then. */
  async load(): Promise<void> {
    const { engines, settings } = this;
    await engines.load();
    const { backend, device } = engines;
    const { models, 'engine.cells': cells, 'prepare.threads': threads } = settings;
    const preparing = new PreparePool({ backend, device, models, cells }, threads);
    this.preparing = preparing;
    await preparing.ready();
    this.calls = {
      clock: this.surroundings.clock,
      prepare: (task) => preparing.prepare(task),
      engine: (build) => engines.get(build),
    };
  }

  checkReady(): void {
    this.loadedCalls();
  }

  models(): ModelListEntry[] {
    return this.engines.catalog.list().map((model) => ({ ...model, ownedBy: 'decider' }));
  }

  async decide({ body, unknownModel, signal }: DecideCall): Promise<Decision> {
    return decide({ body, unknownModel }, this.loadedCalls(), signal);
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.preparing?.close();
    await this.engines.close();
  }

  private loadedCalls(): DecideCalls {
    if (this.calls !== undefined) return this.calls;
    throw new ApiError('model_unavailable', 'The models are still being loaded.', {
      retryAfterSeconds: LOADING_RETRY_SECONDS,
    });
  }
}
