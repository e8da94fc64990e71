import {
  type Evaluation, type Guidance, join, type Memtree, newId, noGuidance, type Scene, type Scope,
} from '@memtree/client';
import { budgetOfPage, lookAndCheck, type Looked } from './checks.js';
import type { Frozen } from './frozen.js';
import { judgmentOf } from './judgment.js';
import { type Page, routeOf } from './page.js';

/** The calls of a Midscene agent that are given guidance. */
export const apis = ['aiAct', 'aiAssert', 'aiBoolean', 'aiQuery', 'aiNumber', 'aiString', 'aiAsk'] as const;
export type Api = (typeof apis)[number];

/** The part of a Midscene agent that is needed. */
export interface MidsceneAgent {
  opts?: { aiContexts?: { [api: string]: string | undefined } };
  /** Set where plans are kept. */
  taskCache?: unknown;
  aiAct(prompt: any, options?: any): Promise<any>;
  aiAssert(prompt: any, message?: string, options?: any): Promise<any>;
  aiBoolean(prompt: any, options?: any): Promise<any>;
  aiQuery(prompt: any, options?: any): Promise<any>;
}

/** What was true of a judgment. */
export type Told = Pick<Evaluation, 'ground_truth' | 'correct' | 'direction' | 'reason'>;

/** One call that was given guidance. */
export interface Warned {
  api: Api;
  prompt: string;
  guidance: Guidance;
}

export interface RememberOptions {
  memory: Memtree;
  /** Guidance of the release, for `aiAct`; see `memtree freeze`. */
  frozen?: Frozen;
  /** Which calls are given guidance; all if left out. */
  guide?: readonly Api[];
  /** Which calls are judgments, to be recorded: `aiAssert` and `aiBoolean` if left out. */
  record?: readonly Api[];
  /** The page, to say where a step is and what can be seen; the agent's own if left out. */
  page?: Page;
  scope?: Scope;
  /** Of the test case. */
  caseId?: string;
  /** From 1. */
  attempt?: number;
  /** Says what was true of a judgment, if that is known at once. */
  truth?: (judged: Evaluation) => Told | undefined;
  /** Hears of each judgment once it is handed over to be recorded. */
  onJudged?: (judged: Evaluation) => void;
  /** Hears of each call that was given guidance. */
  onWarned?: (warned: Warned) => void;
  /** Milliseconds in which a page is looked at and checked before a call: 300 if left out; 0: never. */
  budget?: number;
  /** Hears of each look at a page. */
  onLooked?: (looked: Looked) => void;
  /** Hears of each `aiAct`, so that guidance can be frozen for it. */
  onAsked?: (question: { prompt: string; scene?: Scene; scope?: Scope }) => void;
}

const remembered = Symbol.for('@memtree/midscene');

/**
 * Makes an agent remember: each call gets guidance joined to the user's own context, and each
 * judgment is recorded. It changes the agent itself, so that YAML scripts and fixtures made of it
 * remember too. Memory never breaks a call.
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

/** What is known of one agent's calls. */
export class Remembered {
  private readonly run = newId('ms');
  private calls = 0;
  private last: Evaluation | undefined;
  private saidWhyNot = false;

  constructor(private readonly agent: MidsceneAgent, private readonly options: RememberOptions) {}

  /** Tells what was true of the last judgment, before the next one. */
  told(truth: Told): void {
    if (this.last) {
      Object.assign(this.last, truth);
    }
  }

  /** Records the last judgment, which waits until it can no longer be told what was true. */
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

  /** Asks memory before a call. It never fails, and takes no longer than the deadline. */
  private async advise(api: Api, args: unknown[]): Promise<Advice> {
    const { memory, scope } = this.options;
    const advice: Advice = { prompt: textOf(args[0]), guidance: noGuidance('not asked'), scene: undefined };
    try {
      const page = this.options.page ?? pageOf(this.agent);
      advice.scene = routeOf(page);
      if (this.contextOf(api, args)?.includes(fence)) { // by `memtree enhance`
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
   * Takes the guidance of the release. Midscene keeps plans under prompt and context, so a text that
   * changes would make it plan anew: with its cache on, `aiAct` is given frozen guidance or none.
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

  /** The context that Midscene takes for a call: its own, else that of the agent. */
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
    // What Midscene takes where no options are given, which it does not add to options that are.
    out[at] = { ...(own ?? (insights.has(api) ? { domIncluded: false, screenshotIncluded: true } : {})), context };
    return out;
  }

  /** Keeps a judgment. Calls that failed for another reason are none. */
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

/** Where a call has its options. */
const optionsAt = (api: Api): number => (api === 'aiAssert' ? 2 : 1);

/** What guidance begins with. */
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

/** The text of a prompt, which may come with images, or be an object that says which data is wanted. */
function textOf(prompt: unknown): string {
  if (typeof prompt === 'string') {
    return prompt;
  }
  const text = (prompt as { prompt?: unknown } | null)?.prompt;
  return typeof text === 'string' ? text : JSON.stringify(prompt) ?? '';
}

/** The page of a web agent. */
function pageOf(agent: MidsceneAgent): Page | undefined {
  return (agent as { page?: { underlyingPage?: Page } }).page?.underlyingPage;
}
