// The steps of the README, line by line, in an empty folder with the packed package and a real service.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { pack } from '../../pack.mjs';
import { serve } from '../../service.mjs';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const [, name, lines] = /`([\w.]+\.mjs)`;[^\n]*\n\n```js\n([^]*?)```/.exec(readme);

/** An agent that is wrong, and notes its prompts. */
const agent = `import { appendFileSync } from 'node:fs';
export async function judge(prompt) { appendFileSync('asked', prompt); return { verdict: 'pass' }; }`;

test('a stranger writes under 15 lines', () => {
  const written = lines.split('\n').filter((l) => l.trim() !== '');
  assert.ok(written.length > 0 && written.length < 15, `${written.length} lines`);
});

test('and the second run is warned', async () => {
  const service = await serve();
  const dir = mkdtempSync(join(tmpdir(), 'memtree-stranger-'));
  const once = async () => {
    const env = { ...process.env, MEMTREE_URL: service.url };
    return (await promisify(execFile)(process.execPath, [name], { cwd: dir, env })).stdout;
  };
  try {
    const [packed] = pack(dir, ['ts']);
    const at = join(dir, 'node_modules/@memtree/client');
    mkdirSync(at, { recursive: true });
    execFileSync('tar', ['xzf', join(dir, packed.filename), '-C', at, '--strip-components=1']);
    writeFileSync(join(dir, name), lines);
    writeFileSync(join(dir, 'agent.mjs'), agent);
    assert.equal(await once(), 'not warned\n');
    let said = '';
    for (let n = 0; n < 12 && !said.includes('<memory-context>'); n++) {
      said = await once(); // chance holds some runs out
    }
    assert.match(said, /<memory-context>/);
    assert.ok(readFileSync(join(dir, 'asked'), 'utf8').includes(said.trim()), 'it reached the agent');
  } finally {
    await service.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});
