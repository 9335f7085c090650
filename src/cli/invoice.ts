import { type Invoice, monthBefore, monthOf, readInvoice, showAmount, showPrice } from '../access/index.js';
import { showCount, VERSION } from '../base/index.js';
import { facts, page, table } from '../report/index.js';
import { configFile } from '../settings/index.js';
import { checkFiles } from './command-files.js';
import { type Options, printJson } from './output.js';
import { csv } from './text-table.js';
import { writeReport } from './whole-output.js';
import { withAdministration } from './with-store.js';

interface InvoiceOptions {
  /** A workspace. */
  readonly invoice: string;
  /** Such as `2026-11`; absent: the last one that is over. */
  readonly month?: string;
  /** The file of the page. */
  readonly html?: string;
}

/** `decider usage --invoice`: a workspace's charges of one UTC month as CSV, JSON or a page to print. */
export const invoice = ({ invoice: workspace, month, html, ...options }: Options & InvoiceOptions) =>
  withAdministration(options, async (administration, settings, clock) => {
    checkFiles({
      inputs: { 'the configuration': configFile(process.env, options.config) },
      outputs: { html },
    });
    const now = clock.now();
    const made = await readInvoice(administration, workspace, month ?? monthBefore(now));
    const { currency } = settings.billing;
    if (html !== undefined) writeReport('html', html, invoicePage(made, currency, made.month < monthOf(now)));
    if (options.json) printJson({ ...recordOf(made), currency, lines: linesOf(made) });
    else if (html === undefined) process.stdout.write(invoiceCsv(made, currency));
  });

const linesOf = ({ lines }: Invoice) =>
  lines.map(({ model, kind, price, requests, inputTokens, amount }) => ({
    model,
    kind,
    price_per_million: showPrice(price),
    requests,
    input_tokens: inputTokens,
    amount: showAmount(amount),
  }));

const recordOf = ({ workspace, month, total }: Invoice) => ({
  workspace,
  month,
  requests: total.requests,
  input_tokens: total.inputTokens,
  amount: showAmount(total.amount),
});

const CSV_HEAD = [
  'workspace',
  'month',
  'model',
  'kind',
  'price_per_million',
  'requests',
  'input_tokens',
  'amount',
  'currency',
];

function invoiceCsv(made: Invoice, currency: string): string {
  const { workspace, month } = made;
  const rows = linesOf(made).map((line) => [workspace, month, ...Object.values(line).map(String), currency]);
  return csv(CSV_HEAD, rows);
}

/** `isOver`: whether the month is over, so that its charges do not change any more. */
function invoicePage(made: Invoice, currency: string, isOver: boolean): string {
  const { workspace, month, total } = made;
  const columns = [
    { title: 'model', kind: 'text' },
    { title: 'kind', kind: 'text' },
    { title: `${currency} per million tokens`, kind: 'number' },
    { title: 'requests', kind: 'number' },
    { title: 'input tokens', kind: 'number' },
    { title: `amount ${currency}`, kind: 'number' },
  ] as const;
  const rows = linesOf(made).map((line) => Object.values(line).map(show));
  const sums = ['total', '', '', show(total.requests), show(total.inputTokens), showAmount(total.amount)];
  const summary = isOver
    ? `Charges of ${month}, UTC`
    : `Charges of ${month}, UTC, so far: the month is not over`;
  const content = [
    facts([
      ['workspace', workspace],
      ['month', month],
      ['total', `${showAmount(total.amount)} ${currency}`],
    ]),
    table('Charges by model, kind and price', columns, [...rows, sums]),
  ];
  return page(`Invoice of ${workspace}`, summary, [{ title: 'Charges', content }], `decider ${VERSION}`);
}

/** Numbers with separators, as in `1,234`; texts as they are. */
const show = (value: string | number) => (typeof value === 'number' ? showCount(value) : value);
