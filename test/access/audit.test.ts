import { test } from 'tap';
import { AUDIT_VALUE_CHARACTERS_MAX, auditEntry } from '../../src/access/audit.js';

const shown = (text: string) =>
  auditEntry(0, 'cli:ann', { action: 'settings.reload', after: { a: text } }).changes[0]?.after;

test('a long value is cut, and never in the middle of a character', async (t) => {
  const full = 'x'.repeat(AUDIT_VALUE_CHARACTERS_MAX);
  t.equal(shown(full), full);
  t.equal(shown(`${full}x`), `${full}…`);
  t.equal(shown(`${full.slice(2)}😀y`), `${full.slice(2)}😀…`);
  t.equal(shown(`${full.slice(1)}😀`), `${full.slice(1)}…`);
});
