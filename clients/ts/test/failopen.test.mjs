// A service that is killed, hangs or returns garbage never harms a run.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Memtree } from '@memtree/client';
import { serve } from '../../service.mjs';

const quantile = (ms, q) => ms.toSorted((a, b) => a - b)[Math.ceil(ms.length * q) - 1];
const p99 = (ms) => quantile(ms, 0.99);

async function timed(ms, call) {
  const began = performance.now();
  const out = await call();
  ms.push(performance.now() - began);
  return out;
}

/** A test server whose answers the function returns. */
async function fake(answer) {
  const server = createServer(answer);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }),
  };
}

/** 500 runs beside a service that hangs, comes back, and is killed in the middle of calls. */
async function killedBesideRuns() {
  const service = await serve();
  const heard = [];
  const added = [];
  const client = () => new Memtree({ url: service.url, onError: (e) => heard.push(e.code) });
  const one = async (memory, n) => {
    const run = memory.wrapRunCase(async (c) => ({ judgment: { verdict: 'pass' }, got: c.prompt }), { risk: true });
    const r = await timed(added, () => run({ id: `c${n}`, prompt: `Check page ${n}` }));
    assert.equal(r.got, `Check page ${n}`);
  };
  const many = (memory, n) => Promise.all(Array.from({ length: n }, (_, i) => one(memory, i)));
  const memory = client();
  for (let n = 0; n < 150; n++) await one(memory, n);
  service.pause(); // it takes connections and does not answer
  await many(memory, 20);
  service.resume();
  const other = client();
  const stuck = many(other, 20);
  await service.stop('SIGKILL');
  await stuck;
  for (let n = 0; n < 310; n++) await one(other, n);
  assert.ok(heard.includes('late') && heard.includes('open'));
  assert.ok(other.records.waiting > 300);
  return added;
}

test('a service killed in the middle of calls harms no run, and adds at most 210 ms (p99)', async (t) => {
  let added;
  for (let tries = 0; tries < 3; tries++) { // a busy machine is late by itself
    added = await killedBesideRuns();
    const [middle, worst] = [quantile(added, 0.5).toFixed(1), p99(added).toFixed(1)];
    t.diagnostic(`added to ${added.length} runs: p50 ${middle} ms, p99 ${worst} ms`);
    if (p99(added) <= 210) return;
  }
  assert.fail(`p99 is ${p99(added)} ms`);
});

test('a service that hangs costs three deadlines, and then nothing', async (t) => {
  const server = await fake(() => {});
  const memory = new Memtree({ url: server.url });
  const ms = [];
  for (let n = 0; n < 200; n++) {
    assert.equal((await timed(ms, () => memory.guidance({ prompt: 'x' }))).text, '');
  }
  await server.stop();
  const slow = ms.filter((m) => m > 20).length;
  t.diagnostic(`${slow} of 200 calls waited, the longest ${Math.max(...ms).toFixed(1)} ms`);
  assert.ok(slow <= 4 && Math.max(...ms) <= 260);
});

test('what was recorded while the service was away arrives when it is back', async () => {
  let up = false;
  const got = [];
  const server = await fake((q, a) => {
    let body = '';
    q.on('data', (b) => { body += b; });
    q.on('end', () => {
      if (!up) {
        a.writeHead(503, { 'retry-after': '0', 'content-type': 'application/problem+json' });
        a.end('{"type":"urn:memtree:busy","title":"","status":503,"detail":"busy"}');
        return;
      }
      got.push(...JSON.parse(body));
      a.writeHead(202, { 'content-type': 'application/json' });
      a.end('{"accepted":1,"duplicate":0,"receipts":[]}');
    });
  });
  const memory = new Memtree({ url: server.url });
  for (let n = 0; n < 250; n++) memory.record({ id: `r${n}`, prompt: 'x', judgment: n });
  assert.equal(await memory.flush(100), 250);
  up = true;
  assert.equal(await memory.flush(5000), 0);
  assert.deepEqual(got.map((e) => e.id), Array.from({ length: 250 }, (_, n) => `r${n}`));
  await server.stop();
});

test('records wait in a bounded queue', async () => {
  const heard = [];
  const memory = new Memtree({ url: 'http://127.0.0.1:9', queue: 10, onError: (e) => heard.push(e.code) });
  for (let n = 0; n < 15; n++) memory.record({ prompt: 'x', judgment: n });
  const loop = {};
  loop.self = loop;
  memory.record({ prompt: 'x', judgment: loop });
  memory.record({ prompt: 'x', judgment: 10n });
  assert.deepEqual(memory.records, { waiting: 10, dropped: 7 });
  assert.equal(heard.filter((c) => c === 'queue-full').length, 5);
  assert.equal(await memory.flush(300), 10);
});

test('what is no run is dropped, with the reason', async () => {
  const heard = [];
  const memory = new Memtree({ url: 'http://127.0.0.1:9', onError: (e) => heard.push(e) });
  const bad = { get id() { throw new Error('a getter'); } };
  for (const run of [null, undefined, 5, 'x', [], bad]) {
    assert.match(memory.record(run), /^ev/);
  }
  assert.deepEqual(memory.records, { waiting: 0, dropped: 6 });
  assert.deepEqual(heard.map((e) => e.code), Array(6).fill('input'));
  const run = memory.wrapRunCase(async () => undefined);
  assert.equal((await run({ prompt: 'x' })).trial, '');
});

test('what is longer than the service takes is named as such, and holds no other record up', async () => {
  const got = [];
  const server = await fake((q, a) => {
    let body = '';
    q.on('data', (b) => { body += b; });
    q.on('end', () => {
      got.push(...JSON.parse(body).map((e) => e.id));
      a.end('{"accepted":1,"duplicate":0,"receipts":[]}');
    });
  });
  const heard = [];
  const memory = new Memtree({ url: server.url, onError: (e) => heard.push(e) });
  for (const [id, text] of [['a', 'x'.repeat(16 << 20)], ['b', '检'.repeat(6 << 20)], ['c', '检'.repeat(5 << 20)],
    ['d', 'x']]) {
    memory.record({ id, prompt: text, judgment: 1 });
  }
  assert.equal(await memory.flush(9000), 0);
  assert.deepEqual(got, ['c', 'd']);
  assert.deepEqual(heard.map((e) => [e.code, e.status]), [['too-large', 413], ['too-large', 413]]);
  assert.match(heard[0].message, /the run a has \d+ bytes, and memtree takes 16777214 at most/);
  const long = { prompt: 'x'.repeat(4 << 20) };
  assert.match((await memory.guidance(long)).note, /4194304/);
  await assert.rejects(memory.relabel(long), (e) => e.code === 'too-large' && e.status === 413);
  await server.stop();
});

for (const [name, answer] of Object.entries({
  'a page in place of JSON': (_, a) => a.end('<html>Sign in</html>'),
  'JSON that is no guidance': (_, a) => a.end('{"text":7}'),
  'a body that never ends': (_, a) => a.write('{"text":"'),
  'a connection that breaks': (_, a) => a.destroy(),
  'an error without a body': (_, a) => { a.statusCode = 500; a.end(); },
  'null': (_, a) => a.end('null'),
})) {
  test(`${name} is no guidance, and no checks`, async () => {
    const server = await fake(answer);
    const heard = [];
    const memory = new Memtree({ url: server.url, onError: (e) => { heard.push(e); throw new Error('a bad hook'); } });
    const g = await memory.guidance({ prompt: 'x' });
    assert.equal(g.text, '');
    assert.match(g.note, /memtree/);
    assert.deepEqual(await memory.checks({ prompt: 'x' }), []);
    assert.equal(heard.length, 2);
    await server.stop();
  });
}

test('requests of jobs are repeated after Retry-After', async () => {
  let asked = 0;
  const server = await fake((_, a) => {
    if (++asked < 3) {
      a.writeHead(429, { 'retry-after': '0' });
      a.end();
      return;
    }
    a.end('{"accepted":0,"duplicate":1,"receipts":[]}');
  });
  const memory = new Memtree({ url: server.url });
  assert.equal((await memory.evaluations([{ prompt: 'x', judgment: 1 }])).duplicate, 1);
  assert.equal(asked, 3);
  await server.stop();
});
