import t from 'tap';
import { acceptedEncoding } from '../../../packages/console/server/encoding.js';
import { filled } from '../../../packages/console/server/page.js';

t.test('the smallest encoding that the client takes', async (t) => {
  const both = { br: 1, gzip: 1, identity: 1 };
  t.equal(acceptedEncoding('gzip, deflate, br', both), 'br');
  t.equal(acceptedEncoding('gzip;q=1, br;q=0', both), 'gzip');
  t.equal(acceptedEncoding('*', both), 'br');
  t.equal(acceptedEncoding('br', { gzip: 1, identity: 1 }), 'identity');
  t.equal(acceptedEncoding(undefined, both), 'identity');
});

t.test('a page names its files from where it lies, and what a host has said is no markup', async (t) => {
  const built = '<meta nonce="%NONCE%"><meta content="%SETTINGS%"><script src="./assets/a.js">';
  const settings = JSON.stringify({ title: '"><script>alert(1)</script>&$&' });
  t.equal(
    filled(built, { nonce: 'n', settings, upwards: '../../' }),
    '<meta nonce="n"><meta content="{&quot;title&quot;:&quot;\\&quot;>&lt;script>alert(1)&lt;/script>&amp;$&amp;&quot;}"><script src="../../assets/a.js">',
  );
});
