// The public GUI benchmark: 51 cases, the earlier verdicts of a small model, and the truth.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const data = process.env.MEMTREE_SHARED ? join(process.env.MEMTREE_SHARED, 'data') : undefined;
const lines = (path) => readFileSync(path, 'utf8').trim().split('\n').map((l) => JSON.parse(l));

export const app = data && join(data, 'gui/app');

/** Each case with its page, its earlier verdict, and the truth. */
export function cases() {
  if (!data) {
    throw new Error('set MEMTREE_SHARED to the folder that has data/gui');
  }
  const route = new Map(lines(join(data, 'evaluations/gui-zh.jsonl')).map((c) => [c.case_id, c.scene.route]));
  return lines(join(data, 'gui/judged.jsonl')).map((e) => ({
    id: e.case_id, route: route.get(e.case_id), prompt: e.prompt, first: e.judgment.verdict, truth: e.ground_truth,
  }));
}

/** The tokens of every page, as a browser once read it. */
export function pageWords() {
  const folder = join(data, 'gui/snapshots');
  const texts = readdirSync(folder).filter((f) => f.endsWith('.txt'));
  return new Map(texts.map((f) => [`/${f.slice(0, -4)}`, words(readFileSync(join(folder, f), 'utf8'))]));
}

/** The tokens of a text: each Chinese character, and runs of other letters, with their neighbours. */
export function words(text) {
  const one = text.match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [];
  return new Set(one.map((w, i) => `${one[i - 1] ?? ''} ${w}`));
}
