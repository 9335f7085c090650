import { CLAIM, NEAR, SHIPPED } from './bounds.js';
import { type Figures, lowerEnd, type Share } from './figures.js';

/** The kinds of questions, in the order of the card. Kinds that are not here are measured, and not claimed. */
export const FAMILIES: Readonly<Record<string, string>> = {
  topic: 'topic of a message',
  about: 'message about a given topic',
  refund: 'refund asked for',
  cancel: 'cancellation asked for',
  anger: 'customer angry',
  sentiment: 'sentiment',
  urgency: 'urgency',
  intent: 'intent',
  team: 'team',
  mentions: 'word mentioned',
  field_value: 'value of a field',
  status: 'status in a record',
  equals: 'field equal to a value',
  flag: 'flag of a record',
  missing: 'missing value',
  lookup: 'look-up in a list',
  member: 'member of a list',
  table: 'table of several rows',
};

/** What people ask next and the model was not made for. Each is a group of requests of the near or the outside set. */
export const NOT_FOR = [
  'tool calls',
  'comparing numbers or dates',
  'arithmetic',
  'reviews and stars',
  'spam',
  'toxicity',
  'news',
  'code',
  'judging texts',
  'other languages',
  'long texts',
] as const;

const TYPES = { noul: 'yes or no', choice: 'choice', score: 'score' } as const;

/** A family with one of the types, in words: "urgency (yes or no)". */
export interface Claim {
  readonly family: string;
  readonly type: keyof typeof TYPES;
  readonly held: Share | undefined;
  readonly handwritten: Share | undefined;
  readonly isClaimed: boolean;
}

/** Every family and type that was measured on one of the two sets, in the order of the card. */
export function claimsOf({ families }: Figures): Claim[] {
  return Object.keys(FAMILIES).flatMap((family) =>
    (['choice', 'score', 'noul'] as const).flatMap((type) => {
      const found = families[`${family} ${type}`];
      if (!found) return [];
      const { held, handwritten } = found;
      return [
        {
          family,
          type,
          held,
          handwritten,
          isClaimed: meets(held) && meets(handwritten) && isEnough(handwritten),
        },
      ];
    }),
  );
}

/** Whether the answers are right often enough for a claim, and more often than guesses. */
export function meets(share: Share | undefined): boolean {
  if (share === undefined) return false;
  const accuracy = share.right / share.questions;
  return accuracy >= CLAIM.accuracyMin && accuracy > share.guessing && lowerEnd(share) > CLAIM.lowerEndAbove;
}

const isEnough = (share: Share | undefined) => share !== undefined && share.questions >= CLAIM.handwrittenMin;

/** The kinds that are not claimed, in words; a family none of whose types is claimed is named without a type. */
export function notClaimed(claims: readonly Claim[]): string[] {
  return Object.entries(FAMILIES).flatMap(([family, words]) => {
    const own = claims.filter((claim) => claim.family === family);
    const missed = own.filter(({ isClaimed }) => !isClaimed);
    if (missed.length === 0) return [];
    if (missed.length === own.length) return [words];
    return [`${words} (${missed.map(({ type }) => TYPES[type]).join(', ')})`];
  });
}

/** The one list of what the model is not for: of its own kinds those that are not claimed, then those beside them. */
export function notFor(figures: Figures): string {
  const all = [...notClaimed(claimsOf(figures)), ...NOT_FOR];
  return `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

/** What the manifest says that the model is for; the server prints it when it starts. */
export const domainOf = (figures: Figures): string =>
  `short English customer-support messages and small records; not for ${notFor(figures)}`;

/** What a build misses of what a shipped one must have; empty if it may be shipped. */
export function missed({ sets }: Figures, bytes: number): string[] {
  const accuracy = ({ right, questions }: Share) => right / questions;
  const conditions: Array<[boolean, string]> = [
    [accuracy(sets.held) >= SHIPPED.heldMin, 'held-out accuracy'],
    [accuracy(sets.handwritten) >= SHIPPED.handwrittenMin, 'hand-written accuracy'],
    [accuracy(sets.scale) >= SHIPPED.scaleMin, 'scale of the README'],
    [sets.held.ece <= SHIPPED.eceMax, 'ECE of the held-out answers'],
    [sets.handwritten.ece <= SHIPPED.eceMax, 'ECE of the hand-written answers'],
    [sets.near.confidence <= NEAR.confidenceMax, 'mean confidence of the near set'],
    [sets.near.sureAndWrong <= NEAR.sureAndWrongMax, 'sure and wrong answers of the near set'],
    [bytes <= SHIPPED.fileMax, 'size of the file'],
  ];
  return conditions.flatMap(([isMet, what]) => (isMet ? [] : [what]));
}

/** The same as a sentence. */
export function missedText(figures: Figures, bytes: number): string {
  const found = missed(figures, bytes);
  const what = found.length === 0 ? 'nothing of that' : found.join(', ');
  return `The bounds (\`card/bounds.ts\`) are what a new build must have before it is shipped. ${figures.build} misses ${what}.`;
}
