// Makes Midscene's reports of a page: run.mjs OUT. CHROME is the browser.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { PlaywrightAgent } from '@midscene/web/playwright';
import playwright from 'playwright';

const out = process.argv[2];
mkdirSync(out, { recursive: true });
const browser = await playwright.chromium.launch({ executablePath: process.env.CHROME, args: ['--no-sandbox'] });
const cart = '<h1>购物车</h1><p>商品小计 ¥ 1,999</p><p>总价 ¥ 3,998</p><button>结算</button>';

async function report(name, work) {
  const page = await browser.newPage({ viewport: { width: 320, height: 200 } });
  await page.setContent(cart);
  const agent = new PlaywrightAgent(page, { groupName: name, reportFileName: name, autoPrintReportMsg: false });
  const tell = async (what) => { try { await what(); } catch (e) { console.log(name, String(e).slice(0, 120)); } };
  await work(agent, tell);
  if (name === 'asserts') writeFileSync(`${out}/dump.json`, agent.dumpDataString());
  await agent.destroy();
  copyFileSync(agent.reportFile, `${out}/${name}.html`);
  await page.close();
}

await report('asserts', async (agent, tell) => {
  await tell(() => agent.aiAssert('结算按钮可见'));
  await tell(() => agent.aiAssert('总价等于商品小计之和'));
  await tell(() => agent.aiAssert('The page shows a cart', 'no cart'));
});
await report('query', async (agent, tell) => {
  await tell(() => agent.aiQuery('商品名称, string[]'));
  await tell(() => agent.aiBoolean('Is there a button to check out?'));
});
await report('act', async (agent, tell) => {
  await tell(() => agent.aiAct('点击结算按钮'));
  await tell(() => agent.aiAssert('结算按钮可见'));
});
await report('broken', async (agent, tell) => {
  await tell(() => agent.aiAssert('broken: the model gives no JSON'));
});
await browser.close();
