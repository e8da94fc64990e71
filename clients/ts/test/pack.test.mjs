// The package as npm makes it, in a folder that does not refer to this one.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pack, version } from '../../pack.mjs';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const program = `
import { Memtree, MemtreeError, type Guidance } from '@memtree/client';
const memory = new Memtree({ url: 'http://127.0.0.1:9', fetch: async () => { throw new Error('no'); } });
export function neverCalled() {
  // @ts-expect-error: a question needs a prompt
  void memory.guidance({});
  // @ts-expect-error: there is no such route
  void memory.request('get', '/v1/nothing');
}
export async function main(): Promise<string> {
  const g: Guidance = await memory.guidance({ prompt: 'x', scope: { product: 'shop' } });
  const asked = memory.request('get', '/v1/trees/{tree}/nodes', { query: { limit: '1' } });
  const nodes = await asked.catch((e: MemtreeError) => e.code);
  const run = memory.wrapRunCase(async (t: { prompt: string; page: number }) => ({ judgment: t.page, extra: 'kept' }));
  const r = await run({ prompt: 'x', page: 1 });
  const extra: string = r.extra;
  return g.text + extra + (typeof nodes === 'string');
}
`;

test('npm pack makes a package that both module systems and their types take', () => {
  const dir = mkdtempSync(join(tmpdir(), 'memtree-pack-'));
  try {
    const [packed] = pack(dir, ['ts'], '1.2.3');
    assert.equal(packed.filename, 'memtree-client-1.2.3.tgz');
    for (const file of packed.files) {
      assert.match(file.path, /^(dist\/.*|README\.md|LICENSE|package\.json)$/);
    }
    const at = join(dir, 'node_modules/@memtree/client');
    mkdirSync(at, { recursive: true });
    execFileSync('tar', ['xzf', join(dir, packed.filename), '-C', at, '--strip-components=1']);
    writeFileSync(join(dir, 'main.mts'), program);
    writeFileSync(join(dir, 'main.cts'), program);
    const options = { strict: true, target: 'es2022', lib: ['es2022'], types: [], module: 'node16' };
    const config = { compilerOptions: options, files: ['main.mts', 'main.cts'] };
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config));
    execFileSync(process.execPath, [tsc], { cwd: dir, stdio: 'inherit' });
    const esm = 'import("./main.mjs").then((m) => m.main()).then(console.log)';
    const cjs = 'require("./main.cjs").main().then(console.log)';
    for (const code of [esm, cjs]) {
      assert.equal(execFileSync(process.execPath, ['-e', code], { cwd: dir, encoding: 'utf8' }), 'kepttrue\n');
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test('versions are those of the product', () => {
  assert.equal(version('v1.4.0'), '1.4.0');
  assert.equal(version('v0.9.1-0.20260102030405-abcdef012345+dirty'), '0.9.1-0.20260102030405-abcdef012345');
  assert.equal(version('(devel)'), '0.0.0');
});
