import {
  type Evaluation, type Guidance, join, type Memtree, newId, noGuidance, type Scene, type Scope,
} from '@memtree/client';
import { budgetOfPage, lookAndCheck, type Looked } from './checks.js';
import type { Frozen } from './frozen.js';
import { judgmentOf } from './judgment.js';
import { type Page, routeOf } from './page.js';

/** The calls of a Midscene agent that can get guidance. */
export const apis = ['aiAct', 'aiAssert', 'aiBoolean', 'aiQuery', 'aiNumber', 'aiString', 'aiAsk'] as const;
export type Api = (typeof apis)[number];

/** The part of a Midscene agent that is used here. */
export interface MidsceneAgent {
  opts?: { aiContexts?: { [api: string]: string | undefined } };
  /** Set if the cache of plans is on. */
  taskCache?: unknown;
  aiAct(prompt: any, options?: any): Promise<any>;
  aiAssert(prompt: any, message?: string, options?: any): Promise<any>;
  aiBoolean(prompt: any, options?: any): Promise<any>;
  aiQuery(prompt: any, options?: any): Promise<any>;
}

/** The truth of a judgment. */
export type Told = Pick<Evaluation, 'ground_truth' | 'correct' | 'direction' | 'reason'>;

/** One call that got guidance. */
export interface Warned {
  api: Api;
  prompt: string;
  guidance: Guidance;
}

export interface RememberOptions {
  memory: Memtree;
  /** Guidance of the release, for `aiAct`; see `memtree freeze`. */
  frozen?: Frozen;
  /** The calls that get guidance; all if left out. */
  guide?: readonly Api[];
  /** The calls that are recorded as judgments: `aiAssert` and `aiBoolean` if left out. */
  record?: readonly Api[];
  /** The page, for the route of a step and its observation; the agent's own if left out. */
  page?: Page;
  scope?: Scope;
  /** Of the test case. */
  caseId?: string;
  /** From 1. */
  attempt?: number;
  /** Returns the truth of a judgment, if it is known at once. */
  truth?: (judged: Evaluation) => Told | undefined;
  /** Called for each judgment once it is queued to be recorded. */
  onJudged?: (judged: Evaluation) => void;
  /** Called for each call that got guidance. */
  onWarned?: (warned: Warned) => void;
  /**
   * The time limit for observing and checking a page before a call, in milliseconds: 300 if left out; 0: off.
   */
  budget?: number;
  /** Called after each observation of a page. */
  onLooked?: (looked: Looked) => void;
  /** Called for each `aiAct`, so that guidance can be frozen for it. */
  onAsked?: (question: { prompt: string; scene?: Scene; scope?: Scope }) => void;
}

const remembered = Symbol.for('@memtree/midscene');

/**
 * Connects an agent with memory: each call gets guidance after the user's own context, and each judgment is
 * recorded. It changes the agent itself, so YAML scripts and fixtures of the agent use memory too. An error
 * of memory never breaks a call.
 */
export function remember<A extends MidsceneAgent>(agent: A, options: RememberOptions): A & { memtree: Remembered } {
  const known = agent as A & { memtree: Remembered; [remembered]?: true };
  if (!known[remembered]) {
    known[remembered] = true;
    known.memtree = new Remembered(agent, options);
    for (const api of apis) {
      known.memtree.wrap(api);
    }
  }
  return known;
}

/** The state of one agent's calls. */
export class Remembered {
  private readonly run = newId('ms');
  private calls = 0;
  private last: Evaluation | undefined;
  private saidWhyNot = false;

  constructor(private readonly agent: MidsceneAgent, private readonly options: RememberOptions) {}

  /** Sets the truth of the last judgment. Call it before the next one. */
  told(truth: Told): void {
    if (this.last) {
      Object.assign(this.last, truth);
    }
  }

  /** Records the last judgment, which is held back until its truth can no longer be set. */
  settle(): void {
    const e = this.last;
    this.last = undefined;
    if (e) {
      this.options.memory.record(e);
      this.options.onJudged?.(e);
    }
  }

  /** @internal */
  wrap(api: Api): void {
    const all = this.agent as unknown as Record<string, ((...args: unknown[]) => Promise<unknown>) | undefined>;
    const own = all[api];
    if (typeof own !== 'function') {
      return;
    }
    all[api] = async (...args: unknown[]) => {
      const advice = await this.advise(api, args);
      const given = advice.guidance.text ? this.place(api, args, advice.guidance.text) : args;
      try {
        const out = await own.apply(this.agent, given);
        this.keep(api, advice, out, undefined);
        return out;
      } catch (thrown) {
        this.keep(api, advice, undefined, thrown);
        throw thrown;
      }
    };
  }

  /** Requests guidance for a call. It never fails, and takes no longer than the deadline. */
  private async advise(api: Api, args: unknown[]): Promise<Advice> {
    const { memory, scope } = this.options;
    const advice: Advice = { prompt: textOf(args[0]), guidance: noGuidance('not asked'), scene: undefined };
    try {
      const page = this.options.page ?? pageOf(this.agent);
      advice.scene = routeOf(page);
      if (this.contextOf(api, args)?.includes(fence)) { // from `memtree enhance`
        return { ...advice, guidance: noGuidance('its context has guidance') };
      }
      if (api === 'aiAct') {
        this.options.onAsked?.({ prompt: advice.prompt, scene: advice.scene, scope });
        if (this.options.frozen || this.agent.taskCache) {
          this.thaw(advice);
          return this.warned(api, advice);
        }
      }
      if (!(this.options.guide ?? apis).includes(api)) {
        return advice;
      }
      const question = { prompt: advice.prompt, scene: advice.scene, scope };
      const looked = await lookAndCheck(page, memory, question, this.options.budget ?? budgetOfPage);
      advice.observation = looked.observation;
      this.options.onLooked?.(looked);
      if ((this.options.record ?? recorded).includes(api)) {
        advice.runId = `${this.run}#${++this.calls}`;
      }
      advice.guidance = await memory.guidance({ ...question, observation: advice.observation, runId: advice.runId });
      return this.warned(api, advice);
    } catch (thrown) {
      this.options.memory.report(thrown);
      return { ...advice, guidance: noGuidance('memtree failed') };
    }
  }

  /**
   * Sets the guidance of the release. Midscene caches plans by prompt and context, so a changed text would
   * cause a new plan: with its cache on, `aiAct` gets frozen guidance or none.
   */
  private thaw(advice: Advice): void {
    const { frozen, memory, scope } = this.options;
    const text = frozen?.find(advice.prompt, advice.scene?.route, scope?.test);
    const none = noGuidance(text ? 'frozen' : 'nothing is frozen for it');
    advice.guidance = { ...none, abstained: !text, text: text ?? '' };
    if (!frozen && !this.saidWhyNot) {
      this.saidWhyNot = true;
      const why = 'Midscene keeps plans, so aiAct is given frozen guidance alone: see memtree freeze --help';
      memory.report(new Error(why));
    }
  }

  private warned(api: Api, advice: Advice): Advice {
    if (advice.guidance.text) {
      this.options.onWarned?.({ api, prompt: advice.prompt, guidance: advice.guidance });
    }
    return advice;
  }

  /** Returns the context that Midscene uses for a call: that of the call, else that of the agent. */
  private contextOf(api: Api, args: unknown[]): string | undefined {
    const contexts = this.agent.opts?.aiContexts;
    return (args[optionsAt(api)] as { context?: string } | undefined)?.context ?? contexts?.[api] ?? contexts?.['default'];
  }

  /** Returns the arguments of a call with guidance after the user's own context. */
  private place(api: Api, args: unknown[], text: string): unknown[] {
    const at = optionsAt(api);
    const own = args[at] as { context?: string } | undefined;
    const context = join(this.contextOf(api, args), text);
    const out = [...args];
    out.length = Math.max(args.length, at + 1);
    // The defaults of Midscene, which it applies only if a call has no options.
    out[at] = { ...(own ?? (insights.has(api) ? { domIncluded: false, screenshotIncluded: true } : {})), context };
    return out;
  }

  /** Holds a judgment to be recorded. A call that failed for another reason has none. */
  private keep(api: Api, advice: Advice, out: unknown, thrown: unknown): void {
    try {
      const { record = recorded, scope, caseId, attempt, truth } = this.options;
      const judgment = record.includes(api) ? judgmentOf(api, out, thrown) : undefined;
      if (judgment === undefined) {
        return;
      }
      this.settle();
      const e: Evaluation = {
        id: newId('ms'), run_id: advice.runId, case_id: caseId, attempt, scene: advice.scene, scope,
        prompt: advice.prompt, observation: advice.observation, judgment, agent: { name: 'midscene' },
        trial: advice.guidance.trial || undefined, at: new Date().toISOString(),
      };
      this.last = { ...e, ...truth?.(e) };
    } catch (failed) {
      this.options.memory.report(failed);
    }
  }
}

/** Returns the index of a call's options among its arguments. */
const optionsAt = (api: Api): number => (api === 'aiAssert' ? 2 : 1);

/** The beginning of guidance. */
const fence = '<memory-context>';

const recorded: readonly Api[] = ['aiAssert', 'aiBoolean'];
const insights = new Set<Api>(['aiBoolean', 'aiQuery', 'aiNumber', 'aiString', 'aiAsk']);

interface Advice {
  prompt: string;
  guidance: Guidance;
  scene: Scene | undefined;
  observation?: string;
  runId?: string;
}

/** Returns the text of a prompt, which may have images, or be an object that describes the wanted data. */
function textOf(prompt: unknown): string {
  if (typeof prompt === 'string') {
    return prompt;
  }
  const text = (prompt as { prompt?: unknown } | null)?.prompt;
  return typeof text === 'string' ? text : JSON.stringify(prompt) ?? '';
}

/** Returns the page of a web agent. */
function pageOf(agent: MidsceneAgent): Page | undefined {
  return (agent as { page?: { underlyingPage?: Page } }).page?.underlyingPage;
}
