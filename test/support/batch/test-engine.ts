import type { Clock } from '../../../src/base/index.js';
import { NO_DIAGNOSTICS } from '../../../src/decide/diagnostics.js';
import type { PrepareResult, SentRequest } from '../../../src/decide/index.js';
import type { Engine, EngineAnswer, Plan, RunOptions } from '../../../src/engine/index.js';

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

/** Input tokens of the line of a custom id. */
export const tokensOf = (customId: string) => 10 + customId.length;

/** Most plans that wait in an engine. */
export const ENGINE_ROOM = 64;

/** An engine for every model, whose plans are known by the custom ids of their lines. */
export class TestEngine {
  /** The custom ids in the order in which their plans came, once for each try, and when. */
  readonly started: string[] = [];
  readonly startedAt: number[] = [];
  /** The labels of the plans that came, and of those that were to run alone. */
  readonly labels: string[] = [];
  readonly alone: string[] = [];
  /** Plans without an answer. */
  readonly waiting = new Map<string, Waiting>();
  /** Whether plans are answered at once. */
  answersAtOnce = true;
  /** What the tries of a line end with, one after the other; then it is answered. */
  readonly faults = new Map<string, unknown[]>();
  /** What preparing a line ends with. */
  readonly refusals = new Map<string, Extract<PrepareResult, { ok: false }>>();
  /** Models without an engine. */
  readonly missing = new Set<string>();
  /** Models that the manifest lacks. */
  readonly unknown = new Set<string>();

  /** Models with an engine of their own, which the test does not control here. */
  readonly others = new Map<string, Pick<Engine, 'run' | 'wantsBatch' | 'workingLanes'>>();

  /** `room`: most plans that wait. */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    public room = ENGINE_ROOM,
  ) {}

  /** What the scheduler of the server sees; undefined for a model that is not there. */
  of(model: string) {
    const id = model.replace(/-20260101$/, '');
    if (this.missing.has(id)) return undefined;
    const other = this.others.get(id);
    if (other !== undefined) return other;
    const engine = this;
    return {
      workingLanes: 1,
      get wantsBatch() {
        return engine.waiting.size < engine.room;
      },
      run: (plan: Plan, { signal, urgency, label = '', alone = false, onQueued }: RunOptions) => {
        if (urgency !== 'batch') throw new Error('a line goes before live requests');
        engine.labels.push(label);
        if (alone) engine.alone.push(plan.prefixKey);
        const answer = this.run(plan, signal);
        onQueued?.();
        return answer;
      },
    };
  }

  async prepare({ body, task }: SentRequest): Promise<PrepareResult> {
    const { custom_id: id, model = task?.model } = JSON.parse(Buffer.from(body).toString());
    // As a body of its own goes to the preparing threads: it cannot be read again.
    if (body.buffer instanceof ArrayBuffer) structuredClone(null, { transfer: [body.buffer] });
    const refusal = this.refusals.get(id);
    if (refusal !== undefined) return refusal;
    return {
      ok: true,
      build: `${model}-20260101`,
      calibration: 'c',
      questions: [{ name: 'q', type: 'noul', instructions: null, options: OPTIONS }],
      temperatures: [1],
      orders: [1],
      diagnostics: NO_DIAGNOSTICS,
      texts: { hits: 0, misses: 0 },
      inputTokens: tokensOf(id),
      plan: { prefix: Int32Array.of(1), prefixKey: id, suffixes: [suffixOf(id)], images: [] },
    } as Extract<PrepareResult, { ok: true }>;
  }

  answer(customId: string): void {
    this.take(customId).resolve();
  }

  fail(customId: string, error: unknown): void {
    this.take(customId).reject(error);
  }

  answerAll(): void {
    for (const id of [...this.waiting.keys()]) this.answer(id);
  }

  private take(customId: string): Waiting {
    const waiting = this.waiting.get(customId);
    if (waiting === undefined) throw new Error(`${customId} does not wait`);
    this.waiting.delete(customId);
    return waiting;
  }

  private run({ prefixKey: id }: Plan, signal: AbortSignal): Promise<EngineAnswer> {
    this.started.push(id);
    this.startedAt.push(this.clock.monotonic());
    const fault = this.faults.get(id)?.shift();
    return new Promise((resolve, reject) => {
      if (fault !== undefined) reject(fault);
      else if (this.answersAtOnce) resolve(answerOf(id));
      else {
        this.waiting.set(id, { resolve: () => resolve(answerOf(id)), reject });
        signal.addEventListener('abort', () => this.waiting.delete(id) && reject(signal.reason));
      }
    });
  }
}

/** The token by which an engine of its own knows a line. */
export const markOf = (id: string) =>
  [...id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 1_000_003, 7);

const suffixOf = (id: string) => ({ tokens: Int32Array.of(markOf(id)), options: Int32Array.of(0, 1) });

const OPTIONS = [
  { key: 'true', name: 'Yes', description: null },
  { key: 'false', name: 'No', description: null },
];

/** Logits that differ with the id. */
function answerOf(id: string): EngineAnswer {
  const mark = [...id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 1_009, 7);
  return {
    logits: [Float32Array.of(mark / 1_009, 0.5)],
    queueMs: 0,
    computeMs: 1,
    isShared: false,
    cachedTokens: 0,
  };
}
