/** A text as one word of a command line, quoted if a shell could read it in another way. */
export const shellWord = (text: string): string =>
  /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
