#!/usr/bin/env node
// Walks the pages of a web application by its links, within a budget of pages, and remembers what it saw. Each page is
// one task of a run: a killed exploration that is started again goes on with the tasks that are left.
//
//   memtree serve --insecure-loopback &
//   node explore.mjs --start http://127.0.0.1:3000/ --run shop-1 --product shop --pages 50
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { memory } from './memory.mjs';
import { attempt } from './try.mjs';

/** The most sightings of one walk, and links that one page adds to the plan. */
const mostSeen = 400;
const mostLinks = 500;

/** A line of an ARIA snapshot that is an element: its role, and its name in quotation marks if it has one. */
const element = /^\s*- (')?(button|link|textbox|searchbox|combobox|listbox|checkbox|radio|switch|slider|spinbutton|tab|option|menuitem|menuitemcheckbox|menuitemradio|treeitem|gridcell|heading|img|columnheader)(?: "((?:[^"\\]|\\.)*)")?(?=$|[ :[']|$)/;

/** Roles that are elements without a name too: one acts on them. */
const acted = /^(?:button|link|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|tab)$/;

/** The most elements of one role and name that are told apart on a page, such as the delete buttons of a table. */
const mostAlike = 20;

/**
 * Returns the elements of an ARIA snapshot. Those of one role and name have a place: the heading above them, with a
 * number from the second one on below one heading.
 */
export function elementsOf(snapshot) {
  const found = [];
  const times = new Map();
  let above = '';
  for (const line of snapshot.split('\n')) {
    const m = element.exec(line);
    if (!m) continue;
    const name = (m[1] ? (m[3] ?? '').replaceAll("''", "'") : m[3] ?? '').replace(/\\(.)/g, '$1').slice(0, 200);
    if (!name && !acted.test(m[2])) continue;
    const key = `${m[2]} ${name}`;
    times.set(key, (times.get(key) ?? 0) + 1);
    found.push({ role: m[2], name, above, key });
    if (m[2] === 'heading') above = name;
  }
  const placed = new Map();
  return found.flatMap(({ role, name, above: heading, key }) => {
    if (times.get(key) === 1) return [{ role, name }];
    const n = (placed.get(`${key} ${heading}`) ?? 0) + 1;
    placed.set(`${key} ${heading}`, n);
    if (n > mostAlike) return [];
    const place = n > 1 ? `${heading} (${n})`.trim() : heading;
    return [place ? { role, name, place } : { role, name }];
  });
}

/** Addresses of files that are no pages. */
const file = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|css|m?js|map|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wav|zip|t?gz|tar|7z|exe|dmg|iso|pdf|csv|ics|rss)$/i;

/** Returns the address of a page without what does not tell pages apart. */
export function pageOf(address) {
  const u = new URL(address);
  return u.origin + u.pathname;
}

/** Explores an application, and returns its run. `page` is a page of Playwright. */
export async function explore({ page, start, pages, memory: mem, tries = 0, log = () => {} }) {
  const starts = [start].flat();
  const origin = new URL(starts[0]).origin;
  const run = await mem.begin(`Explore ${origin}`);
  const known = new Set((run.tasks ?? []).map((t) => t.id));
  let done = 0;
  const path = (address) => new URL(address).pathname;

  /** Returns the updates that add pages to the plan. */
  function plan(addresses) {
    const updates = [];
    for (const address of addresses) {
      const id = path(address);
      if (known.has(id)) continue;
      known.add(id);
      updates.push({ kind: 'task', task: id, text: address, state: 'open', key: `plan ${id}` });
    }
    return updates;
  }

  /**
   * Takes the next page of the plan, as it is now: several explorers may walk on one run, each under a name of its own.
   * The key has the last change of the task, so of two that take it the second one changes nothing. Without a page it
   * waits for those of others, which may find more; it returns none once nothing is left.
   */
  async function next() {
    for (;;) {
      let now;
      try {
        now = await mem.resume();
      } catch (e) {
        if (e.status === 422) return undefined; // another explorer ended it
        throw e;
      }
      for (const t of now.run.tasks ?? []) known.add(t.id);
      done = (now.run.tasks ?? []).filter((t) => t.state === 'done' || t.state === 'failed').length;
      if (done >= pages) return undefined;
      for (const t of now.next) {
        try {
          const did = await mem.update([{ kind: 'task', task: t.id, state: 'doing', key: `take ${t.id} ${t.at}` }]);
          if (did.updates > 0 && !did.taken) return t;
        } catch (e) {
          if (e.status !== 422) throw e; // another explorer has it
        }
        break;
      }
      if (now.next.length === 0 && !(now.taken?.length > 0)) return undefined;
      if (now.next.length === 0) await new Promise((r) => { setTimeout(r, 300); });
    }
  }

  if (known.size === 0) await mem.update(plan(starts.map(pageOf)));
  const faults = [];
  page.on('pageerror', (e) => faults.push(`the page throws: ${e.message}`.slice(0, 300)));
  for (let task = await next(); task; task = await next()) {
    faults.length = 0;
    const began = Date.now();
    const updates = [];
    let state = 'done';
    try {
      const answer = await page.goto(task.text, { waitUntil: 'load', timeout: 20_000 });
      await page.waitForTimeout(150);
      const status = answer?.status() ?? 200;
      if (status >= 400) {
        faults.push(`the page answers ${status}`);
        await mem.walk(done, [{ kind: 'page', url: task.text, status }]);
      } else {
        const { seen, links } = await look(page, origin);
        updates.push(...plan(links.slice(0, mostLinks).map((l) => l.to)));
        if (new URL(page.url()).origin === origin) {
          seen.unshift({ kind: 'action', url: page.url(), do: 'goto', selector: path(task.text), to: page.url(), ms: Date.now() - began });
          for (let n = 0; n < tries; n += 1) { // each on the page as it is loaded anew
            if (n > 0) await page.reload({ waitUntil: 'load', timeout: 20_000 });
            seen.push(...await attempt(page, seen.filter((s) => s.kind === 'element'), new Map(links.map((l) => [l.name, l.to]))));
          }
          for (let from = 0; from < seen.length; from += mostSeen) await mem.walk(done, seen.slice(from, from + mostSeen));
        }
      }
      updates.push({ kind: 'visit', page: task.text, key: `visit ${task.id}` });
    } catch (e) {
      if (e.status) throw e; // of the service
      state = 'failed';
      if (/Download is starting/.test(e.message)) await mem.walk(done, [{ kind: 'page', url: task.text, status: 415 }]); // a file is no page
      updates.push({ kind: 'error', page: task.text, text: String(e.message ?? e).slice(0, 500), key: `error ${task.id}` });
    }
    for (const fault of new Set(faults)) {
      updates.push({ kind: 'finding', page: task.text, state: 'medium', text: fault, key: `${fault} ${task.id}`.slice(0, 200) });
    }
    await mem.update([...updates, { kind: 'task', task: task.id, state }]);
    log(done + 1, pages, task.text);
  }
  const at = await mem.run();
  const left = (at.tasks ?? []).filter((t) => t.state === 'open' || t.state === 'doing').length;
  if (at.state === 'open' && !(at.tasks ?? []).some((t) => t.state === 'doing')) {
    await mem.update([{
      kind: 'end', key: 'end', state: left > 0 ? 'partial' : 'success',
      text: left > 0 ? `The budget of ${pages} pages is used; ${left} pages are left.` : 'Every page that a link leads to was seen.',
    }]);
  }
  return mem.run();
}

/** Returns what is on a page, and its links to pages of the same application. */
async function look(page, origin) {
  const url = page.url();
  const seen = [{ kind: 'page', url, title: await page.title() }];
  for (const e of elementsOf(await page.locator('body').ariaSnapshot())) seen.push({ kind: 'element', url, ...e });
  const all = await page.locator('a[href]').evaluateAll((list) => list.map((a) => ({
    to: a.href, name: (a.getAttribute('aria-label') || a.innerText || '').trim().replace(/\s+/g, ' ').slice(0, 120),
  })));
  const links = new Map();
  for (const l of all) {
    let to;
    try { to = new URL(l.to); } catch { continue; }
    if (to.origin !== origin || !/^https?:$/.test(to.protocol) || file.test(to.pathname)) continue;
    if (!links.has(to.pathname)) links.set(to.pathname, { to: to.origin + to.pathname, name: l.name });
  }
  for (const l of links.values()) seen.push({ kind: 'link', url, to: l.to, name: l.name });
  return { seen, links: [...links.values()] };
}

/** Prints a run for people. */
export function report(run) {
  const count = (state) => (run.tasks ?? []).filter((t) => t.state === state).length;
  const notes = (kind) => (run.notes ?? []).filter((n) => n.kind === kind);
  return [
    `${run.goal}: ${run.state}. ${run.why ?? ''}`,
    `Pages: ${count('done')} seen, ${count('failed')} failed, ${count('open') + count('doing')} left.`,
    ...notes('finding').map((n) => `- ${n.text} (${n.page})`), ...notes('error').map((n) => `- ${n.text} (${n.page})`),
  ].join('\n');
}

const usage = `Usage: explore --start ADDRESS --run ID [flags]
  --start ADDRESS   where the walk begins; may be given again
  --run ID          the run that it is; one that is there is gone on with
  --product NAME    the product under test
  --pages N         the most pages (default 50)
  --try N           try the elements of each page N times (default 0)
  --memtree URL     the service (or MEMTREE_URL; default http://127.0.0.1:7788)
  --tree NAME       its tree (default default)
  --by NAME         name of the explorer (default explorer)
  --browser PATH    a Chromium; left out: the one that Playwright installed`;

/** Returns what the command line asks for; anything that cannot be used ends the process with the usage. */
function options() {
  try {
    const { values: o } = parseArgs({ options: {
      start: { type: 'string', multiple: true }, run: { type: 'string' }, product: { type: 'string' }, pages: { type: 'string', default: '50' },
      memtree: { type: 'string', default: process.env.MEMTREE_URL ?? 'http://127.0.0.1:7788' }, by: { type: 'string', default: 'explorer' },
      tree: { type: 'string', default: 'default' }, browser: { type: 'string' },
      try: { type: 'string', default: '0' }, help: { type: 'boolean', short: 'h' },
    } });
    if (o.help) {
      console.log(usage);
      process.exit(0);
    }
    if (!o.start || !o.run) throw new Error('give --start and --run');
    if (!(Number(o.pages) > 0)) throw new Error(`--pages is ${o.pages}; use a number above 0`);
    return o;
  } catch (e) {
    console.error(`explore: ${e.message.split('. ')[0]}\n${usage}`);
    process.exit(2);
  }
}

async function main() {
  const o = options();
  const pages = Number(o.pages);
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: o.browser, args: ['--no-sandbox'] });
  try {
    const mem = memory({ url: o.memtree, tree: o.tree, token: process.env.MEMTREE_TOKEN, product: o.product, run: o.run, by: o.by });
    const run = await explore({
      page: await browser.newPage(), start: o.start, pages, memory: mem, tries: Number(o.try) || 0,
      log: (n, of, url) => console.error(`${n}/${of} ${url}`),
    });
    console.log(report(run));
  } finally {
    await browser.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((e) => {
    console.error(`explore: ${e.message}`);
    process.exit(1);
  });
}
