// The effect of remember on an agent, with a scripted agent that notes its arguments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Memtree } from '@memtree/client';
import { Frozen, remember } from '@memtree/midscene';

/** A client whose service answers with a text, and stores its requests. */
function service(text = 'LESSON') {
  const sent = { asked: [], recorded: [], errors: [] };
  const fetch = async (url, init) => {
    const body = JSON.parse(init.body);
    let answer = { trial: 't_1', abstained: !text, text, hash: '', items: [], nearest: null };
    if (url.endsWith('/evaluations')) {
      sent.recorded.push(...body);
      answer = { accepted: body.length, duplicate: 0, receipts: [] };
    } else {
      sent.asked.push(body);
    }
    return { status: 200, headers: { get: () => null }, text: async () => JSON.stringify(answer) };
  };
  return { sent, memory: new Memtree({ url: 'http://x', fetch, onError: (e) => sent.errors.push(e.message) }) };
}

/** An agent that follows its script, and notes its arguments. */
function agent(script = {}, opts = {}) {
  const calls = [];
  const call = (api) => async (...args) => {
    calls.push([api, ...args]);
    return script[api]?.(...args);
  };
  const out = { calls, opts, page: { underlyingPage: { url: () => 'http://shop.test/cart?x=1#y' } } };
  for (const api of ['aiAct', 'aiAssert', 'aiBoolean', 'aiQuery']) out[api] = call(api);
  return out;
}

const failed = (why) => () => { throw new Error(`Assertion failed: x\nReason: ${why}`); };

test('guidance comes after the context of the user, whichever of its layers that is', async () => {
  const { memory, sent } = service();
  const own = agent({}, { aiContexts: { default: 'D', aiAssert: 'A' } });
  const a = remember(own, { memory });
  await a.aiAssert('x');
  await a.aiAssert('x', 'said so', { context: 'C', keepRawResponse: true });
  await a.aiAssert('x', undefined, { context: '' });
  await a.aiQuery({ total: 'number' });
  await a.aiBoolean({ prompt: 'is it', images: [] }, { domIncluded: true });
  assert.deepEqual(own.calls, [
    ['aiAssert', 'x', undefined, { context: 'A\n\nLESSON' }],
    ['aiAssert', 'x', 'said so', { context: 'C\n\nLESSON', keepRawResponse: true }],
    ['aiAssert', 'x', undefined, { context: 'LESSON' }],
    ['aiQuery', { total: 'number' }, { domIncluded: false, screenshotIncluded: true, context: 'D\n\nLESSON' }],
    ['aiBoolean', { prompt: 'is it', images: [] }, { domIncluded: true, context: 'D\n\nLESSON' }],
  ]);
  assert.deepEqual(sent.asked.map((q) => q.prompt), ['x', 'x', 'x', '{"total":"number"}', 'is it']);
  assert.deepEqual(sent.asked[0].scene, { route: '/cart' });
  assert.deepEqual(sent.errors, []);
});

test('a step that memtree enhance has told is told nothing more, and its judgment is recorded', async () => {
  const { memory, sent } = service();
  const told = 'C\n\n<memory-context>\nLESSON\n</memory-context>';
  const own = agent({}, { aiContexts: { aiBoolean: told } });
  const a = remember(own, { memory });
  await a.aiAssert('x', undefined, { context: told });
  await a.aiBoolean('y');
  a.memtree.settle();
  await memory.flush();
  assert.deepEqual(own.calls, [['aiAssert', 'x', undefined, { context: told }], ['aiBoolean', 'y']]);
  assert.deepEqual(sent.asked, []);
  assert.deepEqual(sent.recorded.map((e) => [e.prompt, e.trial]), [['x', undefined]]);
});

test('without guidance a call is what it was', async () => {
  const { memory } = service('');
  const own = agent();
  await remember(own, { memory }).aiAssert('x');
  assert.deepEqual(own.calls, [['aiAssert', 'x']]);
});

test('judgments are recorded with their trial; what is told goes with the last one', async () => {
  const { memory, sent } = service();
  const answers = [undefined, failed('the total is wrong'), () => ({ pass: false, thought: 'no' })];
  const own = agent({ aiAssert: () => answers.shift()?.(), aiBoolean: () => true });
  const a = remember(own, { memory, scope: { product: 'shop' }, caseId: 'cart', attempt: 2 });
  await a.aiAssert('one');
  a.memtree.told({ ground_truth: { verdict: 'fail', defect_details: ['the total is wrong'] } });
  await assert.rejects(a.aiAssert('two'), /the total is wrong/);
  await a.aiAssert('three', undefined, { keepRawResponse: true });
  await a.aiBoolean('four');
  await a.aiQuery('five');
  a.memtree.settle();
  assert.equal(await memory.flush(), 0);
  assert.deepEqual(sent.recorded.map((e) => e.judgment), [
    { verdict: 'pass' }, { verdict: 'fail', reasoning: 'the total is wrong' }, { verdict: 'fail', reasoning: 'no' },
    { value: true },
  ]);
  assert.deepEqual(sent.recorded.map((e) => e.ground_truth?.verdict), ['fail', undefined, undefined, undefined]);
  const [e] = sent.recorded;
  assert.equal(e.trial, 't_1');
  assert.equal(e.case_id, 'cart');
  assert.equal(e.attempt, 2);
  assert.equal(new Set(sent.recorded.map((r) => r.run_id)).size, 4);
  assert.deepEqual(sent.asked.slice(0, 4).map((q) => q.runId), sent.recorded.map((r) => r.run_id));
});

test('a model that does not answer is no judgment', async () => {
  const { memory, sent } = service();
  const broke = new Error('Assertion failed: x\nReason: 503', { cause: new Error('503') });
  const answers = [
    () => { throw broke; }, () => { throw new Error('page closed'); },
    () => ({ pass: false, message: 'Assertion failed: x\nReason: 503' }),
    () => ({ pass: false, message: 'Assertion failed: x\nReason: (no_reason)' }),
  ];
  const a = remember(agent({ aiAssert: () => answers.shift()() }), { memory });
  await assert.rejects(a.aiAssert('x'), broke);
  await assert.rejects(a.aiAssert('x'), /page closed/);
  await a.aiAssert('x');
  await a.aiAssert('last');
  a.memtree.settle();
  await memory.flush();
  assert.deepEqual(sent.recorded.map((e) => e.prompt), ['last']);
});

test('aiAct has the guidance of the release, so that plans are found again', async () => {
  const { memory, sent } = service();
  const frozen = new Frozen({ format: 'memtree.frozen', version: 1, guidance: [
    { prompt: 'pay', text: 'ANY' }, { prompt: 'pay', scene: { route: '/cart' }, text: 'CART' },
    { prompt: 'pay', scene: { route: '/other' }, text: 'OTHER' }, { prompt: 'look', text: '' },
  ] });
  const own = agent();
  const asked = [];
  const a = remember(own, { memory, frozen, onAsked: (q) => asked.push(q) });
  await a.aiAct('pay', { cacheable: true });
  await a.aiAct('look');
  await a.aiAct('unknown');
  assert.deepEqual(own.calls, [
    ['aiAct', 'pay', { cacheable: true, context: 'CART' }], ['aiAct', 'look'], ['aiAct', 'unknown'],
  ]);
  assert.deepEqual(sent.asked, []);
  assert.deepEqual(asked[0], { prompt: 'pay', scene: { route: '/cart' }, scope: undefined });
});

test('with plans kept and nothing frozen, aiAct is left as it is; without plans it is asked for', async () => {
  const one = service();
  const cached = Object.assign(agent(), { taskCache: {} });
  remember(cached, { memory: one.memory });
  await cached.aiAct('pay');
  await cached.aiAct('pay');
  assert.deepEqual(cached.calls, [['aiAct', 'pay'], ['aiAct', 'pay']]);
  assert.equal(one.sent.errors.length, 1);
  const plain = agent();
  await remember(plain, { memory: service().memory }).aiAct('pay');
  assert.deepEqual(plain.calls, [['aiAct', 'pay', { context: 'LESSON' }]]);
});

test('whatever goes wrong in memory, calls are made', async () => {
  const fetch = async () => { throw new Error('down'); };
  const own = agent({ aiAssert: () => undefined });
  const page = { url: () => { throw new Error('closed'); } };
  const memory = new Memtree({ url: 'http://x', fetch });
  const a = remember(own, {
    memory, page, truth: () => { throw new Error('bad truth'); }, onWarned: () => { throw new Error('bad hook'); },
  });
  for (let n = 0; n < 5; n++) await a.aiAssert('x');
  assert.equal(own.calls.length, 5);
  const loud = remember(agent(), { memory: service().memory, onWarned: () => { throw new Error('bad hook'); } });
  await loud.aiAssert('x');
});

test('a page that hangs costs its budget', async () => {
  const { memory, sent } = service();
  const page = { url: () => 'about:blank', locator: () => ({ ariaSnapshot: () => new Promise(() => {}) }) };
  const began = Date.now();
  await remember(agent(), { memory, page }).aiAssert('x');
  assert.ok(Date.now() - began < 450);
  assert.equal(sent.asked[0].observation, undefined);
});

test('a file that is no frozen guidance is refused with a sentence', () => {
  for (const file of [null, 7, {}, { format: 'memtree.frozen', version: 2, guidance: [] },
    { format: 'memtree.frozen', version: 1, guidance: [{}] }]) {
    assert.throws(() => new Frozen(file), /memtree freeze/);
  }
});
