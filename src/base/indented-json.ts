/** JSON, indented for people. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
