// Serves the benchmark's pages as a static site. rename can replace the page at an address.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';

const types = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript' };

export async function servePages(folder, rename = (path) => path) {
  const server = createServer((q, a) => {
    const path = rename(normalize(decodeURIComponent(new URL(q.url, 'http://x').pathname)));
    const file = join(folder, extname(path) ? path : `${path === '/' ? '/index' : path}.html`);
    try {
      const body = readFileSync(file);
      a.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
      a.end(body);
    } catch {
      a.writeHead(404);
      a.end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}
