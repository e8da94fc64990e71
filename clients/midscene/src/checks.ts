import type { Memtree, Question } from '@memtree/client';
import { inTime, look, type Page } from './page.js';
import { read } from './reading.js';

/** What a look at a page came to. */
export interface Looked {
  /** What can be seen, with the answers to the checks. */
  observation: string | undefined;
  /** How many checks were made in the page, and how many of them were decided. */
  made: number;
  decided: number;
  /** Milliseconds, all in all. */
  ms: number;
}

/** Milliseconds for one page, all in all. One reading may take half of it. */
export const budgetOfPage = 300;
const mostMade = 24;

/**
 * Looks at a page: takes its ARIA snapshot, and meanwhile asks the service what was missed there before and
 * makes those checks in the page. The answers stand after the snapshot as lines that no page can have in it,
 * so that the service, which holds the same misses against the snapshot, tells each thing once. It never
 * fails, never takes longer than the budget, and acts on nothing.
 */
export async function lookAndCheck(
  page: Page | undefined, memory: Memtree, question: Question, budget = budgetOfPage,
): Promise<Looked> {
  const began = Date.now();
  // A busy process notices the end of a wait late, so all waits end before the budget does.
  const left = () => budget * 0.8 - (Date.now() - began);
  if (budget <= 0 || !page?.locator) {
    return { observation: undefined, made: 0, decided: 0, ms: 0 };
  }
  const [seen, answers] = await Promise.all([look(page, left()), check(page, memory, question, budget, left)]);
  const said = answers.filter((a) => a !== undefined);
  return {
    observation: [...(seen === undefined ? [] : [seen]), ...said].join('\n') || undefined,
    made: answers.length, decided: said.length, ms: Date.now() - began,
  };
}

/** Makes all checks at once, and returns a line for each, or undefined where it was not decided in time. */
async function check(
  page: Page, memory: Memtree, question: Question, budget: number, left: () => number,
): Promise<(string | undefined)[]> {
  const asked = await memory.checks(question, Math.min(memory.deadline, left() / 2));
  const checks = asked.filter((c) => c?.look && isID(c.id)).slice(0, mostMade);
  const each = Math.min(budget / 2, left());
  return Promise.all(checks.map(async ({ id, look: reading }) => {
    const answer = await inTime(() => read(page, reading!, each), each);
    return answer && `- /check ${id}: ${answer}`;
  }));
}

/** The form of an id. Nothing else of the service's comes into the observation. */
function isID(id: unknown): boolean {
  return typeof id === 'string' && /^a_[0-9a-f]{16}$/.test(id);
}
