import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { z } from 'zod';
import { type Line, report } from './report.js';

// What a window of the console costs whoever has it open: the processor time of its process, and whether its heap grows. Chromium
// tells both (the domains SystemInfo, HeapProfiler and Runtime of its protocol).
//   node build/bench/console.js

const applications = 1000;
const operators = 500;
const millis = 30_000;
const minutes = 10;

const Processes = z.object({ processInfo: z.array(z.object({ type: z.string(), cpuTime: z.number() })) });
const Heap = z.object({ usedSize: z.number() });

/** A window of its own browser: its processes are nobody else's. */
interface Window {
  readonly browser: Browser;
  readonly page: Page;
}

async function opened(address: string, isThere: (page: Page) => Promise<unknown>): Promise<Window> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(120_000);
  await page.goto(address);
  await isThere(page);
  return { browser, page };
}

/** Of the window's own process, in seconds: what draws it for everybody is another. */
async function processorSeconds({ browser }: Window): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = Processes.parse(await session.send('SystemInfo.getProcessInfo'));
  await session.detach();
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/** Percent of a core. */
async function cost(window: Window): Promise<number> {
  // The first seconds lay it out.
  await delay(10_000);
  const [before, since] = [await processorSeconds(window), performance.now()];
  await delay(millis);
  const after = await processorSeconds(window);
  return ((after - before) * 100_000) / (performance.now() - since);
}

/** Bytes of what is still needed. */
async function heapOf({ page }: Window): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = Heap.parse(await session.send('Runtime.getHeapUsage'));
  await session.detach();
  return usedSize;
}

const child = fork(new URL('./console/server.js', import.meta.url), [
  String(applications),
  String(operators),
]);
const [told] = await once(child, 'message');
const pages = `${z.string().parse(told)}/console`;

const list = await opened(`${pages}/apps`, (page) => page.getByText('Clicks by country').first().waitFor());
const listCost = await cost(list);
const graph = await opened(`${pages}/apps/application_1700000000000_0001/graph`, (page) =>
  page.locator('.react-flow__node').first().waitFor(),
);
const graphCost = await cost(graph);

const windows = [list, graph];
await delay(60_000);
const first = await Promise.all(windows.map(heapOf));
await delay((minutes - 1) * 60_000);
const last = await Promise.all(windows.map(heapOf));
const growth = (index: number) => (last[index] ?? Number.NaN) / (first[index] ?? Number.NaN);

const cpu = { unit: '% of a core', goal: { atMost: 10 } };
const grown = { peer: 'its heap after a minute', goal: { atMost: 1.05 } };
const mib = (bytes = Number.NaN) => bytes / 2 ** 20;
const lines: Line[] = [
  { what: `the list of ${applications} applications`, figure: listCost, ...cpu },
  { what: '  heap after a minute', figure: mib(first[0]), unit: 'MiB' },
  { what: `  heap after ${minutes} minutes`, figure: growth(0), ...grown },
  { what: `the graph of ${operators} operators`, figure: graphCost, ...cpu },
  { what: '  heap after a minute', figure: mib(first[1]), unit: 'MiB' },
  { what: `  heap after ${minutes} minutes`, figure: growth(1), ...grown },
];
process.exitCode = report('A window of the console, a message a second', lines) ? 0 : 1;
await Promise.all(windows.map(({ browser }) => browser.close()));
child.disconnect();
