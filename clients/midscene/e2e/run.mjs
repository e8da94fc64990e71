// Two nights of the GUI benchmark with memory, and the number of Midscene's plans that are reused: see
// README.md.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Memtree } from '@memtree/client';
import { binary, serve } from '../../service.mjs';
import { app, cases } from './cases.mjs';
import { serveModel } from './model.mjs';
import { servePages } from './pages.mjs';
import { table } from './table.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, 'out');
const playwright = join(dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js');

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
const all = cases();
const pages = await servePages(app);
const model = await serveModel();
const service = await serve();
const memory = new Memtree({ url: service.url });

/** Runs one night. Its plans are cached in the folder of that name. */
async function night(name, plans, more = {}) {
  model.night = name;
  const began = Date.now();
  const env = {
    ...process.env, E2E_PAGES: pages.url, E2E_OUT: out, E2E_NIGHT: name, MEMTREE_URL: service.url,
    MIDSCENE_MODEL_BASE_URL: model.url, MIDSCENE_MODEL_API_KEY: 'none', MIDSCENE_MODEL_NAME: 'scripted',
    MIDSCENE_MODEL_FAMILY: 'qwen2.5-vl', MIDSCENE_RUN_DIR: join(out, plans), ...more,
  };
  const child = spawn(process.execPath, [playwright, 'test', '-c', 'e2e/playwright.config.mjs'], {
    cwd: dirname(here), env, stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (b) => { said += b; });
  const code = await new Promise((done) => child.on('exit', done));
  if (code !== 0) {
    throw new Error(`night ${name} failed:\n${said.slice(-4000)}`);
  }
  const planned = new Set(model.plans.filter((p) => p.night === name).map((p) => p.id)).size;
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`${name}: ${all.length} cases, ${all.length - planned} plans found again, ${seconds} s`);
  return { name, hits: all.length - planned, of: all.length };
}

/** Returns the notes of a night, by kind; nothing if there are none. */
function noted(what, name) {
  const path = join(out, `${what}-${name}.jsonl`);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map((l) => JSON.parse(l)) : [];
}

/** Returns all guidance of a night, for people to read. */
function aloud(name) {
  const told = new Map(noted('told', name).map((t) => [t.prompt, t.text]));
  return all.filter((c) => told.has(c.prompt)).map((c) => [
    `${c.id} ${c.route}: first said ${c.first}, true is ${c.truth.verdict}`, c.prompt, ...c.truth.defect_details,
    told.get(c.prompt), '',
  ].join('\n')).join('\n');
}

/** Labels each verdict with its truth, like a person in the morning. */
async function label(name) {
  const judged = noted('judged', name);
  for (const e of judged) {
    const c = all.find((one) => one.prompt === e.prompt);
    await memory.relabel({ evaluation: e.id, groundTruth: c.truth, by: 'a tester' });
  }
  return judged.length;
}

function freeze(to) {
  execFileSync(binary(), ['freeze', join(out, 'asked.jsonl'), '--quiet', '--out', to, '--store', service.store]);
  return JSON.parse(readFileSync(to, 'utf8')).guidance.map((g) => g.text);
}

const trials = async () => (await memory.request('get', '/v1/trees/{tree}/stats')).trials;

try {
  const quiet = { E2E_JUDGE: 'off' };
  const without = [
    await night('without-1', 'plans-without', { ...quiet, E2E_MEMORY: 'off' }),
    await night('without-2', 'plans-without', { ...quiet, E2E_MEMORY: 'off' }),
  ];
  const withMemory = [await night('night-1', 'plans-with')];
  const labelled = await label('night-1');
  await memory.evolve();
  const before = await trials();
  withMemory.push(await night('night-2', 'plans-with'));
  const after = await trials();
  const first = freeze(join(out, 'release.json'));
  const released = { ...quiet, E2E_FROZEN: join(out, 'release.json') };
  withMemory.push(await night('release-1', 'plans-with', released), await night('release-2', 'plans-with', released));
  await label('night-2');
  await memory.evolve();
  const later = freeze(join(out, 'later.json'));
  const held = after.found - before.found - (after.guided - before.guided);
  const changed = first.filter((text, i) => text !== later[i]).length;
  const result = {
    cases: all, answers: model.answers, labelled, held, without, withMemory, frozen: first, changed,
    told: noted('told', 'night-2'), looked: [...noted('looked', 'night-1'), ...noted('looked', 'night-2')],
  };
  const { text, wrong } = table(result);
  writeFileSync(join(out, 'nights.txt'), text);
  writeFileSync(join(out, 'told.txt'), aloud('night-2'));
  console.log(`\n${text}\nAll that was told: ${join(out, 'told.txt')}\nScreenshots: ${join(out, 'screens')}`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
  for (const w of wrong) {
    console.error(`missed: ${w}`);
  }
} finally {
  await service.stop();
  model.stop();
  pages.stop();
  if (!existsSync(join(out, 'nights.txt'))) {
    process.exitCode = 1;
  }
}
