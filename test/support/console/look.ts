import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { LONG } from '../scale.js';
import { AXE, violations } from './axe.js';
import { consoleTest, overflow, WIDE } from './console.js';
import { VIEWS } from './views.js';

/** Where pictures of every view are written, for people to look at; undefined: none are. */
const { SCREENSHOTS } = process.env;

/** Checked in the long run only: a thousand controls take as long as all other views together. */
const LARGEST = 'largest-request';

const PAPER = { light: 'rgb(246, 248, 250)', dark: 'rgb(15, 19, 23)' };
type Scheme = keyof typeof PAPER;

/** Tests every view at one size in one scheme: what axe finds, and whether it is wider than its window. */
export function testViews(size: string, viewport: typeof WIDE, colorScheme: Scheme): void {
  for (const [name, open] of Object.entries(VIEWS)) {
    if (name === LARGEST && !LONG) continue;
    consoleTest(
      `${name}: accessible and within the window, ${size}, ${colorScheme}`,
      async (t, tab, world) => {
        const { page } = tab;
        await open(tab, world);
        t.strictSame(await violations(page), []);
        t.equal(await overflow(tab), 0, 'no horizontal scrolling');
        t.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), PAPER[colorScheme]);
        if (SCREENSHOTS !== undefined) await picture(page, SCREENSHOTS, `${name}-${size}-${colorScheme}`);
      },
      { context: { viewport, colorScheme }, script: AXE },
    );
  }
}

/** The whole page, in a window that is high enough for it. */
async function picture(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize() ?? WIDE;
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ ...before, height: Math.max(height, before.height) });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
