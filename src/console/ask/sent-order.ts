/**
 * The names of an object in the order in which they were sent; those that were not come last. The object itself has lost the
 * order of whole numbers such as `10` and `2`.
 */
export function sentOrder(sent: readonly string[], values: object): string[] {
  const known = new Set(sent.filter((name) => Object.hasOwn(values, name)));
  return [...known, ...Object.keys(values).filter((name) => !known.has(name))];
}
