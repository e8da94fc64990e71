/** The number of consecutive failures after which requests to the service pause. */
const mostFailures = 3;
const firstPause = 1000;
const longestPause = 30_000;

/**
 * A circuit breaker: requests to a service that does not answer are skipped, so that they do not delay runs.
 * After each pause one call is allowed as a trial; the pause doubles if that call fails.
 */
export class Breaker {
  private failures = 0;
  private pause = firstPause;
  private until = 0;
  private trying = false;

  constructor(private readonly now: () => number = Date.now) {}

  /** Reports whether a call may be made. An allowed caller must report the result. */
  allows(): boolean {
    if (this.until === 0) {
      return true;
    }
    if (this.trying || this.now() < this.until) {
      return false;
    }
    this.trying = true;
    return true;
  }

  succeeded(): void {
    this.failures = 0;
    this.pause = firstPause;
    this.until = 0;
    this.trying = false;
  }

  /** Records a failure. `retryAfter` is the pause that the service requested, in milliseconds. */
  failed(retryAfter?: number): void {
    this.failures++;
    if (!this.trying && this.failures < mostFailures && retryAfter === undefined) {
      return;
    }
    this.until = this.now() + Math.max(retryAfter ?? 0, this.pause);
    this.pause = Math.min(this.pause * 2, longestPause);
    this.trying = false;
  }
}
