import { Breaker } from './breaker.js';
import { asError, MemtreeError } from './error.js';
import { type FetchLike, report, send, type Target } from './http.js';
import { newId } from './id.js';
import { checkLength, longestBody, recordRoute } from './limits.js';
import { Queue } from './queue.js';
import type { Answer, Body, Method, PathOf } from './routes.js';
import { sleep, within } from './sleep.js';
import {
  type Check, type Result, type Evaluation, type EvolveOptions, type Guidance, type Job, noGuidance, type Question,
  type Recorded, type Risk, type Truth, ComingTest,
} from './types.js';
import { type RunCase, type RunResult, type TestCase, wrap, type WrapOptions } from './wrap.js';

export interface Options {
  /** The address of the service, such as `http://127.0.0.1:7788`. */
  url: string;
  /** The token, as `memtree token add` prints it. */
  token?: string;
  /** The tree of the service: `default` if left out. */
  tree?: string;
  /** How many milliseconds one run waits for memory in total: 200 if left out. */
  deadline?: number;
  /** The maximum number of queued records: 1000 if left out. */
  queue?: number;
  /** Replaces the platform's fetch, such as for a proxy. */
  fetch?: FetchLike;
  /** Receives the errors of memory and of recording. The run continues. */
  onError?: (e: MemtreeError) => void;
}

/**
 * A memtree service. The methods for runs (`guidance`, `checks`, `risk`, `record`, `wrapRunCase`) never throw
 * and never wait longer than the deadline. The methods for people and jobs (`evaluations`, `relabel`,
 * `evolve`, `request`) throw a MemtreeError.
 */
export class Memtree {
  readonly deadline: number;
  private readonly target: Target;
  private readonly tree: string;
  private readonly breaker = new Breaker();
  private readonly queue: Queue;
  private readonly onError: Options['onError'];
  private readonly judging = new Set<Promise<void>>();

  constructor(options: Options) {
    const platform = globalThis.fetch as unknown as FetchLike | undefined;
    const fetch = options.fetch ?? platform;
    if (!fetch) {
      throw new TypeError('this platform has no fetch; hand one over as options.fetch');
    }
    // A browser's fetch has to be called without a receiver.
    this.target = { base: options.url.replace(/\/+$/, ''), token: options.token, fetch: (u, i) => fetch(u, i) };
    this.tree = options.tree ?? 'default';
    this.deadline = options.deadline ?? 200;
    this.onError = options.onError;
    const path = this.path(recordRoute);
    this.queue = new Queue(
      (body, deadline) => send(this.target, 'POST', path, body, deadline), options.queue ?? 1000, options.onError,
    );
  }

  /** Returns guidance for a run; empty if there is none, or no answer within the deadline. */
  async guidance(question: Question, deadline = this.deadline): Promise<Guidance> {
    try {
      const g = await this.ask<Guidance>('/v1/trees/{tree}/guidance', question, deadline);
      if (typeof g?.text !== 'string' || typeof g.trial !== 'string') {
        throw new MemtreeError('answer', 'what answered is no guidance of memtree; check the url of the client');
      }
      return { ...g, items: g.items ?? [], nearest: g.nearest ?? null };
    } catch (thrown) {
      report(this.onError, thrown);
      return noGuidance(asError(thrown).message);
    }
  }

  /**
   * Announces the tests of a run before it begins. Returns whether the service accepted them. If the service
   * has a model, it reads the tests within a minute, and `guidance` returns what it picked.
   */
  async expect(tests: ComingTest[], deadline = this.deadline): Promise<boolean> {
    try {
      await this.ask('/v1/trees/{tree}/briefs', { tests }, deadline);
      return true;
    } catch (thrown) {
      report(this.onError, thrown);
      return false;
    }
  }

  /** Returns earlier misses as readings of a page; none without an answer within the deadline. */
  async checks(question: Question, deadline = this.deadline): Promise<Check[]> {
    try {
      const c = await this.ask<{ checks?: unknown }>('/v1/trees/{tree}/checks', question, deadline);
      if (!Array.isArray(c?.checks)) {
        throw new MemtreeError('answer', 'what answered has no checks; check the url of the client, and its version');
      }
      return c.checks as Check[];
    } catch (thrown) {
      report(this.onError, thrown);
      return [];
    }
  }

  /** Returns the probability that a verdict is wrong; undefined without an answer within the deadline. */
  async risk(evaluation: Evaluation, deadline = this.deadline): Promise<Risk | undefined> {
    try {
      const r = await this.ask<Risk>('/v1/trees/{tree}/risk', evaluation, deadline);
      return typeof r?.p === 'number' ? r : undefined;
    } catch (thrown) {
      report(this.onError, thrown);
      return undefined;
    }
  }

  /**
   * Queues a judged run to be sent soon. With the `trial` of its guidance it is the outcome of that trial;
   * without a truth it waits for a person. Returns the run's id, by which `relabel` sets the truth later. What is
   * no run is dropped, and `onError` receives why.
   */
  record(evaluation: Evaluation): string {
    let id = newId('ev');
    try {
      if (evaluation === null || typeof evaluation !== 'object' || Array.isArray(evaluation)) {
        throw new TypeError('it needs prompt and judgment');
      }
      id = evaluation.id ?? id;
      this.queue.add({ ...evaluation, id, at: evaluation.at ?? new Date().toISOString() });
    } catch (thrown) {
      this.queue.refuse(id, thrown);
    }
    return id;
  }

  /** Passes an error to `onError`, and never throws: for code that builds on this client. */
  report(thrown: unknown): void {
    report(this.onError, thrown);
  }

  /** The number of queued records, and of dropped ones. */
  get records(): { waiting: number; dropped: number } {
    return { waiting: this.queue.size, dropped: this.queue.dropped };
  }

  /**
   * Waits for the judges of wrapped runs and sends the queued records, for at most `deadline` milliseconds.
   * Returns how many are still queued. Call it before the process ends.
   */
  async flush(deadline = 2000): Promise<number> {
    const end = Date.now() + deadline;
    while (this.judging.size > 0 && Date.now() < end) {
      await within(Promise.all(this.judging), end - Date.now());
    }
    return this.queue.flush(end - Date.now());
  }

  /**
   * Returns a function of the same shape that requests guidance before each run and records it afterwards.
   */
  wrapRunCase<T extends TestCase, R extends RunResult>(run: RunCase<T, R>, options?: WrapOptions<T, R>) {
    const keep = (judged: Promise<void>) => {
      this.judging.add(judged);
      void judged.finally(() => this.judging.delete(judged));
    };
    return wrap<T, R>(this, run, options ?? {}, keep, this.onError);
  }

  /** Records judged runs now, at most 1000. Each needs an id or a run id, so that it is stored once. */
  evaluations(evaluations: Evaluation[]): Promise<Recorded> {
    return this.request('post', '/v1/trees/{tree}/evaluations', { body: evaluations });
  }

  /** Sets the truth of a run. */
  relabel(truth: Truth): Promise<Result> {
    return this.request('post', '/v1/trees/{tree}/relabel', { body: truth });
  }

  /** Runs evolve on the tree and waits for its end, for at most `deadline` milliseconds. */
  async evolve(options: EvolveOptions = {}, deadline = 600_000): Promise<Job> {
    const end = Date.now() + deadline;
    let job = await this.request('post', '/v1/trees/{tree}/evolve', { body: options });
    for (let wait = 20; job.state === 'running' && Date.now() < end; wait = Math.min(wait * 2, 1000)) {
      await sleep(wait);
      job = await this.request('get', '/v1/trees/{tree}/jobs/{id}', { path: { id: job.id } });
    }
    if (job.state === 'failed') {
      throw new MemtreeError('evolve', job.problem?.detail ?? 'evolve failed', { status: 500, problem: job.problem });
    }
    return job;
  }

  /**
   * Calls any other route of the service, with its types. Temporary failures are repeated at most three
   * times, after the pause that the service requests.
   */
  async request<M extends Method, P extends PathOf<M>>(
    method: M, path: P,
    options: { path?: Record<string, string>; query?: Record<string, string>; body?: Body<M, P> } = {},
  ): Promise<Answer<M, P>> {
    const query = options.query ? `?${new URLSearchParams(options.query)}` : '';
    const url = this.path(path, options.path) + query;
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    checkLength('the body of this request', body ?? '', longestBody(path));
    for (let attempt = 1; ; attempt++) {
      try {
        return (await send(this.target, method.toUpperCase(), url, body, 30_000)) as Answer<M, P>;
      } catch (thrown) {
        const e = asError(thrown);
        if (!e.passing || attempt > 3) {
          throw e;
        }
        await sleep(e.retryAfter ?? 200 * 2 ** attempt);
      }
    }
  }

  /** Sends a request on behalf of a run: none is sent while the breaker is open. */
  private async ask<T>(path: string, body: unknown, deadline: number): Promise<T> {
    const json = JSON.stringify(body);
    checkLength('this request', json ?? '', longestBody(path));
    if (deadline <= 0) {
      throw new MemtreeError('late', 'no time is left to ask memtree');
    }
    if (!this.breaker.allows()) {
      throw new MemtreeError('open', 'memtree did not answer lately, so it is not asked for a while');
    }
    try {
      // A busy process notices the end of a wait late, so the wait ends a little before the deadline.
      const out = (await send(this.target, 'POST', this.path(path), json, Math.ceil(deadline * 0.95))) as T;
      this.breaker.succeeded();
      return out;
    } catch (thrown) {
      const e = asError(thrown);
      if (e.passing) {
        this.breaker.failed(e.retryAfter);
      } else {
        this.breaker.succeeded(); // it answers, though with an error
      }
      throw e;
    }
  }

  private path(template: string, values: Record<string, string> = {}): string {
    const all: Record<string, string> = { tree: this.tree, ...values };
    return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(all[name] ?? ''));
  }
}
