import t from 'tap';
import { dataTextOf, messageOf } from '../../../lib/client/message.js';

const empty = { topic: '', data: undefined, code: '', message: '' };

t.test('what the WebSocket says', async (t) => {
  const texts: readonly [text: string, message: object | undefined][] = [
    ['{"type":"data","topic":"a","data":[1]}', { ...empty, type: 'data', topic: 'a', data: [1] }],
    ['{"type":"data","topic":"a","data":null}', { ...empty, type: 'data', topic: 'a', data: null }],
    [
      '{"type":"error","topic":"a","code":"FORBIDDEN","message":"No"}',
      { ...empty, type: 'error', topic: 'a', code: 'FORBIDDEN', message: 'No' },
    ],
    ['{"type":"latestTopics","later":1}', { ...empty, type: 'latestTopics' }],
    ['{"topic":"a","data":1}', undefined],
    ['{"type":1}', undefined],
    ['{"type":"data","topic":{}}', undefined],
    ['{"type":"error","code":7}', undefined],
    ['{"type":"error","message":null}', undefined],
    ['["data"]', undefined],
    ['null', undefined],
    ['"data"', undefined],
    ['<html>', undefined],
    ['', undefined],
  ];
  for (const [text, message] of texts) t.strictSame(messageOf(text), message, text);
});

t.test('the data of a message, with every digit that came', async (t) => {
  const texts: readonly [text: string, data: string][] = [
    ['{"type":"data","topic":"a","data":{"id":7312345678901234567}}', '{"id":7312345678901234567}'],
    ['{"type":"data","topic":"a \\"b\\"","data":"}"}', '"}"'],
    ['{"type":"data","topic":"a","data":null}', 'null'],
    ['{ "topic": "a", "type": "data", "data": [1, 2] }', '[1,2]'],
  ];
  for (const [text, data] of texts) {
    const message = messageOf(text);
    t.equal(message && dataTextOf(text, message), data, text);
  }
});
