// The client in a page, behind a proxy that gives page and service one origin. Skipped where there is no Chromium.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { test } from 'node:test';
import { chromium } from '@playwright/test';
import { serve } from '../../service.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const dist = new URL('../dist/esm/', import.meta.url);

/** Serves an empty page and the client, and hands everything under /v1 to the service. */
async function proxy(service) {
  const server = createServer((q, a) => {
    if (q.url.startsWith('/v1/')) {
      const on = request(service + q.url, { method: q.method, headers: q.headers }, (answer) => {
        a.writeHead(answer.statusCode, answer.headers);
        answer.pipe(a);
      });
      q.pipe(on);
      return;
    }
    const file = /^\/dist\/(\w+\.js)$/.exec(q.url)?.[1];
    a.setHeader('content-type', file ? 'text/javascript' : 'text/html');
    a.end(file ? readFileSync(new URL(file, dist)) : '<!doctype html><title>page</title>');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => { server.close(); server.closeAllConnections(); },
  };
}

test('a page asks, records and flushes', { skip: !existsSync(executablePath) && 'there is no Chromium' }, async () => {
  const service = await serve();
  const site = await proxy(service.url);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
    const said = await page.evaluate(async () => {
      const { Memtree } = await import('/dist/index.js');
      const errors = [];
      const memory = new Memtree({ url: location.origin, deadline: 5000, onError: (e) => errors.push(e.message) });
      const g = await memory.guidance({ prompt: 'Check the order total' });
      const id = memory.record({ prompt: 'Check the order total', judgment: { verdict: 'pass' }, trial: g.trial });
      const left = await memory.flush(5000);
      const nowhere = new Memtree({ url: 'http://127.0.0.1:9' });
      return { abstained: g.abstained, id, left, errors, none: (await nowhere.guidance({ prompt: 'x' })).text };
    });
    assert.deepEqual({ ...said, id: '' }, { abstained: true, id: '', left: 0, errors: [], none: '' });
    assert.match(said.id, /^ev_/);
  } finally {
    await browser.close();
    site.stop();
    await service.stop();
  }
});
