// The contract of the client, against a real service.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { Memtree, MemtreeError } from '@memtree/client';
import { binary, serve } from '../../service.mjs';

let service;
let memory;
const heard = [];

before(async () => {
  service = await serve();
  memory = new Memtree({ url: service.url, onError: (e) => heard.push(e), deadline: 2000 });
});
after(() => service.stop());

const run = (n, more = {}) => ({
  id: `run-${n}`, case_id: `cart-${n}`, prompt: `Check that the total of cart ${n} is the sum of its lines`,
  scene: { id: 'cart', type: 'cart', route: `/cart/${n}` }, judgment: { verdict: 'pass' }, ...more,
});
const truth = { verdict: 'fail', defect_details: ['The total is wrong: it is not the sum of the lines'] };

test('an empty memory has nothing to say', async () => {
  const g = await memory.guidance({ prompt: 'Check the order total' });
  assert.equal(g.abstained, true);
  assert.equal(g.text, '');
  assert.deepEqual(heard, []);
});

test('records are sent in the background and counted once', async () => {
  assert.equal(memory.record(run(1)), 'run-1');
  memory.record(run(1));
  assert.equal(await memory.flush(), 0);
  const again = await memory.evaluations([{ ...run(1) }, run(2)]);
  assert.equal(again.accepted, 1);
  assert.equal(again.duplicate, 1);
  assert.deepEqual(heard, []);
});

test('a truth that is told later is learned, and the next run is warned', async () => {
  for (let n = 3; n < 7; n++) {
    memory.record(run(n));
  }
  assert.equal(await memory.flush(), 0);
  for (let n = 1; n < 7; n++) {
    await memory.relabel({ evaluation: `run-${n}`, groundTruth: truth, by: 'a tester' });
  }
  const job = await memory.evolve();
  assert.equal(job.state, 'done');
  const g = await memory.guidance({ prompt: run(1).prompt, scene: run(1).scene });
  assert.match(g.text, /total|sum|add/i);
  assert.ok(g.trial);
  const risk = await memory.risk(run(9));
  assert.ok(risk.p > 0 && risk.p < 1);
});

test('what was missed on a page is a reading of it, and its answer settles it', async () => {
  const login = { prompt: 'Check the sign-in page', scene: { route: '/login' }, scope: { test: 'login' } };
  await memory.evaluations([{
    ...login, id: 'login', case_id: 'login', judgment: { verdict: 'pass' },
    ground_truth: { verdict: 'fail', defect_details: ['The password field is of type text'] },
  }]);
  await memory.evolve();
  const snapshot = '- heading "Sign in"\n- textbox "Password"\n- button "Go"\n- link "Home"';
  const [check] = await memory.checks({ ...login, observation: snapshot });
  assert.deepEqual([check.state, check.look.is, check.look.attribute], ['unknown', 'attribute', 'type']);
  const observation = `${snapshot}\n- /check ${check.id}: broken text`;
  assert.equal((await memory.checks({ ...login, observation }))[0].state, 'broken');
  assert.match((await memory.guidance({ ...login, observation })).text, /is of type text/);
});

test('one record that cannot be used does not stop the others', async () => {
  heard.length = 0;
  const before = (await memory.request('get', '/v1/trees/{tree}/stats')).evaluations;
  memory.record(run('bad', { prompt: '' }));
  memory.record(run('good'));
  memory.record({ ...run(1), judgment: { verdict: 'fail' } }); // another run with an id that was used
  memory.record(run('last'));
  assert.equal(await memory.flush(), 0);
  assert.equal((await memory.request('get', '/v1/trees/{tree}/stats')).evaluations, before + 2);
  assert.deepEqual(heard.map((e) => e.code).sort(), ['contradiction', 'input']);
  assert.equal(memory.records.dropped, 2);
});

test('a request that cannot be used throws a problem that says what to do', async () => {
  await assert.rejects(memory.evaluations([{ prompt: '', judgment: 1 }]), (e) => {
    assert.ok(e instanceof MemtreeError);
    assert.equal(e.status, 422);
    assert.match(e.message, /prompt/);
    return true;
  });
  const stray = memory.request('get', '/v1/trees/{tree}/nodes/{id}', { path: { id: '../../x' } });
  await assert.rejects(stray, { status: 404 });
});

test('wrapRunCase asks, runs, and records the outcome of the trial', async () => {
  const seen = [];
  const wrapped = memory.wrapRunCase(async (t) => {
    seen.push(t);
    return { judgment: { verdict: 'pass' }, steps: 3 };
  }, { risk: true });
  const r = await wrapped({ id: 'cart-1', prompt: run(1).prompt, scene: run(1).scene, groundTruth: truth });
  assert.equal(r.steps, 3);
  assert.ok(r.trial);
  assert.ok(r.risk.p > 0);
  assert.equal(seen[0].groundTruth, undefined);
  assert.equal(seen[0].prompt, r.guidance.text ? `${run(1).prompt}\n\n${r.guidance.text}` : run(1).prompt);
  assert.equal(await memory.flush(), 0);
  const joined = async () => (await memory.request('get', '/v1/trees/{tree}/stats')).trials;
  let trials = await joined();
  for (let tries = 0; tries < 50 && trials.outcomes.known < 1; tries++) {
    await new Promise((done) => setTimeout(done, 100)); // a worker joins outcome and trial
    trials = await joined();
  }
  assert.equal(trials.outcomes.known, 1, JSON.stringify(trials));
});

test('an error of the run is the caller\'s, and a judge that fails leaves the run unlabelled', async () => {
  const boom = new Error('the page crashed');
  await assert.rejects(memory.wrapRunCase(async () => { throw boom; })({ prompt: 'x' }), boom);
  heard.length = 0;
  const judge = () => { throw new Error('no judge'); };
  const judged = memory.wrapRunCase(async () => ({ judgment: 'pass' }), { judge });
  await judged({ prompt: 'Check the footer' });
  assert.equal(await memory.flush(), 0);
  assert.equal(heard[0].message, 'memtree client: no judge');
});

test('a tree that is not there is said, and the run goes on', async () => {
  const nobody = new Memtree({ url: service.url, tree: 'nobody', onError: (e) => heard.push(e) });
  heard.length = 0;
  assert.equal((await nobody.guidance({ prompt: 'x' })).text, '');
  assert.equal(heard[0].status, 404);
});

test('a token says who asks; without one, and with a wrong one, the run goes on', async () => {
  const locked = await serve({ open: false });
  try {
    const add = ['token', 'add', '--name', 'agent', '--scope', 'write', '--store', locked.store, '--json'];
    const { token } = JSON.parse(execFileSync(binary(), add, { encoding: 'utf8' }));
    const codes = [];
    for (const t of [undefined, 'mt_wrong', token]) {
      const client = new Memtree({ url: locked.url, token: t, deadline: 2000, onError: (e) => codes.push(e.code) });
      const g = await client.guidance({ prompt: 'x' });
      assert.equal(g.trial !== '', t === token);
    }
    assert.deepEqual(codes, ['no-token', 'no-token']);
    const reader = new Memtree({ url: locked.url, token });
    await assert.rejects(reader.evolve(), { status: 403 });
  } finally {
    await locked.stop();
  }
});
