import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { LONG } from '../scale.js';
import { AXE, violations } from './axe.js';
import { consoleTest, overflow, PHONE, type Tab, WIDE } from './console.js';
import { VIEWS } from './views.js';

/** Where pictures of every view are written, for people to look at; undefined: none are. */
const { SCREENSHOTS } = process.env;

/** Checked in the long run only: a thousand controls take as long as all other views together. */
const LARGEST = 'largest-request';

const PAPER = { light: 'rgb(246, 248, 250)', dark: 'rgb(15, 19, 23)' };

interface Look {
  readonly size: string;
  readonly viewport: typeof WIDE;
  readonly colorScheme: keyof typeof PAPER;
}

const LOOKS: readonly Look[] = [
  { size: 'wide', viewport: WIDE, colorScheme: 'light' },
  { size: 'phone', viewport: PHONE, colorScheme: 'dark' },
];
const MORE_LOOKS: readonly Look[] = [
  { size: 'wide', viewport: WIDE, colorScheme: 'dark' },
  { size: 'phone', viewport: PHONE, colorScheme: 'light' },
];

/**
 * Tests every view at several sizes and in both schemes: what axe finds, and whether it is wider than its window. A view
 * is opened once, since only its style sheet depends on the window.
 */
export function testViews(): void {
  for (const [name, open] of Object.entries(VIEWS)) {
    if (name === LARGEST && !LONG) continue;
    consoleTest(
      `${name}: accessible and within the window`,
      async (t, tab, world) => {
        await open(tab, world);
        await checkLooks(t, tab, name);
      },
      { script: AXE },
    );
  }
}

/** Checks the page as it is at several sizes and in both schemes, and takes pictures of it if some are wanted. The page needs the script `AXE`. */
export async function checkLooks(t: Test, tab: Tab, view: string): Promise<void> {
  for (const look of LONG ? [...LOOKS, ...MORE_LOOKS] : LOOKS) await checkLook(t, tab, view, look);
  for (const [zoom, viewport] of Object.entries(ZOOMS)) {
    await tab.page.setViewportSize(viewport);
    t.equal(await overflow(tab), 0, `no horizontal scrolling at ${zoom}`);
  }
  if (SCREENSHOTS !== undefined) await furtherPictures(tab, view, SCREENSHOTS);
}

/** What is left of a window of 1280 × 1024 at these scales (WCAG 2.2, 1.4.10). */
const ZOOMS = { '200 %': { width: 640, height: 512 }, '400 %': { width: 320, height: 256 } } as const;

/** Sizes and media of which pictures are taken for people. */
const PICTURES = {
  '1440': { viewport: { width: 1_440, height: 900 } },
  '1280x720': { viewport: { width: 1_280, height: 720 } },
  '390': { viewport: { width: 390, height: 844 } },
  'forced-colors': { viewport: WIDE, forcedColors: 'active' },
  print: { viewport: WIDE, media: 'print' },
} as const;

async function furtherPictures({ page }: Tab, view: string, folder: string): Promise<void> {
  for (const [name, { viewport, ...media }] of Object.entries(PICTURES)) {
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', media: 'screen', ...media });
    await page.setViewportSize(viewport);
    await picture(page, folder, `${view}-${name}`);
  }
  await page.emulateMedia({ forcedColors: 'none', media: 'screen' });
}

async function checkLook(t: Test, tab: Tab, view: string, look: Look): Promise<void> {
  const { page } = tab;
  const { size, viewport, colorScheme } = look;
  const shown = `${size}, ${colorScheme}`;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  t.strictSame(await violations(page), [], shown);
  t.equal(await overflow(tab), 0, `no horizontal scrolling: ${shown}`);
  t.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), PAPER[colorScheme], shown);
  if (SCREENSHOTS !== undefined) await picture(page, SCREENSHOTS, `${view}-${size}-${colorScheme}`);
}

/** The whole page, in a window that is high enough for it. */
async function picture(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize() ?? WIDE;
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ ...before, height: Math.max(height, before.height) });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
