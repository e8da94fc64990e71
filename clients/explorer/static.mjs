// Serves a static site: node static.mjs FOLDER PORT [SUFFIX]. With a suffix such as -v2 the page /cart is cart-v2.html.
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join, normalize } from 'node:path';

const [root, port, suffix = ''] = process.argv.slice(2);
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
createServer((q, a) => {
  let path = normalize(decodeURIComponent(new URL(q.url, 'http://x').pathname));
  if (path === '/') path = '/index.html';
  const names = extname(basename(path)) ? [path] : [`${path}${suffix}.html`, `${path}.html`];
  const file = names.map((n) => join(root, n)).find((n) => existsSync(n));
  a.writeHead(file ? 200 : 404, { 'Content-Type': types[extname(file ?? 'x.html')] ?? 'application/octet-stream' });
  if (file) createReadStream(file).pipe(a);
  else a.end('not found');
}).listen(Number(port), '127.0.0.1');
