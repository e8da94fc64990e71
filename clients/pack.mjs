// Packs every package with the version of the product: node pack.mjs FOLDER. If memtree has no version, it is
// 0.0.0.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binary } from './service.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
export const names = ['ts', 'midscene'];

/** The version of `memtree version` in the format of npm. */
export function version(said = product()) {
  return /^v?(\d+\.\d+\.\d+(-[\w.-]+)?)(\+[\w.-]+)?$/.exec(said)?.[1] ?? '0.0.0';
}

function product() {
  return JSON.parse(execFileSync(binary(), ['version', '--json'], { encoding: 'utf8' })).version;
}

/** Packs the named packages into a folder, and returns npm's description of each. */
export function pack(to, only = names, as = version()) {
  return only.map((name) => {
    const copy = mkdtempSync(join(tmpdir(), 'memtree-npm-'));
    try {
      const about = JSON.parse(readFileSync(join(here, name, 'package.json'), 'utf8'));
      cpSync(join(here, name, 'dist'), join(copy, 'dist'), { recursive: true });
      copyFileSync(join(here, name, 'README.md'), join(copy, 'README.md'));
      copyFileSync(join(here, '../LICENSE'), join(copy, 'LICENSE'));
      about.version = as;
      if (about.dependencies?.['@memtree/client']) {
        about.dependencies['@memtree/client'] = as;
      }
      delete about.scripts;
      delete about.devDependencies;
      writeFileSync(join(copy, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
      const out = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to], {
        cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'],
      });
      return { ...JSON.parse(out)[0], path: name };
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const to = process.argv[2] ?? 'dist';
  mkdirSync(to, { recursive: true });
  for (const p of pack(to)) {
    console.log(`${join(to, p.filename)} ${p.size} bytes`);
  }
}
