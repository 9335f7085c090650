import { type Claim, claimsOf, FAMILIES } from './claims.js';
import { type Figures, lowerEnd, SETS, type SetFigures, type SetName, type Share } from './figures.js';

const SET_NAMES: Readonly<Record<SetName, string>> = {
  held: 'held-out',
  handwritten: 'hand-written',
  scale: 'the scale of the README',
  near: 'near',
  outside: 'outside',
};

/** The rows of the card's table of claims. */
export function claimRows(figures: Figures): string[] {
  let before = '';
  return claimsOf(figures).map(({ family, type, held, handwritten, isClaimed }: Claim) => {
    const words = FAMILIES[family] as string;
    const name = family === before ? '' : words[0]?.toUpperCase() + words.slice(1);
    before = family;
    const cells = [
      name,
      `\`${type}\``,
      shown(held),
      guessing(held),
      shown(handwritten),
      guessing(handwritten),
    ];
    return `| ${[...cells, isClaimed ? 'yes' : 'no'].join(' | ')} |`;
  });
}

/** The rows of the card's table of evaluation sets. */
export const setRows = ({ sets }: Figures): string[] =>
  SETS.map((name) => rowOf(SET_NAMES[name], sets[name]));

/** The rows of the card's table of the near set, by what is asked. */
export const nearRows = ({ near }: Figures): string[] =>
  Object.entries(near).map(([group, figures]) => rowOf(group, figures));

function rowOf(name: string, figures: SetFigures): string {
  const { questions, right, guessing, confidence, sureAndWrong, ece } = figures;
  const cells = [
    percent(right / questions),
    percent(guessing),
    confidence.toFixed(2),
    percent(sureAndWrong),
    ece.toFixed(3),
  ];
  return `| ${[name, questions, ...cells].join(' | ')} |`;
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const shown = (share: Share | undefined) =>
  share
    ? `${percent(share.right / share.questions)} of ${share.questions} (${percent(lowerEnd(share))})`
    : '–';
const guessing = (share: Share | undefined) => (share ? percent(share.guessing) : '–');
