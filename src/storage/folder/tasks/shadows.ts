import type { Clock } from '../../../base/index.js';
import {
  answerRef,
  type NewPairs,
  openShadow,
  type ShadowRecord,
  sealShadow,
  type Task,
  withPairs,
  withShadowAnswer,
} from '../../../tasks/index.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';
import type { FolderAnswers } from './answers.js';

/** Pairs of one transaction, which are made in one turn of the event loop: about 2 ms. */
const TURN_PAIRS = 32;

interface Parts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly kept: Pick<FolderAnswers, 'has'>;
}

/** The shadows of tasks. No task may be changed while pairs are added. */
export class FolderShadows {
  constructor(private readonly parts: Parts) {}

  /** What is counted of a shadow; undefined: nothing. Throws StoreError. */
  record(dataKey: Buffer, task: Pick<Task, 'id'>): ShadowRecord | undefined {
    const sealed = this.parts.store.table('task_shadows').get(task.id);
    return (sealed && openShadow(dataKey, task, sealed)) ?? undefined;
  }

  /**
   * The writes that add pairs, one transaction after the other. Take each one in the turn of the event loop in which it is
   * made, because answers may be removed later. Throws StoreError.
   */
  *writesOf(dataKey: Buffer, task: Task, pairs: NewPairs): Generator<RawWrite[]> {
    const { store, clock } = this.parts;
    const record = withPairs(this.record(dataKey, task) ?? null, pairs, clock.now());
    for (let at = 0; at < pairs.answers.length; at += TURN_PAIRS) {
      yield pairs.answers
        .slice(at, at + TURN_PAIRS)
        .flatMap((answer) => this.answerWrites(dataKey, task, record, answer));
    }
    yield [store.table('task_shadows').write([task.id], sealShadow(dataKey, task, record))];
  }

  /** Adds the answer of the shadow build to the kept answer and to the labelled one, if there are such. */
  private answerWrites(
    dataKey: Buffer,
    task: Task,
    { shadow: build, since }: ShadowRecord,
    { reference, probabilities }: NewPairs['answers'][number],
  ): RawWrite[] {
    const { store, kept } = this.parts;
    const { id } = task;
    const ref = answerRef(dataKey, reference);
    const [answers, labels] = [store.table('task_answers'), store.table('task_labels')];
    const number = store.table('task_refs').get(id, ref);
    const row = number !== undefined && kept.has(task, number) ? answers.get(id, number) : undefined;
    const label = labels.get(id, ref);
    const shadow = { build, probabilities, since };
    return [
      ...(row === undefined
        ? []
        : [answers.write([id, number as number], withShadowAnswer(dataKey, task, row, shadow))]),
      ...(label === undefined
        ? []
        : [labels.write([id, ref], withShadowAnswer(dataKey, task, label, shadow))]),
    ];
  }
}
