// Plays scripts with Midscene's player: summary.mjs OUT. Its reports have the summary of its test runner, which is
// written once more alone. The runner of its command line writes a summary of its own; it is not to be had from every
// registry, so writeIndex writes the fields that it has, of what the player found.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { PlaywrightAgent } from '@midscene/web/playwright';
import { ScriptPlayer, parseYamlScript } from '@midscene/core/yaml';
import playwright from 'playwright';

const out = process.argv[2];
const browser = await playwright.chromium.launch({ executablePath: process.env.CHROME, args: ['--no-sandbox'] });

async function play(file, name) {
  const page = await browser.newPage({ viewport: { width: 320, height: 200 } });
  await page.setContent('<h1>购物车</h1><p>商品小计 ¥ 1,999</p><p>总价 ¥ 3,998</p><button>结算</button>');
  const agent = new PlaywrightAgent(page, { autoPrintReportMsg: false, groupName: file });
  const player = new ScriptPlayer(parseYamlScript(readFileSync(file, 'utf8'), file), async () => ({ agent, freeFn: [] }),
    undefined, file);
  const began = Date.now();
  await player.run();
  await page.close();
  if (name) {
    copyFileSync(player.reportFile, `${out}/${name}.html`);
    const dump = readFileSync(player.reportFile, 'utf8').split('<script type="midscene_test_run_dump">').at(-1);
    writeFileSync(`${out}/${name}-run.json`, dump.slice(0, dump.indexOf('</script>')).trim());
  }
  const bad = player.taskStatusList.filter((t) => t.status === 'error');
  const broke = player.status === 'error';
  return { script: `../../${file}`, success: !broke && !bad.length,
    resultType: broke ? 'failed' : bad.length ? 'partialFailed' : 'success',
    error: bad.map((t) => t.error.message).join('; ') || undefined, duration: Date.now() - began };
}

async function writeIndex(name, files, { retry = 0, stop = false, old = false } = {}) {
  const results = [];
  for (const file of files) {
    if (stop && results.some((r) => !r.success)) {
      results.push({ script: `../../${file}`, success: false, resultType: 'notExecuted',
        error: 'Not executed (previous task failed)', duration: 0 });
      continue;
    }
    const attempts = [];
    do attempts.push(await play(file)); while (!attempts.at(-1).success && attempts.length <= retry);
    const { error, duration, ...last } = attempts.at(-1);
    results.push({ ...last, attempts: retry ? attempts.map(({ script, ...a }, i) => ({ attempt: i + 1, ...a })) : undefined,
      error, duration });
  }
  const of = (type) => results.filter((r) => r.resultType === type).length;
  const times = { totalDuration: results.reduce((sum, r) => sum + r.duration, 0), generatedAt: new Date().toLocaleString() };
  const summary = { total: results.length, successful: of('success'), ...(old ? { failed: results.length - of('success') }
    : { failed: of('failed'), partialFailed: of('partialFailed'), notExecuted: of('notExecuted') }), ...times };
  const told = results.map((r) => (old ? { ...r, resultType: undefined } : r));
  writeFileSync(`${out}/${name}.json`, JSON.stringify({ summary, results: told }, null, 2));
}

const scripts = readdirSync('scripts').sort().map((f) => `scripts/${f}`);
for (const file of scripts) await play(file, `script-${file.slice(8, 9)}`);
await writeIndex('summary', scripts, { retry: 1 });
await writeIndex('summary-stopped', scripts, { stop: true });
await writeIndex('summary-old', scripts, { stop: true, old: true });
await browser.close();
