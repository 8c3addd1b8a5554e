import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Read by the browser before it paints, so that a dark console does not flash. A file of its own: the policy takes no inline script. */
const scheme: Plugin = {
  name: 'colour scheme before paint',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const file = Object.values(bundle ?? {}).find(({ name }) => name === 'scheme.js');
      if (!file) throw new Error('scheme.js was not built');
      return html.replace('<title>', `<script src="./${file.fileName}"></script>\n    <title>`);
    },
  },
  buildStart() {
    const source = readFileSync(new URL('./src/shell/scheme.js', import.meta.url), 'utf8');
    this.emitFile({ type: 'asset', name: 'scheme.js', source });
  },
};

const mantine = join(import.meta.dirname, 'node_modules/@mantine/core');

/** Names of Mantine's styles in the order in which its one file has them: of two that say the same, the later one counts. */
function orderOfStyles(): readonly string[] {
  const whole = readFileSync(join(mantine, 'styles.css'), 'utf8');
  const placeOf = (name: string): number => {
    const [, selector = ''] =
      /(\.m_[0-9a-f]+)/.exec(readFileSync(join(mantine, 'styles', `${name}.css`), 'utf8')) ?? [];
    // Those without a class are for the whole page, and come first.
    return selector === '' ? -1 : whole.indexOf(selector);
  };
  return readdirSync(join(mantine, 'styles'))
    .filter((file) => file.endsWith('.css') && !file.endsWith('.layer.css'))
    .map((file) => basename(file, '.css'))
    .map((name) => ({ name, place: placeOf(name) }))
    .sort((one, other) => one.place - other.place)
    .map(({ name }) => name);
}

const layerOf = (name: string) => `mantine.${name}`;
const layers = `@layer ${orderOfStyles().map(layerOf).join(', ')};`;

/**
 * Each component of Mantine brings its own style with it, so that a first visit loads none of what other screens need. Each in a layer,
 * whose order is said in every file: it is the same whichever comes first, and the console's own styles stand above all of them.
 */
const styles: Plugin = {
  name: 'styles with their components',
  enforce: 'pre',
  transform(code, id) {
    const [, style] = /@mantine\/core\/styles\/([\w-]+)\.css$/.exec(id) ?? [];
    if (style !== undefined) return { code: `${layers}\n@layer ${layerOf(style)} {\n${code}\n}`, map: null };
    if (!/@mantine\/core\/esm\/.*\.module\.mjs$/.test(id)) return null;
    const css = join(mantine, 'styles', `${basename(id, '.module.mjs')}.css`);
    return existsSync(css) ? { code: `import ${JSON.stringify(css)};\n${code}`, map: null } : null;
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Relative: the prefix that the gateway is mounted at is not known here, and not always to the server.
  base: './',
  plugins: [react(), scheme, styles],
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    outDir: 'dist/pages',
    emptyOutDir: true,
    // All files are files: what is inlined as `data:` the policy would refuse.
    assetsInlineLimit: 0,
    manifest: true,
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      output: {
        // What most screens share is one file: dozens of small ones cost a first visit more in heads than they hold.
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 24 }] },
      },
    },
  },
});
