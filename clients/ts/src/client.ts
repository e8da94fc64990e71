import { Breaker } from './breaker.js';
import { asError, MemtreeError } from './error.js';
import { type FetchLike, report, send, type Target } from './http.js';
import { newId } from './id.js';
import { Queue } from './queue.js';
import type { Answer, Body, Method, PathOf } from './routes.js';
import { sleep, within } from './sleep.js';
import {
  type Check, type Result, type Evaluation, type EvolveOptions, type Guidance, type Job, noGuidance, type Question,
  type Recorded, type Risk, type Truth, ComingTest,
} from './types.js';
import { type RunCase, type RunResult, type TestCase, wrap, type WrapOptions } from './wrap.js';

export interface Options {
  /** Of the service, such as `http://127.0.0.1:7788`. */
  url: string;
  /** As `memtree token add` prints it. */
  token?: string;
  /** Which tree of the service: `default` if left out. */
  tree?: string;
  /** Milliseconds that one run waits for memory, all in all: 200 if left out. */
  deadline?: number;
  /** How many records wait in memory at most: 1000 if left out. */
  queue?: number;
  /** In place of the platform's, such as for a proxy. */
  fetch?: FetchLike;
  /** Says why memory did not help, or a run was not recorded. The run goes on. */
  onError?: (e: MemtreeError) => void;
}

/**
 * A memtree service. What a run calls (`guidance`, `checks`, `risk`, `record`, `wrapRunCase`) never throws
 * and never waits longer than the deadline. What people and jobs call (`evaluations`, `relabel`,
 * `evolve`, `request`) throws a MemtreeError.
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
    const path = this.path('/v1/trees/{tree}/evaluations');
    this.queue = new Queue(
      (body, deadline) => send(this.target, 'POST', path, body, deadline), options.queue ?? 1000, options.onError,
    );
  }

  /** What memory has to say before a run; empty if it has nothing, or did not answer in time. */
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
   * Hands in the tests of a run before it begins; whether the service took them. Where it has a model, that reads them
   * within a minute, and `guidance` gives what it picked.
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

  /** What was missed here before, as readings of a page; none if the service does not say so in time. */
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

  /** How likely a verdict is to be wrong; undefined if the service does not say so in time. */
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
   * Takes a judged run, to be sent soon. With the `trial` of its guidance it is the outcome of
   * that trial; without a truth it waits for a person. It returns the run's id, by which `relabel`
   * tells the truth later.
   */
  record(evaluation: Evaluation): string {
    const id = evaluation.id ?? newId('ev');
    this.queue.add({ ...evaluation, id, at: evaluation.at ?? new Date().toISOString() });
    return id;
  }

  /** Hands an error to `onError`, and never throws: for those who build on this client. */
  report(thrown: unknown): void {
    report(this.onError, thrown);
  }

  /** How many records wait to be sent, and how many were given up. */
  get records(): { waiting: number; dropped: number } {
    return { waiting: this.queue.size, dropped: this.queue.dropped };
  }

  /**
   * Waits for the judges of wrapped runs and sends what waits, for at most `deadline`
   * milliseconds. It returns how many records still wait. Call it before the process ends.
   */
  async flush(deadline = 2000): Promise<number> {
    const end = Date.now() + deadline;
    while (this.judging.size > 0 && Date.now() < end) {
      await within(Promise.all(this.judging), end - Date.now());
    }
    return this.queue.flush(end - Date.now());
  }

  /** A function of the same shape that asks before each run and records after it. */
  wrapRunCase<T extends TestCase, R extends RunResult>(run: RunCase<T, R>, options?: WrapOptions<T, R>) {
    const keep = (judged: Promise<void>) => {
      this.judging.add(judged);
      void judged.finally(() => this.judging.delete(judged));
    };
    return wrap<T, R>(this, run, options ?? {}, keep, this.onError);
  }

  /** Records judged runs now, at most 1000. Each needs an id, or a run id, to be counted once. */
  evaluations(evaluations: Evaluation[]): Promise<Recorded> {
    return this.request('post', '/v1/trees/{tree}/evaluations', { body: evaluations });
  }

  /** Says what was true of a run. */
  relabel(truth: Truth): Promise<Result> {
    return this.request('post', '/v1/trees/{tree}/relabel', { body: truth });
  }

  /** Lets the tree learn, and waits until it has, for at most `deadline` milliseconds. */
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
   * Any other route of the service, with its types. Requests that fail in passing are repeated,
   * three times at most, after the time that the service says.
   */
  async request<M extends Method, P extends PathOf<M>>(
    method: M, path: P,
    options: { path?: Record<string, string>; query?: Record<string, string>; body?: Body<M, P> } = {},
  ): Promise<Answer<M, P>> {
    const query = options.query ? `?${new URLSearchParams(options.query)}` : '';
    const url = this.path(path, options.path) + query;
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
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

  /** Asks for something that a run waits for: the breaker decides whether the service is asked. */
  private async ask<T>(path: string, body: unknown, deadline: number): Promise<T> {
    const json = JSON.stringify(body);
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
        this.breaker.succeeded(); // it answers, though not with what was asked for
      }
      throw e;
    }
  }

  private path(template: string, values: Record<string, string> = {}): string {
    const all: Record<string, string> = { tree: this.tree, ...values };
    return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(all[name] ?? ''));
  }
}
