import { ApiError } from '../api/index.js';
import type { Pause } from './ledger.js';

const PAUSED: Record<Pause, string> = {
  out_of_credit: 'The workspace does not have enough credit for this request.',
  budget_exceeded: 'The workspace has reached its budget for this month.',
};

/** The error of a request that credit or budget do not cover. */
export const pausedError = (pause: Pause): ApiError => new ApiError(pause, PAUSED[pause]);

/** Throws ApiError `out_of_credit` or `budget_exceeded` if there is a pause. */
export function refuse(pause: Pause | null): void {
  if (pause !== null) throw pausedError(pause);
}
