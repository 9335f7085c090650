import { print, printJson } from './output.js';

const NAME_WIDTH = 12;

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
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
    const { check, ok, detail } = finding;
    print(`${ok ? 'ok     ' : 'problem'}  ${check.padEnd(NAME_WIDTH)}  ${detail}`);
  }
  if (json) printJson(all);
}

export const ok = (check: string, detail: string): Finding => ({ check, ok: true, detail });

export const problem = (check: string, error: unknown): Finding => ({
  check,
  ok: false,
  detail: (error as Error).message,
});
