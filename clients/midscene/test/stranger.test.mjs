// The steps of the README, line by line, in an empty folder with packed packages, a real service, real
// Midscene and Chromium. Skipped without Chromium.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Memtree } from '@memtree/client';
import { pack } from '../../pack.mjs';
import { serve } from '../../service.mjs';

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** The files of the README, by name. */
function files() {
  return new Map([...readme.matchAll(/`([\w.]+\.ts)`:\n\n```ts\n([^]*?)```/g)].map((m) => [m[1], m[2]]));
}

/** A page with a wrong sum, and a model that accepts it. It stores its requests. */
async function world() {
  const asked = [];
  const server = createServer((q, a) => {
    if (q.method === 'GET') {
      a.setHeader('content-type', 'text/html');
      a.end('<h1>Cart</h1><p>2 × $10 = $20</p><p>Total $30</p>');
      return;
    }
    let body = '';
    q.on('data', (b) => { body += b; });
    q.on('end', () => {
      asked.push(body);
      a.setHeader('content-type', 'application/json');
      const content = '<observation>fine</observation><data-json>{"StatementIsTruthy": true}</data-json>';
      const message = { role: 'assistant', content };
      a.end(JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message }] }));
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { asked, url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** An empty folder with what npm would put there, and the files of the README. */
function folder(url) {
  const dir = mkdtempSync(join(tmpdir(), 'memtree-stranger-'));
  for (const p of pack(dir)) {
    const to = join(dir, 'node_modules', p.name);
    mkdirSync(to, { recursive: true });
    execFileSync('tar', ['xzf', join(dir, p.filename), '-C', to, '--strip-components=1']);
  }
  for (const name of ['@midscene', '@playwright', 'playwright', 'playwright-core']) {
    symlinkSync(join(modules, name), join(dir, 'node_modules', name));
  }
  for (const [name, text] of files()) writeFileSync(join(dir, name), text);
  const use = { baseURL: url, launchOptions: { executablePath: chromium, args: ['--no-sandbox'] } };
  const config = JSON.stringify({ use, reporter: 'json', workers: 1 });
  writeFileSync(join(dir, 'playwright.config.ts'), `export default ${config};`);
  return dir;
}

async function night(dir, env) {
  const cli = join(modules, '@playwright/test/cli.js');
  const child = spawn(process.execPath, [cli, 'test'], { cwd: dir, env: { ...process.env, ...env } });
  let said = '';
  child.stdout.on('data', (b) => { said += b; });
  child.stderr.on('data', (b) => { said += b; });
  const code = await new Promise((done) => child.on('exit', done));
  assert.equal(code, 0, said);
  return said;
}

test('a stranger writes under 15 lines', () => {
  const lines = [...files().values()].join('\n').split('\n').filter((l) => l.trim() !== '');
  assert.equal(files().size, 2);
  assert.ok(lines.length < 15, `${lines.length} lines`);
});

test('and the second night is warned', { skip: !existsSync(chromium) && 'there is no Chromium' }, async () => {
  const [there, service] = await Promise.all([world(), serve()]);
  const dir = folder(there.url);
  try {
    const env = {
      MEMTREE_URL: service.url, MEMTREE_DEADLINE: '5000',
      MIDSCENE_MODEL_BASE_URL: `${there.url}/v1`, MIDSCENE_MODEL_API_KEY: 'none', MIDSCENE_MODEL_NAME: 'scripted', MIDSCENE_MODEL_FAMILY: 'qwen2.5-vl', MIDSCENE_RUN_DIR: join(dir, 'run'),
    };
    await night(dir, env);
    assert.ok(!there.asked.some((b) => b.includes('memory-context')));
    const memory = new Memtree({ url: service.url });
    const evaluation = await waiting(service.url);
    await memory.relabel({
      evaluation, correct: false, direction: 'false_pass', reason: 'The agent did not add up the lines',
    });
    await memory.evolve();
    let said = '';
    for (let n = 0; n < 8 && !said.includes('was given guidance'); n++) {
      said = await night(dir, env); // chance holds some runs out
    }
    assert.match(said, /aiAssert was given guidance/);
    assert.match(there.asked.at(-1), /<CONTEXT>.*memory-context/s); // it reached the model
  } finally {
    await service.stop();
    there.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});

/** The id of the unlabelled verdict on the page of the inbox. */
async function waiting(url) {
  const page = await (await fetch(`${url}/trees/default/inbox`, { headers: { accept: 'text/html' } })).text();
  return /name="evaluation" value="([^"]+)"/.exec(page)[1];
}
