// Makes ./single/memory: this Node with all of the app in it (https://nodejs.org/api/single-executable-applications.html).
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import nativeFile from 'node-gyp-build';
import { inject } from 'postject';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
mkdirSync('single', { recursive: true });

const bundled = { bundle: true, platform: 'node', target: 'node20' };
await build({ ...bundled, entryPoints: ['operators.mjs'], format: 'esm', outfile: 'single/operators.mjs' });
await build({
  ...bundled,
  entryPoints: ['single.js'],
  format: 'cjs',
  outfile: 'single/single.cjs',
  alias: { 'node-gyp-build': './native.cjs' },
  define: { 'import.meta.url': 'undefined' },
});

const classicLevel = dirname(createRequire(import.meta.resolve('@headgate/level')).resolve('classic-level'));
writeFileSync(
  'single/sea.json',
  JSON.stringify({
    main: 'single/single.cjs',
    output: 'single/memory.blob',
    disableExperimentalSEAWarning: true,
    assets: {
      'operators.mjs': 'single/operators.mjs',
      'classic-level.node': nativeFile.path(classicLevel),
      'public/index.html': 'public/index.html',
      'public/page.js': 'public/page.js',
    },
  }),
);
execFileSync(process.execPath, ['--experimental-sea-config', 'single/sea.json'], { stdio: 'inherit' });
const program = process.platform === 'win32' ? 'single/memory.exe' : 'single/memory';
copyFileSync(process.execPath, program);
await inject(program, 'NODE_SEA_BLOB', readFileSync('single/memory.blob'), {
  sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  ...(process.platform === 'darwin' ? { machoSegmentName: 'NODE_SEA' } : {}),
});
console.log(`${program} is the whole app`);
