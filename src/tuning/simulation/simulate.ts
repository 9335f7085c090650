// The engine's scheduler in simulated time: arrivals and the cost of a wave are given, nothing is computed.
import {
  AdaptiveBudget,
  ContextState,
  type EmbeddingSizes,
  Embeddings,
  type Entry,
  fixedBudget,
  giveWaves,
  noEmbeddings,
  type Plan,
  planCells,
  Scheduler,
  type Sharing,
  settle,
  type Urgency,
  type Wave,
  type WaveBounds,
} from '../../engine/index.js';

/** A request that comes at a time in milliseconds. */
export interface Arrival {
  readonly at: number;
  readonly plan: Plan;
  readonly urgency: Urgency;
}

/** What a wave takes, in milliseconds. */
export interface WaveTime {
  /** On a processor of its own: waves of other lanes do not wait for it. */
  readonly host: number;
  /** On the device, if no other lane uses it; lanes that use it at the same time share it equally. */
  readonly device: number;
}

export interface Simulation {
  readonly bounds: WaveBounds;
  readonly sharing: Sharing;
  readonly devices: number;
  /** Lanes of each device. */
  readonly contexts: number;
  readonly images?: EmbeddingSizes;
  /** Whether the lanes adapt how much they keep (see `AdaptiveBudget`), as the engine does; if not, it is the most. */
  readonly adapts?: boolean;
  /** See `SchedulerOptions`. */
  readonly shareBesideLive?: number;
  timeOf(wave: Wave<Entry>): WaveTime;
  /** Plans of batches, in order; the lanes get as many as they want. */
  readonly batch?: Iterator<Plan>;
  /** When the simulation ends, if batches do not; otherwise it ends when all arrivals are answered. */
  readonly until?: number;
  /** Called after waves have been given to the free lanes. */
  onDispatch?(state: SimulatedState): void;
}

/** The scheduler and the lanes at one moment. */
export interface SimulatedState {
  readonly scheduler: Scheduler<Simulated>;
  readonly lanes: ReadonlyArray<{ readonly context: ContextState<Simulated>; readonly isFree: boolean }>;
}

/** A plan in a simulation. */
export interface Simulated extends Entry {
  readonly arrival: Arrival;
}

export interface Outcome {
  /** Of every live plan that was answered, in milliseconds, in the order of the answers. */
  readonly latencies: readonly number[];
  /** Plans and questions that were answered. */
  readonly answered: Readonly<Record<Urgency, number>>;
  readonly questions: Readonly<Record<Urgency, number>>;
  readonly waves: number;
  /** Tokens that were computed. */
  readonly tokens: number;
  /** The part of the prefixes' tokens that was not computed again. */
  readonly hitRate: number;
  /** When the last plan was answered. */
  readonly ms: number;
}

/** Waves of batch plans kept waiting per lane, as the engine does. */
const WAVES_AHEAD = 2;
/** Less than the shortest time that matters, more than the error of the sums. */
const EPSILON_MS = 1e-9;
const RESULT = Float32Array.of(0);

interface LaneState {
  readonly context: ContextState<Simulated>;
  readonly device: number;
  wave: Wave<Simulated> | null;
  /** Left of the wave, in milliseconds. */
  host: number;
  onDevice: number;
}

/** Runs arrivals, which are sorted by time, through the scheduler. */
export function simulate(arrivals: readonly Arrival[], simulation: Simulation): Outcome {
  return new Run(arrivals, simulation).run();
}

class Run {
  private readonly scheduler: Scheduler<Simulated>;
  private readonly lanes: readonly LaneState[];
  private now = 0;
  private next = 0;
  private readonly latencies: number[] = [];
  private readonly answered = { live: 0, batch: 0 };
  private readonly questions = { live: 0, batch: 0 };
  private readonly sums = { waves: 0, tokens: 0, prefixes: 0, suffixes: 0 };
  private lastAnswer = 0;

  constructor(
    private readonly arrivals: readonly Arrival[],
    private readonly simulation: Simulation,
  ) {
    const { bounds, sharing, devices, contexts, images, adapts, shareBesideLive } = simulation;
    const embeddings = images === undefined ? noEmbeddings() : new Embeddings(images, 2 ** 28);
    this.scheduler = new Scheduler({
      queueMax: Number.POSITIVE_INFINITY,
      ...(shareBesideLive !== undefined && { shareBesideLive }),
    });
    const budget = adapts ? new AdaptiveBudget(sharing.idleCellsMax) : fixedBudget(sharing.idleCellsMax);
    this.lanes = Array.from({ length: devices * contexts }, (_, lane) => ({
      context: new ContextState<Simulated>(bounds, sharing, embeddings, budget),
      device: lane % devices,
      wave: null,
      host: 0,
      onDevice: 0,
    }));
  }

  run(): Outcome {
    const { until = Number.POSITIVE_INFINITY } = this.simulation;
    this.dispatch();
    for (;;) {
      const step = this.untilNext();
      if (!Number.isFinite(step) || this.now + step > until) break;
      this.pass(step);
      this.receive();
      for (const lane of this.lanes) {
        if (lane.wave !== null && lane.host + lane.onDevice <= EPSILON_MS) this.complete(lane, lane.wave);
      }
      this.dispatch();
    }
    const { waves, tokens, prefixes, suffixes } = this.sums;
    return {
      latencies: this.latencies,
      answered: this.answered,
      questions: this.questions,
      waves,
      tokens,
      // What is computed of plans that the end of the simulation cuts off counts as no hit.
      hitRate: prefixes === 0 ? 0 : Math.max(0, 1 - (tokens - suffixes) / prefixes),
      ms: this.lastAnswer,
    };
  }

  /** Milliseconds until something happens. */
  private untilNext(): number {
    const arrival = this.arrivals[this.next];
    return Math.min(
      arrival === undefined ? Number.POSITIVE_INFINITY : Math.max(0, arrival.at - this.now),
      ...this.lanes
        .filter(({ wave }) => wave !== null)
        .map((lane) => (lane.host > 0 ? lane.host : lane.onDevice * this.sharersOf(lane))),
    );
  }

  /** How many lanes compute on a lane's device. */
  private sharersOf({ device }: LaneState): number {
    return this.lanes.filter((lane) => lane.device === device && lane.wave !== null && lane.host <= 0).length;
  }

  private pass(ms: number): void {
    const sharers = this.lanes.map((lane) => this.sharersOf(lane));
    this.lanes.forEach((lane, index) => {
      if (lane.wave === null) return;
      if (lane.host > 0) lane.host = lane.host - ms <= EPSILON_MS ? 0 : lane.host - ms;
      else lane.onDevice -= ms / (sharers[index] as number);
    });
    this.now += ms;
  }

  private receive(): void {
    for (;;) {
      const arrival = this.arrivals[this.next];
      if (arrival === undefined || arrival.at > this.now + EPSILON_MS) return;
      this.add(arrival);
      this.next += 1;
    }
  }

  private add(arrival: Arrival): void {
    this.scheduler.add({ plan: arrival.plan, dropped: false, arrival }, arrival.urgency);
  }

  private dispatch(): void {
    this.takeBatch();
    const contexts = this.lanes.map(({ context }) => context);
    giveWaves(this.lanes, (lane) => {
      const wave = lane.wave === null ? this.scheduler.fill(lane.context, contexts) : null;
      if (wave !== null) this.start(lane, wave);
      return wave !== null;
    });
    this.simulation.onDispatch?.({
      scheduler: this.scheduler,
      lanes: this.lanes.map(({ context, wave }) => ({ context, isFree: wave === null })),
    });
  }

  private start(lane: LaneState, wave: Wave<Simulated>): void {
    const { host, device } = this.simulation.timeOf(wave);
    Object.assign(lane, { wave, host, onDevice: device });
    lane.context.computing = wave.cost;
    this.sums.waves += 1;
    this.sums.tokens += tokensOf(wave);
  }

  private takeBatch(): void {
    const { batch, bounds } = this.simulation;
    if (batch === undefined) return;
    const enough = WAVES_AHEAD * this.lanes.length * bounds.waveTokens;
    let waiting = this.scheduler.waiting('batch').reduce((sum, { plan }) => sum + planCells(plan), 0);
    while (waiting < enough) {
      const { value, done } = batch.next();
      if (done) return;
      this.add({ at: this.now, plan: value, urgency: 'batch' });
      waiting += planCells(value);
    }
  }

  private complete(lane: LaneState, wave: Wave<Simulated>): void {
    lane.wave = null;
    lane.context.computing = 0;
    const results = wave.answered.map(() => RESULT);
    for (const { entry } of settle(lane.context, wave, results)) {
      const { plan, urgency, at } = entry.arrival;
      if (urgency === 'live') this.latencies.push(this.now - at);
      this.answered[urgency] += 1;
      this.questions[urgency] += plan.suffixes.length;
      this.sums.prefixes += plan.prefix.length;
      this.sums.suffixes += planCells(plan) - plan.prefix.length;
      this.lastAnswer = this.now;
    }
  }
}

/** The tokens that a wave computes. */
export const tokensOf = ({ task }: Wave<Entry>): number =>
  task.phases.reduce(
    (sum, { streams }) => sum + streams.reduce((total, { tokens }) => total + tokens.length, 0),
    0,
  );
