// The types of Midscene's own agent and fixtures fit ours.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const program = `
import { test as base, type Page } from '@playwright/test';
import { PlaywrightAgent, PlaywrightAiFixture, type PlayWrightAiFixtureType } from '@midscene/web/playwright';
import { Memtree } from '@memtree/client';
import { remember, remembering, type Remembering } from '@memtree/midscene';

export const test = base.extend<PlayWrightAiFixtureType>(PlaywrightAiFixture())
  .extend<Remembering>(remembering({ product: 'shop' }));
test('cart', async ({ page, aiAssert, memtree }) => {
  await page.goto('/cart');
  await aiAssert('The total is right', undefined, { domIncluded: true });
  memtree.told({ ground_truth: { verdict: 'fail' } });
  const texts: string[] = memtree.warned.map((w) => w.guidance.text);
  console.log(texts);
});
export function wrapped(page: Page): PlaywrightAgent {
  return remember(new PlaywrightAgent(page), { memory: new Memtree({ url: 'http://x' }), page });
}
`;

test('Midscene\'s types', () => {
  const dir = mkdtempSync(join(here, 'types-'));
  try {
    writeFileSync(join(dir, 'main.ts'), program);
    const options = { strict: true, noEmit: true, skipLibCheck: true, target: 'es2022', module: 'es2022',
      moduleResolution: 'bundler', types: ['node'] };
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['main.ts'] }));
    execFileSync(process.execPath, [tsc], { cwd: dir, stdio: 'inherit' });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
