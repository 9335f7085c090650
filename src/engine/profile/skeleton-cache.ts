import type { Skeleton } from './profile-types.js';

/**
 * Maximum parts of all cached skeletons. One with 26 options has 60 to 110, one with 255 up to 1,030. A shape is a handful
 * of flags, so real traffic has few of them; but a caller can vary which options have a description.
 */
export const SKELETON_PARTS_MAX = 100_000;

/** The skeletons of the shapes that were asked for, by key; the oldest make room. */
export class SkeletonCache {
  private readonly byKey = new Map<string, Skeleton>();
  private partsHeld = 0;

  get parts(): number {
    return this.partsHeld;
  }

  /** The skeletons by their keys, the oldest first. */
  entries(): IterableIterator<[string, Skeleton]> {
    return this.byKey.entries();
  }

  get(key: string): Skeleton | undefined {
    return this.byKey.get(key);
  }

  /** Adds a skeleton whose key is not in the cache. */
  add(key: string, skeleton: Skeleton): void {
    this.byKey.set(key, skeleton);
    this.partsHeld += partsOf(skeleton);
    for (const [oldest, each] of this.byKey) {
      if (this.partsHeld <= SKELETON_PARTS_MAX) return;
      this.byKey.delete(oldest);
      this.partsHeld -= partsOf(each);
    }
  }
}

const partsOf = ({ prefix, suffix }: Skeleton) => prefix.length + suffix.length;
