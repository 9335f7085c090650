/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export const sameSize = (a: Size, b: Size) => a.width === b.width && a.height === b.height;
