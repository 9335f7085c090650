/** No child, or no reference. */
export const NONE = -1;

const UNITS = 65_536;

/** A child of a state that is not the next state by number. */
interface Branch {
  readonly from: number;
  readonly unit: number;
  readonly to: number;
}

/** The prefixes of all references, by number; 0 is the empty one. */
export interface Trie {
  /** The code unit that leads from a state to the next number, or `NONE`. */
  readonly edge: Int32Array;
  /** All other children, in the order of their numbers. */
  readonly branches: readonly Branch[];
  /** Code units of the prefix. */
  readonly depth: Int32Array;
  /** The reference that the prefix is, or `NONE`. */
  readonly ending: Int32Array;
}

/** Most states have one child, which has the next number: there are fewer branches than references. */
export function growTrie(references: readonly string[]): Trie {
  const most = references.reduce((sum, { length }) => sum + length, 1);
  const edge = new Int32Array(most).fill(NONE);
  const ending = new Int32Array(most).fill(NONE);
  const depth = new Int32Array(most);
  const branches: Branch[] = [];
  const branchOf = new Map<number, number>();
  let states = 1;
  const child = (from: number, unit: number): number => {
    if (edge[from] === unit) return from + 1;
    const known = branchOf.get(from * UNITS + unit);
    if (known !== undefined) return known;
    const to = states++;
    depth[to] = (depth[from] as number) + 1;
    if (to === from + 1) edge[from] = unit;
    else {
      branches.push({ from, unit, to });
      branchOf.set(from * UNITS + unit, to);
    }
    return to;
  };
  references.forEach((reference, index) => {
    let state = 0;
    for (let at = 0; at < reference.length; at += 1) state = child(state, reference.charCodeAt(at));
    ending[state] = index;
  });
  return { edge: edge.subarray(0, states), branches, depth, ending };
}
