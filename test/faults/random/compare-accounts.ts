import { parseAmount } from '../../../src/access/index.js';
import { until } from '../../support/until.js';
import { call, callerHeaders, statusOf } from './call.js';
import type { Journal, JournalKey } from './journal.js';
import type { Stored } from './stored.js';
import type { Traffic } from './traffic.js';

/** Units per token at the default prices. */
const PRICES = { live: 1_500n, batch: 750n };

/** A node answers as stored within this time, in milliseconds; contract: 5 s. More for a busy machine. */
const AGREES_MS = 30_000;

const unitsOf = (amount: unknown): bigint => parseAmount(String(amount)) ?? 0n;

/** Every acknowledged change of a key is stored, and all nodes answer as stored. */
export async function compareKeys({ nodes, journal }: Traffic, stored: Stored): Promise<void> {
  const states = new Map((await stored.keys()).map(({ id, state }) => [id, state]));
  for (const { id, token, exists, revoked } of journal.keys) {
    const state = states.get(id);
    if (exists === 'yes' && state === undefined) journal.violation(`the key ${id} is not stored`);
    if (revoked === 'yes' && state !== undefined && state !== 'revoked')
      journal.violation(`the key ${id} is ${state}, and its revocation was acknowledged`);
    const expected = state === 'live' || state === 'rolled' ? 200 : 401;
    for (const node of nodes) {
      let status: ReturnType<typeof statusOf> = 'unknown';
      // The last change may have been made on another node just now.
      await until(async () => {
        status = statusOf(await call(`${node.url}/v1/limits`, { headers: callerHeaders(token) }));
        return status === expected;
      }, AGREES_MS).catch(() =>
        journal.violation(`${node.name} answers the key ${id}, which is ${state}, with ${status}`),
      );
    }
  }
}

/** Every acknowledged grant is stored once, and none that was refused. */
export async function compareGrants({ journal }: Traffic, stored: Stored): Promise<void> {
  const found = new Map<string, number>();
  for (const { action, workspace, changes } of await stored.audit()) {
    const granted = changes.find(({ field }) => field === 'granted' || field === 'credit');
    if (action !== 'workspace.credit' || granted === undefined) continue;
    const name = `${workspace} ${unitsOf(granted.after) - unitsOf(granted.before)}`;
    found.set(name, (found.get(name) ?? 0) + 1);
  }
  for (const { workspace, amount, done } of journal.grants) {
    const count = found.get(`${workspace} ${unitsOf(amount)}`) ?? 0;
    const [least, most] = [done === 'yes' ? 1 : 0, done === 'no' ? 0 : 1];
    if (count < least || count > most)
      journal.violation(`${count} grants of ${amount} to ${workspace} are stored; done: ${done}`);
  }
}

/** What keys were charged for live requests follows from their answers, and the accounts from the charges. */
export async function compareCharges({ journal, workspaces, references }: Traffic, stored: Stored) {
  const accounts = new Map((await stored.workspaces()).map((workspace) => [workspace.id, workspace]));
  const largest = Math.max(...references.map(({ tokens }) => tokens));
  for (const workspace of workspaces) {
    const usage = await stored.usage(workspace);
    for (const { kind, key, input_tokens, amount } of usage)
      if (unitsOf(amount) !== BigInt(input_tokens) * PRICES[kind])
        journal.violation(`${key} was charged ${amount} for ${input_tokens} tokens (${kind})`);
    const account = accounts.get(workspace);
    const charged = usage.reduce((sum, { amount }) => sum + unitsOf(amount), 0n);
    if (account === undefined || unitsOf(account.charged) !== charged)
      journal.violation(`${workspace} was charged ${account?.charged}, and its usage is ${charged} units`);
    else if (unitsOf(account.balance) !== unitsOf(account.granted) - charged || unitsOf(account.balance) < 0n)
      journal.violation(`${workspace} has the balance ${account.balance} of ${account.granted}`);
    if (account !== undefined && unitsOf(account.reserved) !== 0n)
      journal.violation(`${workspace} still has ${account.reserved} reserved`);
    for (const key of journal.keys.filter((each) => each.workspace === workspace)) {
      const rows = usage.filter((row) => row.key === key.id && row.kind === 'live');
      compareLive(journal, key, {
        requests: rows.reduce((sum, row) => sum + row.requests, 0),
        tokens: rows.reduce((sum, row) => sum + row.input_tokens, 0),
        largest,
      });
    }
  }
}

interface Charged {
  readonly requests: number;
  readonly tokens: number;
  /** The most tokens of one request. */
  readonly largest: number;
}

function compareLive(journal: Journal, key: JournalKey, { requests, tokens, largest }: Charged): void {
  const { id, answers, unanswered } = key;
  const sum = (all: typeof answers) => all.reduce((total, answer) => total + answer.tokens, 0);
  const certain = answers.filter((answer) => !journal.isExcused(answer));
  if (requests > answers.length + unanswered || tokens > sum(answers) + unanswered * largest)
    journal.violation(
      `${id} was charged for ${requests} live requests, ${tokens} tokens; ${answers.length} were answered, with ${sum(answers)} tokens, and ${unanswered} are unknown`,
    );
  if (requests < certain.length || tokens < sum(certain))
    journal.violation(
      `${id} was charged for ${requests} live requests, ${tokens} tokens; ${certain.length} were answered without a fault, with ${sum(certain)} tokens`,
    );
}
