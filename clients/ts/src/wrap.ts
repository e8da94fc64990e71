import type { MemtreeError } from './error.js';
import { report } from './http.js';
import { join, place, type Placement } from './place.js';
import { newId } from './id.js';
import type { Agent, Direction, Evaluation, Guidance, Question, Risk, Scene, Scope } from './types.js';

/** One test case to run. */
export interface TestCase {
  /** The id of the test case. */
  id?: string;
  /** The id of this run; generated if left out. */
  runId?: string;
  /** From 1. */
  attempt?: number;
  /** The task of the agent. */
  prompt: string;
  /** Background knowledge, for agents that accept it separately from the prompt. */
  context?: string;
  /** The observation before the run: an ARIA snapshot, or the page's text. */
  observation?: string;
  scene?: Scene;
  scope?: Scope;
  agent?: Agent;
  /** The truth; the agent never receives it. */
  groundTruth?: unknown;
}

/** The result of an agent's run. */
export interface RunResult {
  /** Any JSON. */
  judgment: unknown;
  /** The agent's observation when it judged. */
  observation?: string;
}

/** The fields that wrapRunCase adds to a result. */
export interface Remembered {
  /** The trial of the guidance; empty: none. */
  trial: string;
  guidance: Guidance;
  /** The probability that the judgment is wrong, if it was requested and arrived in time. */
  risk?: Risk;
}

/** A judge's verdict on a result. */
export interface JudgeVerdict {
  correct: boolean;
  direction?: Direction;
  /** A sentence on what was missed. */
  reason?: string;
}

export type RunCase<T extends TestCase, R extends RunResult> = (test: T) => Promise<R>;

export interface WrapOptions<T extends TestCase, R extends RunResult> {
  /** `append` if left out. */
  placement?: Placement;
  /** Returns whether a result is right. If left out, judgment and ground truth are compared. */
  judge?: (test: T, result: R) => Promise<JudgeVerdict> | JudgeVerdict;
  /** Whether to request the probability that each judgment is wrong. */
  risk?: boolean;
}

/** The part of a client that is used here. */
export interface Asked {
  readonly deadline: number;
  guidance(q: Question, deadline?: number): Promise<Guidance>;
  risk(e: Evaluation, deadline?: number): Promise<Risk | undefined>;
  record(e: Evaluation): string;
}

/**
 * Returns a function of run's shape that puts guidance into the prompt, calls run, and has the result judged
 * and recorded. run receives no ground truth. An error of run reaches the caller; an error of memory never
 * breaks a run, and guidance and risk together wait no longer than the deadline.
 */
export function wrap<T extends TestCase, R extends RunResult>(
  memory: Asked, run: RunCase<T, R>, options: WrapOptions<T, R>, judging: (judged: Promise<void>) => void,
  onError: ((e: MemtreeError) => void) | undefined,
): (test: T) => Promise<R & Remembered> {
  return async (test) => {
    const runId = test.runId ?? newId('r');
    const began = Date.now();
    const guidance = await memory.guidance({
      prompt: test.prompt, observation: test.observation, scene: test.scene, scope: test.scope, agent: test.agent,
      runId,
    });
    const left = memory.deadline - (Date.now() - began);
    const result = await run(given(test, runId, guidance.text, options.placement));
    const evaluation: Evaluation = {
      run_id: runId, case_id: test.id, attempt: test.attempt, scene: test.scene, scope: test.scope, prompt: test.prompt,
      observation: result?.observation, judgment: result?.judgment, agent: test.agent, trial: guidance.trial || undefined,
      at: new Date().toISOString(),
    };
    const risk = options.risk ? await memory.risk(evaluation, left) : undefined;
    judging(keep(memory, options, test, result, evaluation, onError));
    return { ...result, trial: guidance.trial, guidance, ...(risk ? { risk } : {}) };
  };
}

/** Returns the test for the agent: with a text in its prompt or context, and without the truth. */
function given<T extends TestCase>(test: T, runId: string, text: string, where: Placement = 'append'): T {
  const out: T = { ...test, runId, groundTruth: undefined };
  if (where === 'separate') {
    out.context = join(test.context, text) || test.context;
  } else {
    out.prompt = place(test.prompt, text, where);
  }
  return out;
}

/** Judges and records a run. If the judge fails, it is recorded without a label. */
async function keep<T extends TestCase, R extends RunResult>(
  memory: Asked, options: WrapOptions<T, R>, test: T, result: R, evaluation: Evaluation,
  onError: ((e: MemtreeError) => void) | undefined,
): Promise<void> {
  let truth: Partial<Evaluation> = { ground_truth: test.groundTruth };
  if (options.judge) {
    try {
      const { correct, direction, reason } = await options.judge(test, result);
      truth = { correct, direction, reason };
    } catch (thrown) {
      report(onError, thrown);
      truth = {};
    }
  }
  memory.record({ ...evaluation, ...truth });
}
