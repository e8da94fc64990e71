import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { Memtree, type Options, type Scene, type Scope } from '@memtree/client';
import { type MidsceneAgent, remember, type RememberOptions, type Told, type Warned } from './agent.js';
import { Frozen } from './frozen.js';
import type { Page } from './page.js';

type Shared = Pick<RememberOptions, 'guide' | 'record' | 'truth' | 'budget' | 'onJudged' | 'onLooked' | 'onWarned'>;

/** All options may be left out. */
export interface RememberingOptions extends Partial<Options>, Shared {
  /** The product under test, and its version or hash. */
  product?: string;
  build?: string;
  /** A file of `memtree freeze`, for `aiAct`. */
  frozen?: string;
  /**
   * A file to which the prompts of `aiAct` are appended, for `memtree freeze`. Its prompts are announced
   * before the run.
   */
  asked?: string;
}

/** The fixture of memtree in a test. */
export interface Remembering {
  memtree: {
    /** Sets the truth of the last judgment. Call it before the next one. */
    told(truth: Told): void;
    /** The calls of this test that got guidance so far. */
    warned: Warned[];
    client: Memtree;
  };
}

type Use<T = unknown> = (value: T) => Promise<void>;
type Agents = (page?: Page, options?: unknown) => Promise<MidsceneAgent>;
interface Test {
  titlePath: string[];
  retry: number;
  annotations: { type: string; description?: string }[];
}
interface State {
  told(truth: Told): void;
  warned: Warned[];
  client: Memtree;
  attach(agent: MidsceneAgent, page: Page): MidsceneAgent;
}
interface Worker {
  client: Memtree;
  frozen: Frozen | undefined;
  asked(question: { prompt: string; scene?: Scene; scope?: Scope }): void;
}

/**
 * Fixtures that connect Midscene's agents with memory. They go after Midscene's own:
 *
 *     base.extend<PlayWrightAiFixtureType>(PlaywrightAiFixture()).extend<Remembering>(remembering())
 *
 * The service is `url`, or MEMTREE_URL, or http://127.0.0.1:7788. MEMTREE_TOKEN, MEMTREE_TREE and
 * MEMTREE_DEADLINE, in milliseconds, are used in the same way.
 */
export function remembering(options: RememberingOptions = {}): any {
  return {
    memtreeWorker: [async ({}, use: Use<Worker>) => {
      const asked: string[] = [];
      const client = connect(options);
      const frozen = thawed(options.frozen, client);
      // The first connection takes longest, so it is opened before a test waits for it.
      client.request('get', '/healthz').catch(() => {});
      handIn(options.asked, client);
      await use({ client, frozen, asked: (q) => asked.push(`${JSON.stringify(q)}\n`) });
      await client.flush();
      if (options.asked && asked.length > 0) {
        appendFileSync(options.asked, asked.join(''));
      }
    }, { scope: 'worker' }],

    memtree: async ({ memtreeWorker }: { memtreeWorker: Worker }, use: Use<State>, test: Test) => {
      const state = begin(memtreeWorker, options, test);
      await use(state);
      state.end();
    },

    agentForPage: async (
      { agentForPage, memtree, page }: { agentForPage: Agents; memtree: State; page: Page }, use: Use<Agents>,
    ) => use(async (other, opts) => memtree.attach(await agentForPage(other, opts), other ?? page)),

    // Midscene's functions use the agent of the page, so it is connected first.
    ai: async ({ ai, agentForPage }: Own<'ai'>, use: Use) => first(agentForPage, use, ai),
    aiAct: async ({ aiAct, agentForPage }: Own<'aiAct'>, use: Use) => first(agentForPage, use, aiAct),
    aiAction: async ({ aiAction, agentForPage }: Own<'aiAction'>, use: Use) => first(agentForPage, use, aiAction),
    aiAssert: async ({ aiAssert, agentForPage }: Own<'aiAssert'>, use: Use) => first(agentForPage, use, aiAssert),
    aiBoolean: async ({ aiBoolean, agentForPage }: Own<'aiBoolean'>, use: Use) => first(agentForPage, use, aiBoolean),
    aiQuery: async ({ aiQuery, agentForPage }: Own<'aiQuery'>, use: Use) => first(agentForPage, use, aiQuery),
    aiNumber: async ({ aiNumber, agentForPage }: Own<'aiNumber'>, use: Use) => first(agentForPage, use, aiNumber),
    aiString: async ({ aiString, agentForPage }: Own<'aiString'>, use: Use) => first(agentForPage, use, aiString),
    aiAsk: async ({ aiAsk, agentForPage }: Own<'aiAsk'>, use: Use) => first(agentForPage, use, aiAsk),
    runYaml: async ({ runYaml, agentForPage }: Own<'runYaml'>, use: Use) => first(agentForPage, use, runYaml),
  };
}

type Own<K extends string> = { [P in K]: unknown } & { agentForPage: Agents };

async function first(agentForPage: Agents, use: Use, own: unknown): Promise<void> {
  await agentForPage();
  await use(own);
}

function connect(options: RememberingOptions): Memtree {
  const env = process.env;
  const deadline = Number(env['MEMTREE_DEADLINE']);
  let said = 0;
  return new Memtree({
    deadline: deadline > 0 ? deadline : undefined,
    onError: (e) => {
      if (e.code !== 'open' && said++ < 5) {
        console.warn(`[memtree] ${e.message}`);
      }
    },
    ...options,
    url: options.url ?? env['MEMTREE_URL'] ?? 'http://127.0.0.1:7788',
    token: options.token ?? env['MEMTREE_TOKEN'],
    tree: options.tree ?? env['MEMTREE_TREE'],
  });
}

/** Reads the guidance of the release. The tests run without it if that fails. */
function thawed(path: string | undefined, client: Memtree): Frozen | undefined {
  try {
    return path ? Frozen.read(path) : undefined;
  } catch (thrown) {
    client.report(thrown);
    return undefined;
  }
}

/** Describes how many facts of the current page and how many memories guidance contains. */
function parts({ guidance: { facts, items } }: Warned): string {
  const count = (n: number | undefined, one: string, more: string) => (n ? [`${n} ${n === 1 ? one : more}`] : []);
  const all = [
    ...count(facts?.length, 'fact of this page', 'facts of this page'), ...count(items.length, 'memory', 'memories'),
  ];
  return all.length > 0 ? `: ${all.join(', ')}` : '';
}

/** Returns the state of one test. */
function begin(worker: Worker, options: RememberingOptions, test: Test): State & { end(): void } {
  const agents: ReturnType<typeof remember>[] = [];
  const warned: Warned[] = [];
  const [suite, ...titles] = test.titlePath;
  const caseId = titles.join(' › ') || suite;
  const scope: Scope = { product: options.product, build: options.build, suite, test: caseId };
  const hear = (w: Warned) => {
    warned.push(w);
    test.annotations.push({ type: 'memtree', description: `${w.api} was given guidance${parts(w)}` });
    options.onWarned?.(w);
  };
  return {
    warned,
    client: worker.client,
    told: (truth) => agents.at(-1)?.memtree.told(truth),
    attach: (agent, page) => {
      const known = remember(agent, {
        memory: worker.client, frozen: worker.frozen, guide: options.guide, record: options.record,
        truth: options.truth, onJudged: options.onJudged, budget: options.budget, onLooked: options.onLooked,
        page, scope, caseId, attempt: test.retry + 1,
        onWarned: hear, onAsked: worker.asked,
      });
      if (!agents.includes(known)) {
        agents.push(known);
      }
      return known;
    },
    end: () => agents.forEach((a) => a.memtree.settle()),
  };
}

/** Announces the prompts of an earlier run, so that they are read before they are used again. */
function handIn(file: string | undefined, client: Memtree): void {
  if (!file || !existsSync(file)) {
    return;
  }
  try {
    const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line.trim());
    const tests = [...new Set(lines)].slice(0, 10_000).map((line) => JSON.parse(line));
    void client.expect(tests.map(({ prompt, scene, scope }) => ({ prompt, scene, scope })), 5000);
  } catch (thrown) {
    client.report(thrown);
  }
}
