// Builds the package of the working folder: ESM and CommonJS, each with its types, in dist.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const forms = {
  esm: { type: 'module', flags: ['--module', 'es2022', '--moduleResolution', 'bundler'] },
  cjs: { type: 'commonjs', flags: ['--module', 'commonjs', '--moduleResolution', 'node10'] },
};

rmSync('dist', { recursive: true, force: true });
for (const [name, form] of Object.entries(forms)) {
  const out = ['--noEmit', 'false', '--outDir', `dist/${name}`, '--rootDir', 'src'];
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.json', ...out, ...form.flags], { stdio: 'inherit' });
  mkdirSync(`dist/${name}`, { recursive: true });
  writeFileSync(`dist/${name}/package.json`, `{"type":"${form.type}"}\n`);
}
