import type { OpenModel } from '../models/model.js';
import { spaceJoiners } from '../models/space-joiners.js';
import { concatenate } from '../profile/tokenizer.js';
import { wordsOf } from '../profile/words.js';

/** Texts of several kinds, with which the rule that was read from the file is tried on the tokenizer itself. */
const SAMPLES = [
  'The customer, who was charged twice (see #4471), asks: "When do I get my refund?" It has been 3 weeks!',
  '{\n  "order": {\n    "id": 4471,\n    "items": ["phone case", "charger"]\n  },\n  "note": "late > 2 days"\n}',
  'if (a[0] >= b && !done) { return f(x, y) ?? null; }  // two  spaces   and\ta tab',
  'Größe, naïve, 日本語 の 文章, Привет мир, مرحبا بالعالم, 🙂 👩‍👩‍👧 ok, \u2581 x \u2581\u2581 y, <b> </b> <|x|> </s>',
];

/** `spaceJoiners` of a model, if its tokenizer gives the words of some texts the tokens of the whole texts; otherwise null. */
export function verifiedJoiners({ build, tokenizer }: OpenModel): string | null {
  const joiners = spaceJoiners(build.path);
  if (joiners === null) return null;
  const byWords = (text: string) => concatenate(wordsOf(text, joiners).map((word) => tokenizer.whole(word)));
  const isRight = SAMPLES.every((text) => {
    const [whole, cut] = [tokenizer.plain(text), tokenizer.plain(text, byWords)];
    return whole.length === cut.length && whole.every((token, at) => token === cut[at]);
  });
  return isRight ? joiners : null;
}
