import { type Reconciliation, showAmount } from '../access/index.js';
import { type Finding, ok } from './findings.js';

/** What `decider doctor` says of the workspaces and their ledger. */
export function* examineLedger({ books, problems }: Reconciliation, currency: string): Generator<Finding> {
  for (const { workspace, granted, charged, balance } of books) {
    const [left, given, spent] = [balance, granted, charged].map(showAmount);
    yield ok(`workspace ${workspace}`, `balance ${left} ${currency}: ${given} granted, ${spent} charged`);
  }
  for (const sentence of problems) yield { check: 'ledger', ok: false, detail: sentence };
  if (problems.length === 0) yield ok('ledger', 'adds up');
}
