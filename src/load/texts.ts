import type { Random } from '../base/index.js';

const SUBJECTS =
  list(`the customer / the order / the invoice / the second parcel / our account manager / this release /
  the payment page / a new user / the export / the support team / the driver / the test server / their contract`);
const VERBS =
  list(`asks about / was charged twice for / does not match / never received / wants to cancel / has changed /
  needs an answer about / complains about / confirms / cannot open / was promised / sent back`);
const OBJECTS = list(`the refund of last Friday / a damaged screen / the delivery date / the monthly report /
  two missing items / the login code / the price in the offer / an urgent fix / the terms of the trial /
  the address on the label / a copy of the receipt / the failed upload`);
const ENDINGS =
  list(`and waits for a reply / since the update / although the note says otherwise / for the third time /
  before the end of the month / and asks for a call / without any explanation / as agreed by phone`);

const NAMES = list(
  'count / user / total / index / entry / cache / result / path / limit / order / node / event',
);
const ACTIONS = list(
  'load / parse / find / update / remove / merge / check / build / send / read / sort / open',
);

function list(text: string): readonly string[] {
  return text.split('/').map((part) => part.trim().replaceAll(/\s+/g, ' '));
}

/** English sentences, cut to exactly `characters`. */
export function sentences({ pick, integer }: Random, characters: number): string {
  let text = '';
  while (text.length < characters) {
    const subject = pick(SUBJECTS);
    const ending = integer(2) === 0 ? '' : ` ${pick(ENDINGS)}`;
    text += `${subject[0]?.toUpperCase()}${subject.slice(1)} ${pick(VERBS)} ${pick(OBJECTS)}${ending}. `;
  }
  return text.slice(0, characters - 1).padEnd(characters, '.');
}

/** A source file of small functions, cut to exactly `characters`. */
export function code({ pick, integer }: Random, characters: number): string {
  let text = '';
  while (text.length < characters) {
    const [name, other, action] = [pick(NAMES), pick(NAMES), pick(ACTIONS)];
    text += `/** ${action}s the ${other} of one ${name}. */
function ${action}_${name}_${integer(1_000)}(${name}, ${other}) {
  if (${name}.${other} > ${integer(100)}) return ${pick(ACTIONS)}_${other}(${name});
  return ${name}.${other} + ${integer(100)};
}
`;
  }
  return text.slice(0, characters);
}

/** A name as in `code`. */
export const functionName = ({ pick, integer }: Random): string =>
  `${pick(ACTIONS)}_${pick(NAMES)}_${integer(1_000)}`;
