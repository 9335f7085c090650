import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Test, test } from 'tap';
import { loadPage } from '../../src/load/index.js';
import { NO_BROWSER, openPage, startBrowser } from '../support/browser.js';
import { decider } from '../support/cli.js';
import { writeRun } from '../support/evaluation/run-files.js';
import { FOUND, result, step } from '../support/load/result.js';
import { scaled } from '../support/scale.js';
import { until } from '../support/until.js';

const CASES = scaled({ short: 200, long: 4_000 });
const BYTES_MAX = 2 * 1024 * 1024;
/** A caller's text that would run a script, load a file and break the layout. */
const HOSTILE = `</script><script>document.title='run'</script><img src="http://127.0.0.1:9/a.png" onerror="document.title='run'">${'w'.repeat(60)}`;
const WIDE = { width: 1_280, height: 900 };
const PHONE = { width: 375, height: 812 };

/** The pages of an evaluation, of a comparison of two runs on the same cases, and of a load. */
async function writePages(t: Test): Promise<Record<string, string>> {
  const folder = t.testdir({});
  const run = { cases: CASES, seed: 1, temperature: 1.5, groups: 80, label: HOSTILE };
  const { cases, archive } = writeRun(folder, { ...run, variants: true });
  const html = (name: string) => join(folder, `${name}.html`);
  const command = (...rest: string[]) => decider(t, ['eval', cases, '--resamples', '50', ...rest]).end();
  const evaluated = await command('--results', archive, '--html', html('evaluation'));
  t.equal(evaluated.code, 0, evaluated.stderr);
  const compared = await command('--compare', archive, archive, '--html', html('comparison'));
  t.equal(compared.code, 0, compared.stderr);
  const rates = [2, 5, 10, 20, 40, 80];
  const steps = rates.map((rate) => step(rate, 40 / (1 - rate / 90), { warnings: [HOSTILE] }));
  const measured = result(steps, { find: FOUND, url: `http://127.0.0.1:8080/${HOSTILE}` });
  writeFileSync(html('load'), await loadPage(measured));
  return { evaluation: html('evaluation'), comparison: html('comparison'), load: html('load') };
}

/** Opens a page; what it requests and reports is collected. */
async function open(browser: Browser, file: string, options: BrowserContextOptions = {}) {
  const page = await openPage(browser, options);
  const requests: string[] = [];
  const messages: string[] = [];
  page.on('request', (request) => void requests.push(request.url()));
  page.on('console', (message) => void messages.push(message.text()));
  page.on('pageerror', (error) => void messages.push(error.message));
  await page.goto(pathToFileURL(file).href);
  return { page, requests, messages };
}

// The functions below run in the page, whose types this project does not compile against.

/** Elements that stick out of the page at the right, other than inside a table that scrolls. */
const overflowing = (page: Page) =>
  page.evaluate<string[]>(`[...document.body.querySelectorAll('*')]
    .filter((each) => each.closest('.table') === null || each.matches('.table'))
    .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map((each) => each.outerHTML.slice(0, 80))`);

/** The smallest text of the charts, in pixels on the screen. */
const smallestText = (page: Page) =>
  page.evaluate<number>(`Math.min(...[...document.querySelectorAll('svg')].flatMap((svg) => {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return [...svg.querySelectorAll('text')].map((text) => parseFloat(getComputedStyle(text).fontSize) * scale);
  }))`);

/** Texts of charts that do not fit into their SVG. */
const cutTexts = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('svg text')].filter((text) => {
    const [own, svg] = [text, text.ownerSVGElement].map((each) => each.getBoundingClientRect());
    return text.textContent !== '' && (own.left < svg.left - 1 || own.right > svg.right + 1 || own.bottom > svg.bottom + 1);
  }).map((text) => text.textContent)`);

/** The background and the text colour of the page, and the colours of axis labels. */
const colors = (page: Page) =>
  page.evaluate<
    string[]
  >(`[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,
    getComputedStyle(document.querySelector('svg text')).fill]`);

const LIGHT = ['rgb(255, 255, 255)', 'rgb(27, 31, 36)', 'rgb(27, 31, 36)'];
const DARK = ['rgb(20, 24, 29)', 'rgb(230, 237, 243)', 'rgb(230, 237, 243)'];

/** The texts of the rows of a table that are shown. */
const shownRows = (page: Page, caption: string) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.table[aria-label="${caption}"] tbody tr')]
    .filter((row) => row.checkVisibility()).map((row) => row.innerText)`);

test('HTML reports in a browser', { skip: NO_BROWSER }, async (t) => {
  const files = await writePages(t);
  const browser = await startBrowser(t);

  t.test('evaluation: wrong answers are filtered without a script', async (t) => {
    const { page } = await open(browser, files.evaluation as string, { viewport: WIDE });
    const rows = () => shownRows(page, 'Wrong answers');
    const all = await rows();
    t.ok(all.length > 20, `${all.length} rows`);
    t.match(await page.locator('.shown').textContent(), `of ${all.length} rows are shown.`);
    const question = page.locator('select.f0');
    t.match(await question.locator('option').allInnerTexts(), ['all', /^\w+ .*\(\d+\)$/]);
    await question.selectOption({
      label: (await question.locator('option').allInnerTexts()).find((each) =>
        each.startsWith('team'),
      ) as string,
    });
    const ofTeam = all.filter((row) => row.includes('\tteam\t'));
    t.ok(ofTeam.length > 0 && ofTeam.length < all.length);
    t.strictSame(await rows(), ofTeam);
    await page.getByLabel('Confidence').selectOption('at least 0.7');
    const confident = ofTeam.filter((row) => Number(row.split('\t').at(-1)) >= 0.7);
    t.ok(confident.length < ofTeam.length);
    t.strictSame(await rows(), confident, 'filters are combined');
    await question.selectOption('');
    await page.getByLabel('Confidence').selectOption('');
    t.strictSame(await rows(), all);
  });

  for (const [name, file] of Object.entries(files)) {
    t.test(`${name}: self-contained, and no text of a caller is markup`, async (t) => {
      const { page, requests, messages } = await open(browser, file, { viewport: WIDE });
      t.strictSame(requests, [pathToFileURL(file).href], 'only the file itself is requested');
      t.strictSame(messages, []);
      t.match(await page.title(), /^(Evaluation of synthetic|Comparison of synthetic|Load$)/);
      t.equal(await page.locator('script, img, link, iframe, object').count(), 0);
      t.ok(readFileSync(file).length < BYTES_MAX, `${readFileSync(file).length} bytes`);
      await page.evaluate(
        `document.body.append(Object.assign(document.createElement('img'), { src: '${pathToFileURL(file).href}' }))`,
      );
      // The message comes some time after the evaluation.
      await until(() => messages.some((message) => /violates .*Content Security Policy/.test(message)));
    });

    t.test(`${name}: every chart and table has a name`, async (t) => {
      const { page } = await open(browser, file);
      const charts = page.getByRole('img');
      t.ok((await charts.count()) >= 2);
      t.equal(await charts.count(), await page.locator('svg').count());
      t.equal(await page.locator('svg[role=img] > title + desc').count(), await charts.count());
      t.equal(await page.locator('caption').count(), await page.locator('table').count());
      t.equal(await page.locator('h1').count(), 1);
    });

    for (const [size, viewport] of Object.entries({ wide: WIDE, phone: PHONE })) {
      t.test(`${name}: readable, ${size}`, async (t) => {
        const { page } = await open(browser, file, { viewport });
        t.strictSame(await overflowing(page), []);
        t.equal(
          await page.evaluate('document.documentElement.scrollWidth'),
          viewport.width,
          'tables scroll alone',
        );
        t.strictSame(await cutTexts(page), []);
        t.ok((await smallestText(page)) >= 10, `${await smallestText(page)} px`);
      });
    }

    t.test(`${name}: light, dark and print`, async (t) => {
      const { page } = await open(browser, file, { viewport: WIDE, colorScheme: 'light' });
      t.strictSame(await colors(page), LIGHT);
      await page.emulateMedia({ colorScheme: 'dark' });
      t.strictSame(await colors(page), DARK);
      await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
      t.strictSame(await colors(page), LIGHT, 'print is light');
      // The width of A4 between its margins, at 96 pixels per inch.
      await page.setViewportSize({ width: 680, height: 1_000 });
      t.strictSame(await overflowing(page), []);
      const tables = await page.evaluate(`[...document.querySelectorAll('.table')]
        .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1)
        .map((each) => each.getAttribute('aria-label'))`);
      t.strictSame(tables, [], 'tables fit on paper');
      t.match((await page.pdf({ preferCSSPageSize: true })).subarray(0, 5).toString(), '%PDF-');
    });
  }
});
