import {
  ProfileError,
  type PromptPart,
  type PromptType,
  type QuestionShape,
  type Skeleton,
} from './profile-types.js';

/** Distinguishes the shapes of questions. */
export function shapeKey(shape: QuestionShape): string {
  const flags = shape.described.map((described) => (described ? '1' : '0')).join('');
  return `${shape.type} ${shape.stateIsText} ${shape.hasInstructions} ${flags}`;
}

/** Questions of every kind, with up to `optionsMax` options. */
export function sampleShapes(optionsMax: number): QuestionShape[] {
  const counts: Array<[PromptType, number]> = [
    ['noul', 2],
    ['choice', 1],
    ['choice', optionsMax],
    ['score', 3],
  ];
  const flags = [true, false];
  return counts.flatMap(([type, options]) =>
    flags.flatMap((stateIsText) =>
      flags.flatMap((hasInstructions) =>
        flags.map((described) => shapeOf(type, options, { stateIsText, hasInstructions, described })),
      ),
    ),
  );
}

/** Questions with this many options: what a template writes for each of them depends on the type and descriptions. */
export function longShapes(options: number): QuestionShape[] {
  return (['choice', 'score'] as const).flatMap((type) =>
    [true, false].map((described) =>
      shapeOf(type, options, { stateIsText: true, hasInstructions: true, described }),
    ),
  );
}

function shapeOf(
  type: PromptType,
  options: number,
  { described, ...flags }: Pick<QuestionShape, 'stateIsText' | 'hasInstructions'> & { described: boolean },
): QuestionShape {
  return { type, ...flags, described: Array.from({ length: options }, () => described) };
}

/** Throws ProfileError unless a prompt has every string of the caller. */
export function requireTexts(shape: QuestionShape, { prefix, suffix }: Skeleton): void {
  const shown = new Set([...prefix, ...suffix].map((part) => (part.kind === 'slot' ? slotName(part) : '')));
  const wanted = ['state'];
  if (shape.hasInstructions) wanted.push('instructions');
  shape.described.forEach((described, option) => {
    if (described) wanted.push(`description ${option}`);
    if (shape.type === 'choice') wanted.push(`label ${option}`);
  });
  const lacking = wanted.find((name) => !shown.has(name));
  if (lacking !== undefined) throw new ProfileError(`its decision template does not render the ${lacking}`);
}

function slotName({ slot }: Extract<PromptPart, { kind: 'slot' }>): string {
  return 'option' in slot ? `${slot.of} ${slot.option}` : slot.of;
}
