import { setMaxListeners } from 'node:events';
import type { Caller } from '../../access/index.js';
import { ApiError } from '../../api/index.js';
import {
  type Clock,
  FairQueue,
  followAbort,
  type Owner,
  QueueFull,
  ShareCounts,
  type Shares,
} from '../../base/index.js';
import { type AskedTask, type Decision, decide, pinnedBuild, type SentRequest } from '../../decide/index.js';
import { NotComputed } from '../../engine/index.js';
import type { Task } from '../../tasks/index.js';
import type { Log, Metrics } from '../../telemetry/index.js';
import type { Engines } from '../engines.js';
import type { ModelSet } from '../models/model-set.js';

/** Shadows that are prepared or computed at the same time. */
export const SHADOWS_AT_ONCE: Shares = { key: 1, workspace: 1, all: 4 };
/** Shadows that may wait. */
export const SHADOWS_WAITING_MAX: Shares = { key: 16, workspace: 32, all: 64 };
const MEBIBYTE = 1024 * 1024;
/** Bytes of the bodies that are kept for shadows, from the arrival of the request on. */
export const SHADOW_BYTES_MAX: Shares = {
  key: 32 * MEBIBYTE,
  workspace: 32 * MEBIBYTE,
  all: 64 * MEBIBYTE,
};
/** A shadow is dropped this many milliseconds after it has started. */
export const SHADOW_MS_MAX = 60_000;

/** A request about a task, which is also run on its shadow build. */
interface ShadowedRequest {
  readonly caller: Caller;
  readonly task: Task;
  readonly asked: AskedTask;
  readonly request: SentRequest;
  /** What names the answer; see `TaskAnswer`. */
  readonly reference: string;
}

/** The answers of both builds to a request. */
export interface BothDecisions {
  readonly live: Decision;
  readonly shadow: Decision;
}

interface Parts {
  readonly engines: Pick<Engines, 'current' | 'get'>;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly log: Pick<Log, 'error'>;
  readonly metrics: Metrics;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** Called with the answers of both builds, some time after the response. */
  compare(task: Task, reference: string, decisions: BothDecisions): void;
}

/** A request that is to be run on the shadow build. */
interface Drawn extends ShadowedRequest {
  /** The build that answers the task. */
  readonly live: string;
  /** Of the body. */
  readonly bytes: number;
  /** Aborts when the shadow is to be dropped. */
  readonly leaving: AbortSignal;
}

/** A shadow that is not run to its end: not its fault. */
class Dropped extends Error {}

/** No credit is reserved for a shadow, and nothing is charged. */
const FREE = { post: () => {}, release: () => {} };

/**
 * Runs a share of the requests of tasks on their shadow builds, after the response was sent: at the urgency of a batch, and
 * only while no engine has live requests waiting. What cannot be run at once waits within bounds or is dropped.
 */
export class ShadowRuns {
  private readonly queue = new FairQueue(SHADOWS_AT_ONCE, SHADOWS_WAITING_MAX);
  private readonly bytes = new ShareCounts(SHADOW_BYTES_MAX);
  private leaving = newController();
  private isStopped = false;

  constructor(private readonly parts: Parts) {
    const { taskShadows } = parts.metrics.instruments;
    for (const event of ['started', 'counted', 'failed', 'dropped']) taskShadows.inc({ event }, 0);
  }

  /**
   * Answers a request, and draws whether it is run on the shadow build afterwards. The answer does not wait for that.
   *
   * @param answer answers the request; the memory of its body may be used for something else afterwards
   */
  async beside(sent: ShadowedRequest, answer: () => Promise<Decision>): Promise<Decision> {
    const drawn = this.draw(sent);
    if (drawn === null) return answer();
    let decision: Decision;
    try {
      decision = await answer();
    } catch (error) {
      this.release(drawn);
      throw error;
    }
    this.runLater(drawn, decision);
    return decision;
  }

  /** Drops all shadows. Later requests may have others. */
  drop(): void {
    this.leaving.abort(new Dropped());
    this.leaving = newController();
  }

  /** Drops all shadows, and runs no others. */
  stop(): void {
    this.isStopped = true;
    this.drop();
  }

  /** Null: the request is not run on the shadow build. */
  private draw(sent: ShadowedRequest): Drawn | null {
    const { random, engines } = this.parts;
    const { task, request } = sent;
    if (task.shadow === null || this.isStopped) return null;
    const { catalog } = engines.current;
    const live = catalog.find(task.model)?.id;
    // An endpoint of one model answers with a build of that one.
    const answers =
      request.model === null ? catalog.find(task.model) : pinnedBuild(catalog, request.model, task.model);
    if (live === undefined || answers?.id !== live) return null;
    if (random() >= task.shadow.share) return null;
    const owner = ownerOf(sent);
    const { byteLength } = request.body;
    if (this.bytes.exceededBy(owner, byteLength) !== null) {
      this.count('dropped');
      return null;
    }
    this.bytes.add(owner, byteLength);
    // A copy: nothing may keep the body that was received.
    const body = new Uint8Array(request.body);
    return { ...sent, request: { ...request, body }, live, bytes: byteLength, leaving: this.leaving.signal };
  }

  private release(drawn: Drawn): void {
    this.bytes.add(ownerOf(drawn), -drawn.bytes);
  }

  /** The response is sent in this turn of the event loop, and the shadow begins in a later one. */
  private runLater(drawn: Drawn, live: Decision): void {
    const { clock, compare } = this.parts;
    const { task, reference, leaving } = drawn;
    clock.after(0, () => {
      this.queue
        .run(ownerOf(drawn), () => this.run(drawn, live), leaving)
        .then((shadow) => compare(task, reference, { live, shadow }))
        .catch((error) => this.notCompared(error, leaving))
        .finally(() => this.release(drawn));
    });
  }

  private async run(drawn: Drawn, live: Decision): Promise<Decision> {
    const { engines, clock } = this.parts;
    const { task, asked, request, caller, leaving } = drawn;
    const set = engines.current;
    const build = set.catalog.find(task.shadow?.model ?? '');
    if (build === undefined || live.build !== drawn.live || this.isBusy(set, build.id)) throw new Dropped();
    this.count('started');
    const ending = new AbortController();
    const stay = followAbort(leaving, ending);
    const cancelLimit = clock.after(SHADOW_MS_MAX, () => ending.abort(new Dropped()));
    try {
      return await set.use(() =>
        decide(
          { ...request, model: null, task: { ...asked, model: build.id } },
          {
            clock,
            prepare: (prepared) => set.prepareLine(prepared),
            engine: (id) => engines.get(id, set),
            reserve: () => FREE,
          },
          {
            signal: ending.signal,
            workspace: caller.workspace.id,
            urgency: 'batch',
          },
        ),
      );
    } finally {
      cancelLimit();
      stay();
    }
  }

  /** Whether anything else waits for the engines: shadows are dropped first. */
  private isBusy(set: ModelSet, build: string): boolean {
    const { engines } = this.parts;
    if (engines.get(build, set)?.wantsBatch !== true) return true;
    return set.catalog.builds.some(({ id }) => (engines.get(id, set)?.waiting('live') ?? 0) > 0);
  }

  private notCompared(error: unknown, { aborted }: AbortSignal): void {
    const isDropped = aborted || [Dropped, QueueFull, NotComputed].some((type) => error instanceof type);
    this.count(isDropped ? 'dropped' : 'failed');
    if (isDropped || error instanceof ApiError) return;
    this.parts.log.error({ err: error }, 'a request cannot be run on the shadow build of its task');
  }

  private count(event: 'started' | 'dropped' | 'failed'): void {
    this.parts.metrics.instruments.taskShadows.inc({ event });
  }
}

/** Every shadow that waits or runs listens to its signal; Node would warn of a leak at the eleventh. */
function newController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

const ownerOf = ({ caller }: ShadowedRequest): Owner => ({
  workspace: caller.workspace.id,
  key: caller.key.id,
});
