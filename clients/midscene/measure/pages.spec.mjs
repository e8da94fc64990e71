// Each page with defects, and the same page repaired, observed by the fixture before an assertion.
import { appendFileSync } from 'node:fs';
import { test as base } from '@playwright/test';
import { PlaywrightAiFixture } from '@midscene/web/playwright';
import { remembering } from '@memtree/midscene';
import { cases } from '../e2e/cases.mjs';

const { MEASURE_OUT, MEASURE_BROKEN, MEASURE_REPAIRED, MEASURE_BUDGET } = process.env;
let at; // which case, on which build
const note = (of, what) => appendFileSync(`${MEASURE_OUT}/${of}.jsonl`, `${JSON.stringify({ ...at, ...what })}\n`);
const test = base.extend(PlaywrightAiFixture({ generateReport: false })).extend(remembering({
  product: 'gui-demo', budget: Number(MEASURE_BUDGET) || undefined, record: [],
  onLooked: (looked) => note('looked', looked),
}));

for (const [build, url] of [['broken', MEASURE_BROKEN], ['repaired', MEASURE_REPAIRED]]) {
  for (const c of cases().filter((one) => one.truth.verdict === 'fail')) {
    test(`${c.id} ${build}`, async ({ page, aiAssert, memtree }) => {
      await page.goto(url + c.route);
      at = { id: c.id, build };
      await aiAssert(c.prompt, undefined, { keepRawResponse: true });
      note('told', memtree.warned[0]?.guidance ?? { text: '' });
    });
  }
}
