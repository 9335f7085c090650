/** Throws TypeError for criteria of a choice whose labels have lost their order, which the model sees. */
export declare function requireLabelOrder(criteria: unknown, name: string): void;
/** As `requireLabelOrder`, for each choice of a request. */
export declare function requireLabelOrders(questions: unknown, name: string): void;
