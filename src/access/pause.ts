import { ApiError } from '../api/index.js';
import type { Amount } from './money.js';
import type { Workspace } from './workspaces.js';

/** Why a workspace cannot be charged (contract 5 rule 6). */
export type Pause = 'out_of_credit' | 'budget_exceeded';

/** What a workspace was charged, unwritten charges included: in total, and in the current month. */
interface Charged {
  readonly charged: Amount;
  readonly monthCharged: Amount;
}

type Funds = Pick<Workspace, 'granted' | 'budget'>;

/** Why a workspace is paused; null if it is not. Reservations do not count. */
export function pauseOf({ granted, budget }: Funds, { charged, monthCharged }: Charged): Pause | null {
  if (granted - charged <= 0n) return 'out_of_credit';
  return budget !== null && monthCharged >= budget ? 'budget_exceeded' : null;
}

/** Why credit and budget do not cover `held`, the sum of the amounts reserved and to be reserved; null if they do. */
export function lacking(
  { granted, budget }: Funds,
  { charged, monthCharged }: Charged,
  held: Amount,
): Pause | null {
  if (granted - charged < held) return 'out_of_credit';
  return budget !== null && monthCharged + held > budget ? 'budget_exceeded' : null;
}

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
