import type { Problem } from './types.js';

/** The kind of an error, for programs. Problems of the service have their own codes, such as `busy`. */
export type ErrorCode =
  | 'late' // no answer within the deadline
  | 'unreachable' // no connection
  | 'open' // the breaker is open: no request was sent
  | 'answer' // the answer is not memtree's
  | 'queue-full' // a record was dropped
  | 'too-large' // a record or a body is longer than the service takes
  | 'input' // a record or a request is invalid
  | (string & {});

/** An error of the client or of the service. Its message describes what happened and what to do. */
export class MemtreeError extends Error {
  override readonly name = 'MemtreeError';
  readonly code: ErrorCode;
  /** The HTTP status; 0: there was no answer. */
  readonly status: number;
  /** After how many milliseconds a retry makes sense, if the service requested a pause. */
  readonly retryAfter: number | undefined;
  /** The problem that the service reported. */
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

/** Converts anything thrown to a MemtreeError. */
export function asError(thrown: unknown): MemtreeError {
  if (thrown instanceof MemtreeError) {
    return thrown;
  }
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return new MemtreeError('internal', `memtree client: ${said}`, { status: -1, cause: thrown });
}
