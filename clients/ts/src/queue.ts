import { asError, MemtreeError } from './error.js';
import { report } from './http.js';
import { checkLength, longestRecord } from './limits.js';
import { sleep, within } from './sleep.js';
import type { Evaluation } from './types.js';

/** Limits of the queue and of one request. */
const mostBytes = 32 << 20;
const batchBytes = 4 << 20;
const batchCount = 100;
const gather = 50; // milliseconds in which records are collected into one request
const firstWait = 250;
const longestWait = 30_000;

/** Sends a JSON array of evaluations. */
export type Post = (body: string, deadline: number) => Promise<unknown>;

interface Waiting {
  json: string;
  id: string;
}

/**
 * Records to be sent. Adding never waits and never throws. A record stays queued, in order, until the service
 * acknowledges it, and is sent again; since each record has an id, a repeated one is stored once.
 */
export class Queue {
  private waiting: Waiting[] = [];
  private bytes = 0;
  private most = batchCount; // of the next request
  private pause = 0; // milliseconds before the next try, after a failure
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sending: Promise<void> | undefined;
  /** The number of dropped records: the queue was full, or they are invalid. */
  dropped = 0;

  constructor(
    private readonly post: Post,
    private readonly limit: number,
    private readonly onError: ((e: MemtreeError) => void) | undefined,
  ) {}

  get size(): number {
    return this.waiting.length;
  }

  /** Adds a record. Returns whether there was room for it. */
  add(e: Evaluation & { id: string }): boolean {
    let json: string;
    try {
      json = JSON.stringify(e);
      checkLength(`the run ${e.id}`, json, longestRecord);
    } catch (cause) {
      this.refuse(e.id, cause);
      return false;
    }
    if (this.waiting.length >= this.limit || this.bytes + json.length > mostBytes) {
      this.giveUp(new MemtreeError('queue-full',
        `the run ${e.id} was not recorded: ${this.waiting.length} wait already; is the service up?`), 1);
      return false;
    }
    this.waiting.push({ json, id: e.id });
    this.bytes += json.length;
    this.schedule(this.pause || gather);
    return true;
  }

  /** Drops a record that is invalid or too long, and reports why. */
  refuse(id: string, cause: unknown): void {
    const why = cause instanceof Error ? cause.message : String(cause);
    const said = `the run ${id} is no object of JSON, so it cannot be recorded: ${why}`;
    this.giveUp(cause instanceof MemtreeError ? cause : new MemtreeError('input', said, { cause }), 1);
  }

  /** Sends the queued records, for at most `deadline` milliseconds. Returns how many are still queued. */
  async flush(deadline: number): Promise<number> {
    const end = Date.now() + deadline;
    while (this.waiting.length > 0) {
      const left = end - Date.now();
      if (left <= 0) {
        break;
      }
      await within(this.sending ?? this.try(left), left);
      if (this.pause > 0 && this.waiting.length > 0) {
        await sleep(Math.min(this.pause, Math.max(0, end - Date.now())));
      }
    }
    return this.waiting.length;
  }

  private schedule(ms: number): void {
    if (this.timer === undefined) {
      this.timer = setTimeout(() => {
        this.timer = undefined;
        void this.try(10_000);
      }, ms);
      // In Node a queued record does not keep the process alive: call flush at the end.
      (this.timer as { unref?: () => void }).unref?.();
    }
  }

  /** Sends until the queue is empty or a request fails. Only one call runs at a time. */
  private try(deadline: number): Promise<void> {
    this.sending ??= this.drain(deadline).finally(() => {
      this.sending = undefined;
      if (this.waiting.length > 0) {
        this.schedule(this.pause || gather);
      }
    });
    return this.sending;
  }

  private async drain(deadline: number): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.batch();
      try {
        await this.post(`[${batch.map((w) => w.json).join(',')}]`, deadline);
        this.remove(batch);
      } catch (thrown) {
        if (!this.settle(batch, asError(thrown))) {
          return;
        }
      }
      this.pause = 0;
    }
    this.most = batchCount;
  }

  private batch(): Waiting[] {
    let bytes = 0;
    const out: Waiting[] = [];
    for (const w of this.waiting) {
      bytes += w.json.length;
      if (out.length > 0 && (bytes > batchBytes || out.length >= this.most)) {
        break;
      }
      out.push(w);
    }
    return out;
  }

  /** Handles an error of a request. Returns whether to continue at once. */
  private settle(batch: Waiting[], e: MemtreeError): boolean {
    const places = (e.problem?.errors ?? []).map((p) => batch[Number(/^body\[(\d+)\]/.exec(p.location)?.[1])]);
    const named = new Set(places.filter((w) => w !== undefined));
    if (e.status === 409 && e.code === 'contradiction') {
      this.giveUp(e, named.size || 1);
      this.remove(batch); // the others were accepted
      return true;
    }
    if (e.status === 422 && named.size > 0) {
      this.giveUp(e, named.size);
      this.remove([...named]);
      return true;
    }
    if (e.status === 413 || e.status === 422) {
      if (batch.length === 1) {
        this.giveUp(e, 1);
        this.remove(batch);
      }
      this.most = Math.max(1, batch.length >> 1);
      return true;
    }
    report(this.onError, e);
    const grown = Math.min(longestWait, Math.max(firstWait, this.pause * 2));
    this.pause = e.retryAfter ?? grown * (0.75 + Math.random() / 2);
    return false;
  }

  private giveUp(e: MemtreeError, runs: number): void {
    this.dropped += runs;
    report(this.onError, e);
  }

  private remove(batch: Waiting[]): void {
    const gone = new Set(batch);
    this.waiting = this.waiting.filter((w) => !gone.has(w));
    this.bytes = this.waiting.reduce((sum, w) => sum + w.json.length, 0);
  }
}
