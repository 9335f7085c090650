import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** Runs in the page before its own scripts, and defines `axe`. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  readonly violations: ReadonlyArray<{
    readonly id: string;
    readonly help: string;
    readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>;
  }>;
}

/** What axe finds wrong with the page as it is: a line per element. The page needs the script `AXE`. */
export async function violations(page: Page): Promise<string[]> {
  const run = `axe.run(document, { resultTypes: ['violations'] })`;
  const found = await page.evaluate<AxeResults>(run);
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)}: ${failureSummary}`),
  );
}
