// Explores the pages of a memtree service, kills the exploration twice, and lets it go on: no page counts twice, none is
// left out, and what was seen is found again. Then tries selectors, and runs a test that the map writes of them.
//
//   E2E_BROWSER=/usr/bin/chromium node e2e.mjs
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binary, serve } from '../service.mjs';

const fixtures = process.env.E2E_RUNS ?? fileURLToPath(new URL('../../cmd/memtree/rooms.jsonl', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'memtree-explored-'));
for (const args of [['init'], ['record', fixtures], ['evolve']]) {
  execFileSync(binary(), [...args, '--quiet', '--store', dir], { stdio: 'ignore' });
}
const application = await serve({ store: dir });
const service = await serve();

/** Runs the explorer; it is killed after so many pages, unless that is 0. */
function explore(killAfter, { pages = 60, run = 'walk', tries = 0, by = 'explorer' } = {}) {
  const args = [fileURLToPath(new URL('explore.mjs', import.meta.url)), '--start', `${application.url}/trees/default/overview`,
    '--run', run, '--product', 'memtree', '--memtree', service.url, '--pages', String(pages), '--try', String(tries), '--by', by];
  if (process.env.E2E_BROWSER) args.push('--browser', process.env.E2E_BROWSER);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (b) => { out += b; });
  child.stderr.on('data', (b) => {
    err += b;
    if (killAfter && err.trim().split('\n').length >= killAfter) child.kill('SIGKILL');
  });
  return new Promise((done) => child.on('exit', (code, signal) => done({ out, err, code, signal })));
}

const get = async (path) => (await fetch(`${service.url}/v1/trees/default/${path}`)).json();

try {
  for (const after of [4, 3]) {
    const cut = await explore(after);
    assert.equal(cut.signal, 'SIGKILL', cut.err + cut.out);
    const { run, next } = await get('runs/walk/resume');
    console.log(`killed: ${(run.visited ?? []).length} pages seen, ${next.length} left`);
  }
  const last = await explore(0);
  assert.equal(last.code, 0, last.err);
  console.log(last.out.trim());
  const run = await get('runs/walk');
  const visits = run.visited ?? [];
  const done = run.tasks.filter((t) => t.state === 'done').length;
  assert.ok(done >= 12, `${done} pages`);
  assert.equal(visits.reduce((n, v) => n + v.times, 0), done, 'no page counts twice'); // addresses of one kind are one page
  assert.equal(new Set(run.tasks.map((t) => t.id)).size, run.tasks.length, 'no page is planned twice');
  const { found } = await get(`map/find?text=${encodeURIComponent('the link to the inbox')}&all=true&product=memtree`);
  assert.match(found[0].name, /Inbox/);
  console.log(`found again: ${found[0].selector}`);

  const two = await Promise.all(['first', 'second'].map((by) => explore(0, { run: 'both', by })));
  for (const one of two) assert.equal(one.code, 0, one.err);
  const both = await get('runs/both');
  assert.equal((both.visited ?? []).reduce((n, v) => n + v.times, 0), done, 'of two explorers on one run none sees a page of the other');
  assert.equal(both.state, 'success');
  const shares = two.map((one) => one.err.trim().split('\n').length);
  console.log(`two explorers on one run: ${shares.join(' and ')} pages`);

  const proved = await explore(0, { pages: 8, run: 'proof', tries: 6 });
  assert.equal(proved.code, 0, proved.err);
  const map = (...args) => execFileSync(binary(), ['map', ...args, '--product', 'memtree', '--store', service.store], { encoding: 'utf8' });
  const start = '/trees/default/overview';
  const tests = JSON.parse(map('show', '--json')).filter((p) => p.page !== start && !p.status)
    .flatMap((p) => { try { return [JSON.parse(map('test', start, p.page, '--json'))]; } catch { return []; } });
  const best = tests.filter((t) => t.proven === t.steps.length).sort((a, b) => b.steps.length - a.steps.length)[0];
  assert.ok(best?.steps.length >= 2, 'a way of two steps or more by selectors that have proved themselves');
  console.log(best.code.trim());
  const dir = mkdtempSync(fileURLToPath(new URL('.written-', import.meta.url)));
  try {
    writeFileSync(join(dir, 'way.spec.mjs'), best.code);
    writeFileSync(join(dir, 'playwright.config.mjs'), `export default { testDir: '.', reporter: 'list', use: { baseURL: ${JSON.stringify(application.url)},
      launchOptions: { executablePath: ${JSON.stringify(process.env.E2E_BROWSER)}, args: ['--no-sandbox'] } } };`);
    const cli = fileURLToPath(new URL('node_modules/@playwright/test/cli.js', import.meta.url));
    console.log(execFileSync(process.execPath, [cli, 'test', '--config', join(dir, 'playwright.config.mjs')], { encoding: 'utf8' }).trim());
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
} finally {
  await service.stop();
  await application.stop();
  rmSync(dir, { recursive: true, force: true });
}
