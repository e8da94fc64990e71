#!/usr/bin/env node
// Starts the program of this platform, which npm installed beside this package, and ends as it ends.
'use strict';
const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const name = `@memtree/cli-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/memtree${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  console.error(`memtree: the package ${name} is not installed. Install without --omit=optional; where there is no ` +
    'such package, build memtree with Go: go install github.com/memtree/memtree/cmd/memtree@latest');
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
process.on('SIGINT', () => {}); // a terminal sends it to the program too
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (error) => {
  console.error(`memtree: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
