// Tries selectors that the map gives for one build of an application on the next one.
//
//   E2E_BROWSER=/usr/bin/chromium node nextbuild.mjs http://127.0.0.1:8951 http://127.0.0.1:8952 /path...
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../service.mjs';
import { elementsOf, explore } from './explore.mjs';
import { memory } from './memory.mjs';
import { locate } from './try.mjs';

const proven = /^page\.getByRole\('([a-z]+)'(?:, \{ name: '((?:[^'\\]|\\.)*)'(, exact: true)? \})?\)$/;

/** Reports whether a selector of the map works on a page: a press would reach the element, a field takes text. */
async function works(page, found) {
  const m = proven.exec(found.selector);
  if (!m) throw new Error(`the map gave ${found.selector}, which nobody tried`);
  const at = locate(page, { role: m[1], name: (m[2] ?? '').replace(/\\(.)/g, '$1') }, Boolean(m[3]));
  try {
    if (found.do === 'click') await at.click({ trial: true, timeout: 1500 });
    else if (!(await at.isEditable({ timeout: 1500 }))) return false;
    return true;
  } catch {
    return false;
  }
}

/** Walks the first build, asks the map for each element, and tries on the second one what it gives. */
export async function nextBuild({ from, to, paths = ['/'], pages = 100, login, note = () => {} }) {
  const service = await serve();
  const browser = await chromium.launch({ executablePath: process.env.E2E_BROWSER, args: ['--no-sandbox'] });
  const out = { elements: 0, given: 0, worked: 0 };
  try {
    const page = await browser.newPage();
    if (login) await login(page, from);
    const run = await explore({
      page, start: paths.map((p) => from + p), pages, tries: 6, memory: memory({ url: service.url, product: 'app', run: 'one' }),
    });
    const context = await browser.newContext();
    const next = await context.newPage();
    if (login) await login(next, to);
    for (const task of run.tasks.filter((t) => t.state === 'done')) {
      await page.goto(task.text, { waitUntil: 'load' });
      const path = new URL(page.url()).pathname;
      const given = new Map();
      for (const e of elementsOf(await page.locator('body').ariaSnapshot())) {
        if (e.role === 'heading' || e.role === 'option' || e.place) continue;
        out.elements += 1;
        const q = new URLSearchParams({ text: `${e.name} ${e.role}`, page: path, product: 'app', limit: '20' });
        const { found } = await (await fetch(`${service.url}/v1/trees/default/map/find?${q}`)).json();
        const f = (found ?? []).find((x) => x.role === e.role && (x.name ?? '') === e.name && x.do !== 'goto');
        if (f) given.set(f.selector, f);
      }
      await next.goto(to + path, { waitUntil: 'load' });
      await next.waitForTimeout(200);
      for (const f of given.values()) {
        out.given += 1;
        if (await works(next, f)) out.worked += 1;
        else note(`${path}: ${f.selector} (trust ${f.trust})`);
      }
    }
  } finally {
    await browser.close();
    await service.stop();
  }
  return out;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [from, to, ...paths] = process.argv.slice(2);
  const out = await nextBuild({ from, to, ...(paths.length ? { paths } : {}), note: console.log, pages: Number(process.env.E2E_PAGES ?? 100),
    login: process.env.E2E_LOGIN && (async (page, base) => {
      const [path, name, user, key, secret] = process.env.E2E_LOGIN.split(' ');
      await page.goto(base + path);
      await page.fill(`[name=${name}]`, user);
      await page.fill(`[name=${key}]`, secret);
      await page.press(`[name=${key}]`, 'Enter');
      await page.waitForLoadState();
    }) });
  console.log(`${out.elements} elements; the map gave ${out.given} selectors; ${out.worked} work on the next build: ${(out.worked / out.given).toFixed(3)}`);
}
