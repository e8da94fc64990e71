// Starts a real memtree service for tests. MEMTREE_BIN names a build of it; without it, it is built from the
// source beside.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
let built;

/** Returns the path of the binary. */
export function binary() {
  if (process.env.MEMTREE_BIN) {
    return process.env.MEMTREE_BIN;
  }
  if (!built) {
    const dir = mkdtempSync(join(tmpdir(), 'memtree-bin-'));
    process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
    execFileSync('go', ['build', '-o', join(dir, 'memtree'), './cmd/memtree'], {
      cwd: root, stdio: 'inherit', env: { ...process.env, CGO_ENABLED: '0' },
    });
    built = join(dir, 'memtree');
  }
  return built;
}

/** Starts a service on a store of its own. */
export async function serve({ store, flags = [], open = true } = {}) {
  const dir = store ?? mkdtempSync(join(tmpdir(), 'memtree-store-'));
  if (!store) {
    execFileSync(binary(), ['init', '--quiet', '--store', dir]);
  }
  const who = open ? ['--insecure-loopback'] : [];
  const args = ['serve', ...who, '--listen', '127.0.0.1:0', '--lang', 'en', '--store', dir, ...flags];
  const env = { ...process.env, MEMTREE_LLM: '' };
  const child = spawn(binary(), args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  let said = '';
  const url = await new Promise((done, failed) => {
    child.stderr.on('data', (b) => {
      said += b;
      const at = /Listening on (http:\/\/[\d.:]+)/.exec(said);
      if (at) done(at[1]);
    });
    child.on('exit', (code) => failed(new Error(`memtree serve ended with ${code}: ${said}`)));
  });
  const gone = new Promise((done) => child.on('exit', done));
  return {
    url, store: dir, log: () => said,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await gone;
      if (!store) rmSync(dir, { recursive: true, force: true });
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
  };
}
