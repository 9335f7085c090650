import { Template } from '@huggingface/jinja';
import { test } from 'tap';
import { CHAT_TEMPLATE } from '../../models/tiny/index.js';

const template = new Template(CHAT_TEMPLATE);
const user = { role: 'user', content: ' Hi ' };
const render = (context: Record<string, unknown>) => template.render({ bos_token: '<bos>', ...context });

test('turns, and an empty thought before the answer', async (t) => {
  const expected = '<bos><|turn>user\nHi<turn|>\n<|turn>model\n<|channel>thought\n<channel|>';
  t.equal(render({ messages: [user], add_generation_prompt: true }), expected);
  t.equal(render({ messages: [user], add_generation_prompt: true, enable_thinking: false }), expected);
});

test('system and model turns', async (t) => {
  const messages = [{ role: 'system', content: 'Be brief.' }, user, { role: 'assistant', content: 'Hello' }];
  t.equal(
    render({ messages, add_generation_prompt: false }),
    '<bos><|turn>system\nBe brief.<turn|>\n<|turn>user\nHi<turn|>\n<|turn>model\nHello<turn|>\n',
  );
});

test('thinking is asked for in the system turn', async (t) => {
  const tail = '<|turn>user\nHi<turn|>\n<|turn>model\n';
  const options = { add_generation_prompt: true, enable_thinking: true };
  t.equal(render({ messages: [user], ...options }), `<bos><|turn>system\n<|think|>\n<turn|>\n${tail}`);
  t.equal(
    render({ messages: [{ role: 'system', content: 'Be brief.' }, user], ...options }),
    `<bos><|turn>system\n<|think|>\nBe brief.<turn|>\n${tail}`,
  );
});

test('parts of a message, images among them', async (t) => {
  const content = [{ type: 'text', text: 'See' }, { type: 'image' }, { type: 'text', text: 'this' }];
  t.equal(
    render({ messages: [{ role: 'user', content }], add_generation_prompt: false }),
    '<bos><|turn>user\nSee<|image|>this<turn|>\n',
  );
});
