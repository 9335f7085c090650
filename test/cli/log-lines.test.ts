import { test } from 'tap';
import { logLines } from '../../src/cli/log-lines.js';

/** As the log writes it: JSON without raw control characters, but with one that changes the order of what is shown. */
const LINE =
  '{"level":"warn","time":"T","text":"\\u001b[2J\\n","err":{"stack":"E: \u202ea\\n    at b"},"msg":"m"}\n';
const JSON_LINE = LINE.replace('\u202e', '\\u202e');
const TEXT = 'T warn  m text="\\u001b[2J\\n"\n  E: \\u{202e}a\n      at b\n';

test('auto is text on a terminal and JSON elsewhere; what controls a terminal is escaped in both', async (t) => {
  t.equal(logLines('auto', true, false)(LINE), TEXT);
  t.equal(logLines('auto', false, false)(LINE), JSON_LINE);
  t.equal(logLines('text', false, false)(LINE), TEXT);
  t.equal(logLines('json', true, false)(LINE), JSON_LINE);
});

test('in the journal every line has the priority of its level', async (t) => {
  t.equal(logLines('json', false, true)(LINE), `<4>${JSON_LINE}`);
  t.equal(logLines('text', false, true)(LINE), TEXT.replace(/^(?=.)/gm, '<4>'));
});
