import type { Problem } from './types.js';

/** Why something failed, for programs. A problem of the service keeps its own word, such as `busy`. */
export type ErrorCode =
  | 'late' // no answer within the deadline
  | 'unreachable' // no connection
  | 'open' // the breaker is open: the service was not asked
  | 'answer' // what came is no answer of memtree
  | 'queue-full' // a record was dropped
  | 'input' // the service, or JSON, cannot use a record or a request
  | (string & {});

/** An error of the client or of the service. Its message says what happened and what to do. */
export class MemtreeError extends Error {
  override readonly name = 'MemtreeError';
  readonly code: ErrorCode;
  /** The HTTP status; 0: there was no answer. */
  readonly status: number;
  /** After how many milliseconds another try makes sense, if the service said so. */
  readonly retryAfter: number | undefined;
  /** What the service said. */
  readonly problem: Problem | undefined;
  override readonly cause: unknown;

  constructor(
    code: ErrorCode,
    message: string,
    more: { status?: number; retryAfter?: number; problem?: Problem; cause?: unknown } = {},
  ) {
    super(message);
    this.code = code;
    this.status = more.status ?? 0;
    this.retryAfter = more.retryAfter;
    this.problem = more.problem;
    this.cause = more.cause;
  }

  /** Whether the same request may succeed later: no answer, too many requests, or a failure inside. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Makes a MemtreeError of whatever was thrown. */
export function asError(thrown: unknown): MemtreeError {
  if (thrown instanceof MemtreeError) {
    return thrown;
  }
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return new MemtreeError('internal', `memtree client: ${said}`, { status: -1, cause: thrown });
}
