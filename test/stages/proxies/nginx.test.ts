import { join } from 'node:path';
import t from 'tap';
import { nginxBefore } from '../../helpers/nginx.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { holdsBehind } from './behind.js';

// The lines for nginx of docs/embedding.md, at a real one that ends TLS.

const page = snippetsOf(join(root, 'docs/embedding.md')).find(({ attributes }) => 'conf' in attributes);

t.test('nginx as the page sets it', (t) =>
  holdsBehind(t, (backend) => nginxBefore(t, page?.text ?? '', backend)),
);
