/** The models that a line may name. */
export interface LineModels {
  /** Whether a model of this id is served. */
  knows(id: string): boolean;
  /** Whether the caller's workspace may use it. */
  allows(id: string): boolean;
}
