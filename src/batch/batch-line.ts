/** A line that waits to be answered. */
export interface BatchLine {
  /** Its place in the batch, counted from 0. */
  readonly index: number;
  /** The chunk that holds it. */
  readonly chunk: number;
  readonly customId: string;
  /** As the line names it. */
  readonly model: string;
  /** The JSON text: a decide request with two fields more. */
  readonly body: Buffer;
  /** How often it was tried. */
  readonly tries: number;
}

/** A line among those of its chunk, in the order in which they run. */
export interface OrderedLine extends BatchLine {
  /** Whether the line before it asks the same model about the same state. */
  readonly sharesState: boolean;
}
