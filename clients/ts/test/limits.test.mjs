// The client knows how long the body of each route may be.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { longestBody } from '../dist/esm/limits.js';

test('the longest bodies are those of the specification', () => {
  const { paths } = JSON.parse(readFileSync(new URL('../../../server/openapi.json', import.meta.url), 'utf8'));
  let n = 0;
  for (const [path, item] of Object.entries(paths)) {
    const most = item.post?.['x-max-body-bytes'];
    if (most !== undefined) {
      assert.equal(longestBody(path), most, path);
      n++;
    }
  }
  assert.ok(n > 20);
});
