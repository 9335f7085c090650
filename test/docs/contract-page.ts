import { RULES } from '../contract/map.js';
import { read } from '../support/pages.js';

export const CONTRACT = 'docs/contract.md';

/** The anchor of a rule of the map: `4.3 rule 6` is `4.3-rule-6`. */
export const anchorOf = (rule: string): string => rule.toLowerCase().replaceAll(' ', '-');

const SECTION = /^\d+(\.\d+)?$/;

/** An explicit anchor, and what it leads to: the rest of its line, or all of its section, without other anchors. */
export interface Anchor {
  readonly id: string;
  readonly text: string;
}

/** Every explicit anchor of the page, in order. */
export function anchors(): Anchor[] {
  const text = read(CONTRACT);
  return [...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map((match) => {
    const [tag, id] = match as unknown as [string, string];
    const rest = text.slice(match.index + tag.length);
    const end = SECTION.test(id) ? rest.search(/^#{2,3} /m) : rest.indexOf('\n');
    return { id, text: end < 0 ? rest : rest.slice(0, end) };
  });
}

/** Rules are anchors below a section, and sections without any. */
export function ruleAnchors(): Anchor[] {
  const all = anchors();
  const hasRules = (section: string) => all.some(({ id }) => id.startsWith(`${section}-`));
  const hasSections = (section: string) => all.some(({ id }) => id.startsWith(`${section}.`));
  return all.filter(({ id }) => !SECTION.test(id) || !(hasRules(id) || hasSections(id)));
}

/** The rules of the map in a section, without its number. */
export const rulesOf = (section: string): string[] =>
  Object.keys(RULES).flatMap((rule) =>
    rule.startsWith(`${section} `) ? [rule.slice(section.length + 1)] : [],
  );

/** A place that cites the contract, and the anchors that it means. */
export interface Citation {
  readonly text: string;
  readonly anchors: readonly string[];
}

/** `contract 4.3`, `contract 4.3 rule 6`, `contract 6 rules 2, 3 and 5`, or a section and a name in code quotes. */
const CITATION = /\bcontract (\d+(?:\.\d+)?)(?: rules? (\d+(?:(?:, | and )\d+)*)| `([^`]+)`)?/gi;
/** Forms that a reader understands and `CITATION` does not. */
const OTHER_FORM =
  /\bcontract (?:section |§ ?)|\bcontract \d[\d.]*(?: (?:to|and|or) |, ?)(?:\d|rules? \d)|\bcontract \d[\d.]* (?:point|item) /i;

/** The citations of a source or a page; a comment's line breaks are spaces. */
export function citations(source: string): { found: Citation[]; otherForms: string[] } {
  const text = source.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|>)?[ \t]*/g, ' ');
  const found = [...text.matchAll(CITATION)].map((match) => {
    const [cited, section, numbers, name] = match as unknown as [string, string, string?, string?];
    if (numbers !== undefined) {
      return { text: cited, anchors: numbers.split(/, | and /).map((number) => `${section}-rule-${number}`) };
    }
    return { text: cited, anchors: [name === undefined ? section : nameOf(section, name)] };
  });
  const otherForms = [...text.matchAll(new RegExp(OTHER_FORM, 'gi'))].map((match) =>
    text.slice(match.index, match.index + 60),
  );
  return { found, otherForms };
}

/** Limits, prices and transitions have a word of their own before the name, which a citation leaves out. */
function nameOf(section: string, name: string): string {
  const own = rulesOf(section).find((rule) => rule === name || rule.replace(/^[a-z]+ /, '') === name);
  return anchorOf(`${section} ${own ?? name}`);
}
