import type { components } from './schema.js';

type Schemas = components['schemas'];

/** What is about to be run. `prompt` alone is enough. */
export type Question = Schemas['Question'];
/** One judged run. `judgment` may be any JSON. Without a truth it waits in the inbox for a person. */
export type Evaluation = Schemas['Evaluation'];
export type Item = Schemas['Item'];
/** The answer: a fenced block of text for the prompt, or nothing. */
export type Guidance = Omit<Schemas['Guidance'], 'nearest' | 'items'> & {
  items: Item[];
  /** What came nearest, and why it was not given; null: nothing. */
  nearest: Item | null;
};
/** One thing that was missed before, as a program can look for it. `look` is the reading, as data. */
export type Check = Schemas['Assertion'];
/** How likely a verdict is to be wrong. */
export type Risk = Schemas['Risk'];
/** What was true of an evaluation, as a person says it. */
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

/** Guidance that says nothing. The note says why. */
export function noGuidance(note: string): Guidance {
  return { trial: '', abstained: true, text: '', hash: '', items: [], nearest: null, note };
}
