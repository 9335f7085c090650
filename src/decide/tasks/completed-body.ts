import { ApiError } from '../../api/index.js';
import type { Acceptance } from '../../statistics/index.js';
import { isAbsent } from '../request/json-fields.js';
import type { OpenBody } from '../request/open-body.js';

/** A task that a request is about, and what of it the request lacks. */
export interface AskedTask {
  readonly name: string;
  readonly version: number;
  /** As JSON, checked when the task was made. */
  readonly questions: string;
  /** The id of a model or build; null: the default model. */
  readonly model: string | null;
  /** The fits in force, one per build. */
  readonly fits: ReadonlyArray<{
    readonly build: string;
    /** That of the build when it was fitted; absent: it is not known, and the fit applies to no answer. */
    readonly calibration?: string | undefined;
    /** Per question; null: its answers are neither accepted nor refused. */
    readonly acceptances: ReadonlyArray<Acceptance | null>;
  }>;
}

/**
 * The body of a request with the questions and the model of its task.
 *
 * @throws ApiError `invalid_request` if it has its own ones
 */
export function completedBody({ fields, sources }: OpenBody, { questions, model }: AskedTask): OpenBody {
  refuseOwnQuestions(fields);
  return {
    // `questions` is read from its source.
    fields: { ...fields, model, questions },
    sources: new Map([...sources, ['questions', questions]]),
  };
}

/** Throws ApiError `invalid_request` if a request about a task has questions or a model. */
export function refuseOwnQuestions(fields: OpenBody['fields']): void {
  for (const name of ['questions', 'model']) {
    if (isAbsent(fields[name])) continue;
    throw new ApiError('invalid_request', `\`${name}\`: the task has its own; leave it out.`);
  }
}
