import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { AXE, violations } from '../../support/console/axe.js';
import { consoleTest, overflow, PHONE, WIDE } from '../../support/console/console.js';
import { VIEWS } from '../../support/console/views.js';
import { LONG } from '../../support/scale.js';

/** Where pictures of every view are written, for people to look at; undefined: none are. */
const { SCREENSHOTS } = process.env;

const SIZES = { wide: WIDE, phone: PHONE };
const SCHEMES = ['light', 'dark'] as const;
/** Each size and each scheme once in the short run, all four together in the long one. */
const LOOKS = Object.entries(SIZES).flatMap(([size, viewport]) =>
  SCHEMES.filter((scheme) => LONG || (size === 'wide') === (scheme === 'light')).map((colorScheme) => ({
    size,
    viewport,
    colorScheme,
  })),
);

const PAPER = { light: 'rgb(246, 248, 250)', dark: 'rgb(15, 19, 23)' };

/** The whole page, in a window that is high enough for it. */
async function picture(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const before = page.viewportSize() ?? WIDE;
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ ...before, height: Math.max(height, before.height) });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  await page.setViewportSize(before);
}

for (const { size, viewport, colorScheme } of LOOKS) {
  for (const [name, open] of Object.entries(VIEWS)) {
    consoleTest(
      `${name}: accessible and within the window, ${size}, ${colorScheme}`,
      async (t, tab, world) => {
        const { page } = tab;
        await open(tab, world);
        t.strictSame(await violations(page), []);
        t.equal(await overflow(tab), 0, 'no horizontal scrolling');
        t.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), PAPER[colorScheme]);
        await picture(page, `${name}-${size}-${colorScheme}`);
      },
      { context: { viewport, colorScheme }, script: AXE },
    );
  }
}
