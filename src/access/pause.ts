import { ApiError } from '../api/index.js';
import type { Amount } from './money.js';
import type { Workspace } from './workspaces.js';

/** Why a workspace cannot be charged (contract 5 rule 6). */
export type Pause = 'out_of_credit' | 'budget_exceeded';

/** What a workspace was charged, unwritten charges included: in total, and in the months of its budget (`BudgetMonths`). */
interface Charged {
  readonly charged: Amount;
  readonly budgetCharged: Amount;
}

type Funds = Pick<Workspace, 'granted' | 'budget'>;

/** What is left of the credit, and of the budget; a budget of null: no bound. */
const leftOf = ({ granted, budget }: Funds, { charged, budgetCharged }: Charged) => ({
  credit: granted - charged,
  budget: budget === null ? null : budget - budgetCharged,
});

/** Why a workspace is paused; null if it is not. Reservations do not count. */
export function pauseOf(funds: Funds, charges: Charged): Pause | null {
  const { credit, budget } = leftOf(funds, charges);
  if (credit <= 0n) return 'out_of_credit';
  return budget !== null && budget <= 0n ? 'budget_exceeded' : null;
}

/** The most that credit and budget cover: the largest amount that `lacking` accepts. Negative if more was charged. */
export function coverOf(funds: Funds, charges: Charged): Amount {
  const { credit, budget } = leftOf(funds, charges);
  return budget !== null && budget < credit ? budget : credit;
}

/** Why credit and budget do not cover `held`, the sum of the amounts reserved and to be reserved; null if they do. */
export function lacking(funds: Funds, charges: Charged, held: Amount): Pause | null {
  const { credit, budget } = leftOf(funds, charges);
  if (credit < held) return 'out_of_credit';
  return budget !== null && budget < held ? 'budget_exceeded' : null;
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
