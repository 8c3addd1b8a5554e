import t from 'tap';
import { stage } from './stage.js';

// Spec 6.2 and `engine-on-yarn.md` 6.1, over real sockets.

t.test('a published message reaches every subscriber, its publisher too', async (t) => {
  const { open } = await stage(t);
  const [ann, bob] = [await open('ann'), await open('bob')];
  ann.subscribe('news');
  bob.subscribe('news');
  await bob.settled();
  ann.publish('news', { x: 1 });
  await ann.until(() => ann.texts.length > 0);
  await bob.until(() => bob.texts.length > 0);
  t.strictSame(ann.texts, ['{"type":"data","topic":"news","data":{"x":1}}']);
  t.strictSame(bob.texts, ann.texts);
});

t.test('data comes back as the text that was sent', async (t) => {
  const { open } = await stage(t);
  const ann = await open();
  ann.subscribe('exact');
  const datas = [
    '12345678901234567890123',
    '{"b":1,"a":2,"b":3}',
    '"\\u00e9\\/\\ud83d\\ude00 \\n"',
    '"é 😀"',
    '[1.0, 1e400,\t-0 ]',
    '{"__proto__":{"x":1}}',
    'false',
    '""',
  ];
  for (const data of datas) ann.say(`{"data": ${data} ,"topic":"exact","type":"publish"}`);
  await ann.until(() => ann.texts.length === datas.length);
  t.strictSame(
    ann.texts,
    datas.map((data) => `{"type":"data","topic":"exact","data":${data}}`),
  );
});
