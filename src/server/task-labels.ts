import type { Access, Caller, Reservation } from '../access/index.js';
import { ApiError, LIMITS } from '../api/index.js';
import { type Clock, FairQueue, type Shares } from '../base/index.js';
import { type AskedTask, type Decision, decide } from '../decide/index.js';
import {
  answerOf,
  invalidLabels,
  type LabelFault,
  type LabelOutcome,
  type LabelProblem,
  type NewLabel,
  type ReadLabel,
  type SentLabels,
} from '../tasks/index.js';
import type { Log, Metrics } from '../telemetry/index.js';
import type { Engines } from './engines.js';
import { inTurn } from './queue-full.js';

/** States of one call that wait or are decided at the same time. */
const STATES_OF_CALL = 4;
/** States that are decided at the same time. */
export const LABEL_STATES_MAX: Shares = { key: 4, workspace: 4, all: 8 };
/** States that may wait. */
export const LABEL_STATES_WAITING_MAX: Shares = { key: 64, workspace: 128, all: 1_024 };

const PROBLEMS: Readonly<Record<LabelProblem['type'], string>> = {
  answer_not_found: 'The task has no such answer, or keeps it no longer.',
  answer_of_other_version: 'The answer is one of an earlier version of the task.',
};

interface Parts {
  readonly engines: Pick<Engines, 'current' | 'get' | 'priceOf'>;
  readonly access: Pick<Access, 'reserve'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  readonly metrics: Metrics;
  /** See `TaskStore`. */
  readonly answersSeenMs: number | undefined;
}

/** A decided state, and its reserved cost. */
interface Decided {
  readonly label: NewLabel;
  readonly decision: Decision;
  readonly reservation: Reservation;
}

/** Takes labels of answers in: all lines of a call, or none. */
export class TaskLabels {
  private readonly states = new FairQueue(LABEL_STATES_MAX, LABEL_STATES_WAITING_MAX);

  constructor(private readonly parts: Parts) {}

  /**
   * Stores labels, after their states were decided. The states are charged when the labels are stored. Resolves with how
   * many labelled answers the version in use has, also if a state cannot be charged any more: then its labels cost nothing.
   *
   * @param store stores all labels, or none; it is called again if an answer may be one of another node
   * @throws ApiError `invalid_labels`, `too_many_labels`, an error of the body or of a reservation; the signal's reason
   */
  async take(
    caller: Caller,
    asked: AskedTask,
    sent: Omit<SentLabels, 'questions'>,
    store: (labels: readonly NewLabel[]) => Promise<LabelOutcome>,
    signal: AbortSignal,
  ): Promise<{ readonly lines: number; readonly labels: number }> {
    const { engines } = this.parts;
    const owner = { key: caller.key.id, workspace: caller.workspace.id };
    const set = engines.current;
    const body = { ...sent, questions: asked.questions };
    const read = await set.use(() => set.readLabels(body, owner, signal));
    if (!read.ok) throw new ApiError(read.type, read.message, {}, read.details);
    const decided = await this.decideStates(caller, asked, read.labels, signal);
    let isStored = false;
    try {
      const byLine = new Map(decided.map(({ label }) => [label.line, label]));
      const labels = read.labels.map((label) => byLine.get(label.line) ?? named(label));
      const outcome = await this.storeOnceSeen(() => store(labels));
      if (!outcome.stored) throw refusalOf(outcome.faults);
      isStored = true;
      return { lines: labels.length, labels: outcome.labels };
    } finally {
      this.settle(decided, isStored ? 'post' : 'release');
    }
  }

  /** Stores labels, and tries it once more if an answer is not stored: another node may not have written it yet. */
  private async storeOnceSeen(store: () => Promise<LabelOutcome>): Promise<LabelOutcome> {
    const { answersSeenMs, clock } = this.parts;
    const outcome = await store();
    const isMissing = !outcome.stored && outcome.faults?.some(({ type }) => type === 'answer_not_found');
    if (!isMissing || answersSeenMs === undefined) return outcome;
    await new Promise<void>((resolve) => clock.after(answersSeenMs, resolve));
    return store();
  }

  /** Charges states, or returns what is reserved for them: each one, whatever becomes of the others. Never throws. */
  private settle(decided: readonly Decided[], how: 'post' | 'release'): void {
    const { log, metrics } = this.parts;
    const errors: unknown[] = [];
    for (const { reservation, decision } of decided) {
      try {
        reservation[how]();
        if (how === 'post') metrics.countUsage(decision.build, decision.usage);
      } catch (error) {
        // What a node holds ends with its session, also what was reserved.
        errors.push(error);
      }
    }
    if (errors.length > 0)
      log.error({ err: errors[0], states: errors.length }, 'states of labels cannot be charged');
  }

  /** Decides the lines that have a state. If one fails, nothing stays reserved. */
  private async decideStates(
    caller: Caller,
    asked: AskedTask,
    labels: readonly ReadLabel[],
    signal: AbortSignal,
  ): Promise<Decided[]> {
    const owner = { key: caller.key.id, workspace: caller.workspace.id };
    const waiting = labels.filter(({ body }) => body !== null);
    const decided: Decided[] = [];
    const faults: LabelFault[] = [];
    const errors: unknown[] = [];
    const worker = async () => {
      for (;;) {
        const label = waiting.shift();
        if (label === undefined || errors.length > 0) return;
        const decideIt = () => this.decideState(caller, asked, label, signal);
        try {
          decided.push(await inTurn(this.states, owner, 'states to label', decideIt, signal));
        } catch (error) {
          if (isOfLine(error)) faults.push({ line: label.line, type: error.type, error: error.message });
          else errors.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: STATES_OF_CALL }, worker));
    if (errors.length === 0 && faults.length === 0) return decided;
    this.settle(decided, 'release');
    if (errors.length > 0) throw errors[0];
    const sorted = faults.sort((one, other) => one.line - other.line);
    const { type, message, details } = invalidLabels(sorted);
    throw new ApiError(type, message, {}, details);
  }

  private async decideState(
    caller: Caller,
    asked: AskedTask,
    { line, reference, expected, body }: ReadLabel,
    signal: AbortSignal,
  ): Promise<Decided> {
    const { engines, access, clock } = this.parts;
    const set = engines.current;
    const owner = { key: caller.key.id, workspace: caller.workspace.id };
    let held: Reservation | null = null;
    const decision = await set.use(() =>
      decide(
        {
          body: body as Uint8Array,
          content: { encoding: 'identity', media: { kind: 'json' } },
          model: null,
          format: 'task',
          task: asked,
          allowedModels: caller.workspace.models,
        },
        {
          clock,
          prepare: (sent) => set.prepare(sent, owner, signal),
          engine: (build) => engines.get(build, set),
          reserve: async (build, inputTokens) => {
            const model = set.catalog.find(build)?.model.id ?? build;
            const price = engines.priceOf(build, set).batch;
            const reservation = await access.reserve(caller, { model, kind: 'batch', inputTokens, price });
            return {
              post: () => {
                held = reservation;
              },
              release: () => reservation.release(),
            };
          },
        },
        { signal, workspace: owner.workspace, urgency: 'batch' },
      ),
    );
    if (held === null) throw new Error('an answer has no price');
    const answer = answerOf(asked, reference, decision);
    return { label: { line, reference, expected, answer }, decision, reservation: held };
  }
}

const named = ({ line, reference, expected }: ReadLabel): NewLabel => ({
  line,
  reference,
  expected,
  answer: null,
});

/** Whether the state of a line is the reason of an error, and not the server or the credit. */
const isOfLine = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && ![401, 402, 429].includes(error.status);

function refusalOf(faults: readonly LabelProblem[] | null): ApiError {
  if (faults === null)
    return new ApiError(
      'too_many_labels',
      `The version in use would have more than ${LIMITS.taskLabels} labelled answers. Fit it to those that it has, wait until labels are too old, or put a new version, which begins without labels.`,
    );
  const { type, message, details } = invalidLabels(
    faults.map(({ line, type: problem }) => ({ line, type: problem, error: PROBLEMS[problem] })),
  );
  return new ApiError(type, message, {}, details);
}
