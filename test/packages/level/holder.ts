import { writeSync } from 'node:fs';
import { filesystemStorage } from '../../../packages/level/index.js';

// Child of the tests of the lock: node holder.js <directory>. Holds the directory until its standard input ends.

const [directory = ''] = process.argv.slice(2);
const storage = await filesystemStorage({ directory });
writeSync(1, 'holding\n');
process.stdin.resume();
process.stdin.on('end', () => void storage.close());
