// Walks an application whose pages, elements and ways were counted by hand (testdata/*.json), and compares.
//
//   E2E_BROWSER=/usr/bin/chromium node measure.mjs gui http://127.0.0.1:8940
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { binary, serve } from '../service.mjs';
import { explore } from './explore.mjs';
import { memory } from './memory.mjs';

const acted = /^(?:button|link|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|tab|option|listbox|menuitem)/;

/** Returns how often each thing is in a list: "3 button +" is three. */
function counted(list) {
  const out = new Map();
  for (const one of list) {
    const [, n, what] = /^(?:(\d+) (?=button|link|textbox|combobox|checkbox|radio|switch|slider))?(.*)$/s.exec(one);
    out.set(what, (out.get(what) ?? 0) + Number(n ?? 1));
  }
  return out;
}

/** Returns how many things two counts share, and how many there are in either. */
function compare(want, got, where, differ) {
  let both = 0;
  let all = 0;
  for (const what of new Set([...want.keys(), ...got.keys()])) {
    const [a, b] = [want.get(what) ?? 0, got.get(what) ?? 0];
    both += Math.min(a, b);
    all += Math.max(a, b);
    if (a !== b) differ.push(`${where}: ${what}: ${a} by hand, ${b} on the map`);
  }
  return { both, all };
}

/** Walks an application, and returns the share of its pages, elements and ways that hand count and map have alike. */
export async function measure({ app, starts, pages = 300, login, seen }) {
  const hand = JSON.parse(readFileSync(fileURLToPath(new URL(`testdata/${app}.json`, import.meta.url))));
  const service = await serve();
  const browser = await chromium.launch({ executablePath: process.env.E2E_BROWSER, args: ['--no-sandbox'] });
  let list;
  const show = (...args) => JSON.parse(execFileSync(binary(), ['map', ...args, '--json', '--store', service.store]));
  try {
    const page = await browser.newPage();
    if (login) await login(page);
    const run = await explore({
      page, start: starts, pages, memory: memory({ url: service.url, product: app, run: 'walk' }),
      log: (n, of, url) => process.env.E2E_LOG && console.error(`${n} ${url}`),
    });
    await browser.close();
    if (seen) seen(run);
    list = show('show').filter((p) => !p.status).map((p) => show('show', p.page));
  } finally {
    await browser.close();
    await service.stop();
  }
  const differ = [];
  const have = new Map(list.map((p) => [p.page, p]));
  const out = { pages: compare(counted(Object.keys(hand.pages)), counted(have.keys()), 'pages', differ) };
  const sum = (a, b) => ({ both: (a?.both ?? 0) + b.both, all: (a?.all ?? 0) + b.all });
  for (const [route, want] of Object.entries(hand.pages)) {
    const got = have.get(route);
    if (want.elements) {
      const names = (got?.elements ?? []).filter((e) => acted.test(e.role)).map((e) => `${e.role} ${e.name ?? ''}`.trim());
      out.elements = sum(out.elements, compare(counted(want.elements), counted(names), route, differ));
    }
    if (!want.to) continue;
    const to = (got?.links ?? []).map((l) => l.to).filter((r) => have.has(r));
    out.ways = sum(out.ways, compare(counted(want.to), counted(new Set(to)), `${route} to`, differ));
  }
  return { ...out, differ };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [app, ...starts] = process.argv.slice(2);
  const { differ, ...shares } = await measure({ app, starts });
  for (const d of differ) console.log(d);
  for (const [what, s] of Object.entries(shares)) console.log(`${what}: ${s.both} of ${s.all}, ${(s.both / s.all).toFixed(3)}`);
}
