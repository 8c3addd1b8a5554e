import t from 'tap';
import { commandWords } from '../../../lib/formats/command-words.js';

t.test('words are split as a shell splits them', async (t) => {
  const lines: readonly (readonly [line: string, words: readonly string[]])[] = [
    ['', []],
    ['  \t\n ', []],
    ['a', ['a']],
    [' a  b\tc\nd ', ['a', 'b', 'c', 'd']],
    [`'a b' "c d"`, ['a b', 'c d']],
    [`-e NAME='x y'z"!"`, ['-e', 'NAME=x yz!']],
    [`'' ""`, ['', '']],
    [String.raw`a\ b \\ \'`, ['a b', '\\', "'"]],
    [String.raw`"a\"b" "\\" "\n" "\$x"`, ['a"b', '\\', '\\n', '$x']],
    [String.raw`'\n' '"'`, ['\\n', '"']],
    ['a\\\nb', ['ab']],
    ['"a\nb"', ['a\nb']],
    // Nothing else of a shell.
    ['$HOME `id` $(id) a|b ; c > d & *', ['$HOME', '`id`', '$(id)', 'a|b', ';', 'c', '>', 'd', '&', '*']],
    ['http://x/?a=1&b=2', ['http://x/?a=1&b=2']],
    ['${svc.port}:80', ['${svc.port}:80']],
    ['é 😀', ['é', '😀']],
  ];
  for (const [line, words] of lines) t.strictSame(commandWords(line), { words }, JSON.stringify(line));
});

t.test('what can not be split says why', async (t) => {
  t.match(commandWords(`a 'b`), { problem: `has a ' without its end` });
  t.match(commandWords(`a "b'`), { problem: `has a " without its end` });
  t.match(commandWords('a\\'), { problem: 'ends with a backslash' });
});
