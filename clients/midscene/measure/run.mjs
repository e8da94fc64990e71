// The number of remembered defects that the fixture can decide on a page, and the time for that: see
// README.md.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Memtree } from '@memtree/client';
import { serve } from '../../service.mjs';
import { app, cases as all } from '../e2e/cases.mjs';
import { serveModel } from '../e2e/model.mjs';
import { servePages } from '../e2e/pages.mjs';
import { table } from './table.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, 'out');
const playwright = join(dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js');
const lines = (name) => readFileSync(join(out, name), 'utf8').trim().split('\n').map((l) => JSON.parse(l));

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
const cases = all().filter((c) => c.truth.verdict === 'fail');
const [broken, repaired, model, service] = await Promise.all([
  servePages(app), servePages(app, (path) => path.replace(/-v2$/, '')), serveModel(), serve(),
]);
const memory = new Memtree({ url: service.url });

/** Records each defect once, as a missed one, and evolves. */
async function remember() {
  await memory.evaluations(cases.map((c) => ({
    id: c.id, case_id: c.id, scene: { route: c.route }, prompt: c.prompt, ground_truth: c.truth,
    judgment: { verdict: 'pass' },
  })));
  await memory.evolve();
}

async function look() {
  const env = {
    ...process.env, MEASURE_OUT: out, MEASURE_BROKEN: broken.url, MEASURE_REPAIRED: repaired.url,
    MEMTREE_URL: service.url,
    MIDSCENE_MODEL_BASE_URL: model.url, MIDSCENE_MODEL_API_KEY: 'none', MIDSCENE_MODEL_NAME: 'scripted',
    MIDSCENE_MODEL_FAMILY: 'qwen2.5-vl', MIDSCENE_RUN_DIR: join(out, 'midscene'),
  };
  const child = spawn(process.execPath, [playwright, 'test', '-c', 'measure/playwright.config.mjs'], {
    cwd: dirname(here), env, stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (b) => { said += b; });
  if (await new Promise((done) => child.on('exit', done)) !== 0) {
    throw new Error(said.slice(-4000));
  }
}

/**
 * Returns the service's result for each check of a page: by the snapshot alone, and with the fixture's
 * answers.
 */
async function decided(run) {
  const c = cases.find((one) => one.id === run.id);
  const snapshot = run.observation?.split('\n').filter((l) => !l.startsWith('- /check ')).join('\n');
  const ask = (observation) => memory.request('post', '/v1/trees/{tree}/checks', {
    body: { prompt: c.prompt, scene: { route: c.route }, scope: { test: run.id }, observation },
  });
  const [alone, both] = [await ask(snapshot), await ask(run.observation)];
  return { ...run, alone: alone.checks ?? [], both: both.checks ?? [] };
}

try {
  await remember();
  await look();
  const told = lines('told.jsonl');
  const runs = [];
  for (const run of lines('looked.jsonl')) {
    const { facts } = told.find((t) => t.id === run.id && t.build === run.build) ?? {};
    runs.push({ ...await decided(run), facts: facts ?? [] });
  }
  const { text, wrong } = table(runs);
  writeFileSync(join(out, 'pages.txt'), text);
  console.log(`\n${text}`);
  wrong.forEach((w) => console.error(`missed: ${w}`));
  process.exitCode = wrong.length > 0 ? 1 : 0;
} finally {
  await service.stop();
  [broken, repaired, model].forEach((s) => s.stop());
}
