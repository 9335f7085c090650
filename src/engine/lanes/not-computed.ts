import { ApiError } from '../../api/index.js';

/** A batch plan was not computed, because no lane of its model works. Its request can run later, here or on another host. */
export class NotComputed extends ApiError {
  /**
   * @param refusal what a live plan is refused with
   * @param hasFailed whether a wave with the plan has failed: the next time, it must run alone
   */
  constructor(
    { type, message, headers }: ApiError,
    readonly hasFailed: boolean,
  ) {
    super(type, message, headers);
  }
}
