import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';
import { cyclesOf } from '../../helpers/import-cycles.js';
import { pageSources, root } from '../../helpers/sources.js';

// Who may import whom in the pages of the console: `packages/console/README.md`.

const home = 'packages/console/src/';
const files = pageSources();
const importLine = /^(?:import|export)\s+(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\('([^']+)'\)/gm;

const imports = files.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(importLine)].map(([line, named, lazy]) => {
    const specifier = named ?? lazy ?? '';
    const to = specifier.startsWith('.') ? sourceOf(normalize(join(dirname(file), specifier))) : specifier;
    return { from: file, to, isLazy: lazy !== undefined || line.startsWith('import(') };
  }),
);

function sourceOf(path: string): string {
  const [plain, react] = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')];
  return files.includes(react) ? react : plain;
}

const show = (found: typeof imports) => found.map(({ from, to }) => `${from} -> ${to}`);
/** The first folder, `''` for what composes. */
const partOf = (path: string) => /^packages\/console\/src\/([^/]+)\//.exec(path)?.[1] ?? '';
const featureOf = (path: string) => /^packages\/console\/src\/features\/([^/]+)\//.exec(path)?.[1];

const allowed: Readonly<Record<string, readonly string[]>> = {
  format: [],
  gateway: ['format'],
  charts: ['gateway', 'format'],
  forms: ['gateway', 'format', 'shell'],
  shell: ['gateway', 'format'],
  features: ['gateway', 'charts', 'forms', 'shell', 'format'],
};

t.test('arrows lead down', async (t) => {
  const broken = imports.filter(({ from, to }) => {
    const [part, other] = [partOf(from), partOf(to)];
    if (!to.startsWith(home) || part === '' || part === other) return false;
    // What hangs below the frame, and what the frame asks before it shows anything.
    if (/\/root-route\.tsx?$/.test(to)) return part !== 'features';
    return !allowed[part]?.includes(other);
  });
  t.strictSame(show(broken), []);
});

t.test('a feature knows of another its routes alone', async (t) => {
  const broken = imports.filter(({ from, to }) => {
    const [feature, other] = [featureOf(from), featureOf(to)];
    return feature && other && feature !== other && !to.endsWith('/routes.ts');
  });
  t.strictSame(show(broken), []);
});

t.test('each library has its home', async (t) => {
  const homes: Readonly<Record<string, RegExp>> = {
    uplot: /^charts\/time-series\.tsx$/,
    '@codemirror/view': /^(forms|features\/(alerts|editor|packages|logs))\//,
    '@codemirror/lang-': /^(forms|features)\//,
    '@xyflow/': /^features\/(graph|editor)\//,
    elkjs: /^features\/(graph|editor)\//,
    'headgate/client': /^(gateway|shell|features)\//,
    'get-nonce': /^main\.tsx$/,
  };
  const broken = imports.filter(({ from, to }) => {
    const place = Object.entries(homes).find(([library]) => to.startsWith(library))?.[1];
    return place !== undefined && !place.test(from.slice(home.length));
  });
  t.strictSame(show(broken), []);
});

t.test('no path of the API stands in a page', async (t) => {
  const named = files.filter((file) =>
    /\/ws\/v[12]\b|\/pubsub\b/.test(readFileSync(join(root, file), 'utf8')),
  );
  t.strictSame(named, []);
});

t.test('no circular imports, but for what is loaded when it is shown', async (t) => {
  const known = imports.filter(({ isLazy }) => !isLazy);
  t.strictSame(cyclesOf(files, known), []);
  t.ok(imports.length > 100, 'imports were read');
});
