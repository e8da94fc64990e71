/** After so many failures one after another the service is left alone for a while. */
const mostFailures = 3;
const firstPause = 1000;
const longestPause = 30_000;

/**
 * A breaker: a service that does not answer is not asked, so that it costs runs nothing. After
 * each pause one call tries again; the pause doubles when that one fails too.
 */
export class Breaker {
  private failures = 0;
  private pause = firstPause;
  private until = 0;
  private trying = false;

  constructor(private readonly now: () => number = Date.now) {}

  /** Whether a call may be made. Who is let through has to say what came of it. */
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

  /** Counts a failure. The service may have said how long to leave it alone, in milliseconds. */
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
