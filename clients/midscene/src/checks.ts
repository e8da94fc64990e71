import type { Memtree, Question } from '@memtree/client';
import { inTime, look, type Page } from './page.js';
import { read } from './reading.js';

/** The result of observing a page. */
export interface Looked {
  /** The observation, followed by the answers to the checks. */
  observation: string | undefined;
  /** The number of checks in the page, and of those that were decided. */
  made: number;
  decided: number;
  /** Milliseconds in total. */
  ms: number;
}

/** The time limit for one page, in milliseconds. One reading may take half of it. */
export const budgetOfPage = 300;
const mostMade = 24;

/**
 * Observes a page: takes its ARIA snapshot, and at the same time requests earlier misses from the service and
 * checks them in the page. The answers are appended to the snapshot as lines that no page can contain, so
 * that the service, which checks the same misses against the snapshot, reports each one once. It never fails,
 * never takes longer than the budget, and performs no action on the page.
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

/** Performs all checks at once, and returns a line for each, or undefined if it was not decided in time. */
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

/** Reports whether a value has the form of an id. Nothing else from the service enters the observation. */
function isID(id: unknown): boolean {
  return typeof id === 'string' && /^a_[0-9a-f]{16}$/.test(id);
}
