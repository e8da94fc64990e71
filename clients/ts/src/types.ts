import type { components } from './schema.js';

type Schemas = components['schemas'];

/** A run that is about to start. `prompt` alone is enough. */
export type Question = Schemas['Question'];
/** One judged run. `judgment` may be any JSON. Without a truth it waits in the inbox for a person. */
export type Evaluation = Schemas['Evaluation'];
export type Item = Schemas['Item'];
/** The answer: a fenced block of text for the prompt, or no text. */
export type Guidance = Omit<Schemas['Guidance'], 'nearest' | 'items'> & {
  items: Item[];
  /** The most similar memory that was left out, and why; null: none. */
  nearest: Item | null;
};
/** An earlier miss in a form that a program can check. `look` is the reading, as data. */
export type Check = Schemas['Assertion'];
/** The probability that a verdict is wrong. */
export type Risk = Schemas['Risk'];
/** The truth of an evaluation, as a person states it. */
export type Truth = Schemas['Truth'];
export type Result = Schemas['Result'];
export type Recorded = Schemas['Recorded'];
export type Job = Schemas['Job'];
export type EvolveOptions = Schemas['Evolve'];
export type Stats = Schemas['Stats'];
export type Problem = Schemas['Problem'];
export type Scene = Schemas['Scene'];
export type Scope = Schemas['Scope'];
/** A test that will be run. */
export type ComingTest = Schemas['ComingTest'];
export type Agent = Schemas['Agent'];
export type Direction = NonNullable<Truth['direction']>;

/** Returns empty guidance. The note is the reason. */
export function noGuidance(note: string): Guidance {
  return { trial: '', abstained: true, text: '', hash: '', items: [], nearest: null, note };
}
