/** A mistake of the operator, such as a wrong setting or argument. The command line prints its message without a stack. */
export class OperatorError extends Error {}
