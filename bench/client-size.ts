import { bundledClient, maxClientBytes } from '../test/helpers/client-bundle.js';
import { report } from './report.js';

// What `headgate/client` adds to a page: bundled for browsers with all that it needs, minified and compressed.

const { code, gzipBytes } = await bundledClient();
const isGood = report('Client in a page', [
  { what: 'bundle, minified', figure: code.length / 1000, unit: 'kB' },
  {
    what: 'bundle, compressed',
    figure: gzipBytes / 1000,
    unit: 'kB',
    goal: { atMost: maxClientBytes / 1000 },
  },
]);
process.exitCode = isGood ? 0 : 1;
