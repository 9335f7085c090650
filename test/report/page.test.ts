import { createHash } from 'node:crypto';
import { test } from 'tap';
import {
  type Cell,
  type Column,
  details,
  facts,
  figures,
  html,
  intervalChart,
  lineChart,
  page,
  type Section,
  type Series,
  table,
} from '../../src/report/index.js';

const HOSTILE = `</title><script>alert("1")</script>&'`;
const ESCAPED = '&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;';
const PERCENT = { title: 'Share', format: 'percent' } as const;
const NUMBER = { title: 'Number', format: 'number' } as const;

const line = (series: readonly Series[], axes: object = {}) =>
  lineChart({ title: 'Title', description: 'Description', x: NUMBER, y: NUMBER, series, ...axes });

test('inserted texts are escaped, in content and in attributes', (t) => {
  const { markup } = html`<p title="${HOSTILE}">${HOSTILE}${[html`<b>${1}</b>`, ' & ']}${null}</p>`;
  t.equal(markup, `<p title="${ESCAPED}">${ESCAPED}<b>1</b> &amp; </p>`);
  t.end();
});

test('characters that HTML forbids are replaced; others stay', (t) => {
  t.equal(html`${'a\0b\x1bc\x7fd\ud800e\udc00f'}`.markup, 'a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf');
  t.equal(html`${'tab\tline\n😀 ä'}`.markup, 'tab\tline\n😀 ä');
  t.end();
});

test("a page names everything that callers wrote, without a caller's markup", async (t) => {
  const columns: readonly Column[] = [
    { title: HOSTILE, kind: 'text' },
    { title: 'n', kind: 'number' },
  ];
  const rows: readonly (readonly Cell[])[] = [[HOSTILE, [HOSTILE, HOSTILE]]];
  const content = [
    table(HOSTILE, columns, rows),
    facts([[HOSTILE, HOSTILE]]),
    details(HOSTILE, html`<p>${HOSTILE}</p>`),
    figures([
      await lineChart({
        title: HOSTILE,
        description: HOSTILE,
        note: HOSTILE,
        x: { ...PERCENT, title: HOSTILE },
        y: { ...PERCENT, title: HOSTILE },
        series: [HOSTILE, 'other'].map((name) => ({ name, points: [{ x: 0.1, y: 0.2 }] })),
      }),
      await intervalChart({
        title: HOSTILE,
        description: HOSTILE,
        x: PERCENT,
        rows: [{ label: HOSTILE, value: 0.5, low: 0.4, high: 0.6 }],
      }),
    ]),
  ];
  const sections: readonly Section[] = [{ title: HOSTILE, content }];
  const text = page(HOSTILE, HOSTILE, sections, HOSTILE);
  t.notMatch(text, /<script/);
  t.ok(text.split(ESCAPED).length > 15);
});

test('the policy of a page permits its own style sheet and nothing else', (t) => {
  const text = page('t', 's', [], 'f');
  const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] as string;
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1];
  t.equal(
    policy,
    `default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;`,
  );
  t.notMatch(style, /url\(|@import/);
  t.end();
});

test('a chart has a title, a description, and no identifier that two charts could share', async (t) => {
  const { markup } = await line([{ name: 'a', points: [{ x: 1, y: 2, low: 1, high: 3 }] }]);
  t.match(markup, /<svg role="img" viewBox="[^"]+"><title>Title<\/title><desc>Description<\/desc>/);
  t.notMatch(markup, /\sid="/);
  t.notMatch(markup, /#[0-9a-f]{3,6}/, 'colours are those of the style sheet');
});

test('a chart without points is drawn, linear and logarithmic', async (t) => {
  for (const log of [false, true]) {
    const { markup } = await line([{ name: 'a', points: [] }], { y: { ...NUMBER, log } });
    t.match(markup, /<svg /);
    t.notMatch(markup, /NaN|Infinity/);
  }
  const none = await intervalChart({ title: 't', description: 'd', x: PERCENT, rows: [] });
  t.notMatch(none.markup, /NaN|Infinity/);
});

test('values that an axis cannot show are left out', async (t) => {
  const points = [
    { x: 1, y: 0 },
    { x: Number.NaN, y: 5 },
    { x: 2, y: Number.POSITIVE_INFINITY },
    { x: 3, y: 50 },
    { x: 4, y: 500 },
  ];
  const { markup } = await line([{ name: 'a', points }], { y: { ...NUMBER, log: true } });
  t.notMatch(markup, /NaN|Infinity/);
  const symbols = /<g class="mark-symbol[^"]*"[^>]*>(.*?)<\/g>/.exec(markup)?.[1] as string;
  t.equal(symbols.match(/<path/g)?.length, 2);
});

test('a chart has up to five series', async (t) => {
  const series = Array.from({ length: 6 }, (_, index) => ({ name: `${index}`, points: [{ x: 1, y: 1 }] }));
  t.match((await line(series.slice(0, 5))).markup, /--series-5/);
  await t.rejects(async () => line(series), { message: 'a chart has at most 5 series' });
});

test('a long label of an interval chart ends in an ellipsis', async (t) => {
  const rows = ['a'.repeat(16), 'b'.repeat(17)].map((label) => ({ label, value: 1, low: 0, high: 2 }));
  const { markup } = await intervalChart({ title: 't', description: 'd', x: NUMBER, rows, reference: 1 });
  t.match(markup, '>aaaaaaaaaaaaaaaa<');
  t.match(markup, '>bbbbbbbbbbbbbbb…<');
});
