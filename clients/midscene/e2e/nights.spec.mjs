// One night: each case of the benchmark, as a user of Midscene and memtree would write it.
import { appendFileSync } from 'node:fs';
import { test as base } from '@playwright/test';
import { PlaywrightAiFixture } from '@midscene/web/playwright';
import { remembering } from '@memtree/midscene';
import { cases } from './cases.mjs';

const { E2E_MEMORY, E2E_JUDGE, E2E_FROZEN, E2E_OUT, E2E_NIGHT } = process.env;
const midscene = base.extend(PlaywrightAiFixture({ cache: { strategy: 'read-write' }, generateReport: false }));
const test = E2E_MEMORY === 'off' ? midscene : midscene.extend(remembering({
  product: 'gui-demo', deadline: 5000, budget: 3000, frozen: E2E_FROZEN || undefined, asked: `${E2E_OUT}/asked.jsonl`,
  onJudged: (e) => note('judged', e), onLooked: ({ made, decided, ms }) => note('looked', { made, decided, ms }),
  onWarned: ({ api, prompt, guidance }) => note('told', { api, prompt, ...guidance }),
}));
const note = (of, what) => appendFileSync(`${E2E_OUT}/${of}-${E2E_NIGHT}.jsonl`, `${JSON.stringify(what)}\n`);

for (const c of cases()) {
  test(c.id, async ({ page, aiAct, aiAssert }) => {
    await page.goto(c.route);
    await aiAct(`看完整个页面，为这项检测做准备：${c.prompt}`);
    if (E2E_JUDGE !== 'off') {
      await aiAssert(c.prompt, undefined, { domIncluded: true, keepRawResponse: true });
      await page.screenshot({ path: `${E2E_OUT}/screens/${E2E_NIGHT}/${c.id}.png`, fullPage: true });
    }
  });
}
