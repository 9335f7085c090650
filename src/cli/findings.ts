import { type Reconciliation, showAmount } from '../access/index.js';
import { visible } from '../base/index.js';
import { print, printJson } from './output.js';

const NAME_WIDTH = 12;

/** The result of one check. */
export interface Finding {
  readonly check: string;
  /** False if the server cannot start as it is, or refuses or loses something. */
  readonly ok: boolean;
  readonly detail: string;
  /** What to do; absent if there is nothing to do, or if `detail` says it. With `ok`, the finding is a warning. */
  readonly remedy?: string;
}

/** Prints a line per finding, or all of them as JSON. The process will end with status 1 if one is a problem. */
export async function printFindings(
  findings: AsyncIterable<Finding> | Iterable<Finding>,
  { json }: { readonly json?: boolean },
): Promise<void> {
  const all: Finding[] = [];
  for await (const finding of findings) {
    all.push(finding);
    if (!finding.ok) process.exitCode = 1;
    if (json) continue;
    const { check, ok, detail, remedy } = finding;
    const level = ok ? (remedy === undefined ? 'ok     ' : 'warning') : 'problem';
    print(
      visible(
        `${level}  ${check.padEnd(NAME_WIDTH)}  ${remedy === undefined ? detail : `${detail} ${remedy}`}`,
      ),
    );
  }
  if (json) printJson(all);
}

export const ok = (check: string, detail: string): Finding => ({ check, ok: true, detail });

/** The server works, and could work better. */
export const warning = (check: string, detail: string, remedy: string): Finding => ({
  check,
  ok: true,
  detail,
  remedy,
});

export const fault = (check: string, detail: string, remedy: string): Finding => ({
  check,
  ok: false,
  detail,
  remedy,
});

export const problem = (check: string, error: unknown): Finding => ({
  check,
  ok: false,
  detail: (error as Error).message,
});

/** A check that passes with what `look` returns, and is a problem if it throws. */
export async function attempt(check: string, look: () => string | Promise<string>): Promise<Finding> {
  return await attemptFinding(check, async () => ok(check, await look()));
}

/** The finding of a check; a problem if it throws, so that the checks after it are made. */
export async function attemptFinding(
  check: string,
  look: () => Finding | Promise<Finding>,
): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    return problem(check, error);
  }
}

/** The findings of several checks; if one throws, a problem follows in place of the rest. */
export async function* attemptAll(
  check: string,
  findings: Iterable<Finding> | AsyncIterable<Finding>,
): AsyncGenerator<Finding> {
  try {
    yield* findings;
  } catch (error) {
    yield problem(check, error);
  }
}

/** Credit may be taken back after it was spent. */
const belowZero = (workspace: string): string =>
  `Its requests are answered 402 until it has credit: decider workspaces credit ${workspace} AMOUNT`;

/** What `decider doctor` says of the workspaces and their ledger. */
export function* examineLedger({ books, problems }: Reconciliation, currency: string): Generator<Finding> {
  for (const { workspace, granted, charged, balance } of books) {
    const [left, given, spent] = [balance, granted, charged].map(showAmount);
    const detail = `balance ${left} ${currency}: ${given} granted, ${spent} charged`;
    if (balance >= 0n) yield ok(`workspace ${workspace}`, detail);
    else yield warning(`workspace ${workspace}`, `${detail}, more than was granted.`, belowZero(workspace));
  }
  for (const sentence of problems) yield { check: 'ledger', ok: false, detail: sentence };
  if (problems.length === 0) yield ok('ledger', 'adds up');
}
