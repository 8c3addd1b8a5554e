// A first look at the gateway: logs in, subscribes to live topics and shows what comes. No build, no framework.
const demoTopic = 'demo.accessLog';
const chartPoints = 120;
const reconnectMillis = 1000;
const shownEvents = 12;
const logBytes = 4000;

const element = (id) => document.getElementById(id);
const number = (value, digits = 0) =>
  value === undefined || value === null
    ? '–'
    : Number(value).toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });

let socket;
let chosen;
let applications = [];
let events = [];
const rates = [];
const latest = new Map();

async function call(method, path, body) {
  const response = await fetch(`ws/v2/${path}`, {
    method,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.message), { status: response.status });
  return answer;
}

function row(cells, classes = []) {
  const tr = document.createElement('tr');
  cells.forEach((cell, index) => {
    const td = document.createElement('td');
    td.textContent = cell;
    if (classes[index]) td.className = classes[index];
    tr.append(td);
  });
  return tr;
}

const send = (type, topic) =>
  socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify({ type, topic }));

function showApplications() {
  const rows = applications.map((app) => {
    const stats = latest.get(app.id) ?? {};
    const tr = row(
      [
        app.name,
        app.state,
        app.user,
        number(stats.allocatedContainers),
        number(stats.tuplesProcessedPSMA),
        number(stats.latency),
        app.id,
      ],
      ['', '', '', 'n', 'n', 'n'],
    );
    if (app.id === chosen) tr.className = 'chosen';
    tr.addEventListener('click', () => choose(app.id));
    return tr;
  });
  element('applications').tBodies[0].replaceChildren(...rows);
}

function choose(appId) {
  if (chosen === appId) return;
  const parts = ['physicalOperators', 'containers', 'events'];
  if (chosen) for (const part of parts) send('unsubscribe', `applications.${chosen}.${part}`);
  chosen = appId;
  events = [];
  for (const id of ['operators', 'containers', 'events']) element(id).tBodies[0].replaceChildren();
  element('log').hidden = true;
  element('operators-of').textContent = appId ?? '';
  if (appId) {
    for (const part of parts) send('subscribe', `applications.${appId}.${part}`);
    showRecentEvents(appId);
  }
  showApplications();
}

function takeApplications({ apps }) {
  const known = new Set(applications.map(({ id }) => id));
  for (const { id } of apps) if (!known.has(id)) send('subscribe', `applications.${id}`);
  applications = apps;
  if (!apps.some(({ id }) => id === chosen)) choose(apps[0]?.id);
  showApplications();
}

function takeOperators({ operators }) {
  const rows = operators.map((operator) =>
    row(
      [
        operator.name,
        operator.status,
        number(operator.tuplesProcessedPSMA),
        number(operator.tuplesEmittedPSMA),
        number(operator.totalTuplesProcessed),
        number(operator.cpuPercentageMA, 1),
        number(operator.latencyMA),
      ],
      ['', '', 'n', 'n', 'n', 'n', 'n'],
    ),
  );
  element('operators').tBodies[0].replaceChildren(...rows);
}

function takeContainers({ containers }) {
  const rows = containers.map((container) => {
    const tr = row(
      [
        container.id,
        container.state,
        container.containerType === 'APP_MASTER'
          ? 'the master'
          : Object.values(container.operators).join(', '),
        number(container.memoryMBFree),
        number(container.memoryMBAllocated),
        number(container.gcCollectionCount),
      ],
      ['', '', '', 'n', 'n', 'n'],
    );
    tr.addEventListener('click', () => showLog(container.id));
    return tr;
  });
  element('containers').tBodies[0].replaceChildren(...rows);
}

async function showLog(containerId) {
  const logs = `ws/v2/applications/${chosen}/physicalPlan/containers/${containerId}/logs`;
  const response = await fetch(`${logs}/headgate.log?lastNBytes=${logBytes}`);
  const text = await response.text();
  element('log').textContent = response.ok ? text || 'Nothing was logged.' : JSON.parse(text).message;
  element('log').hidden = false;
}

async function showRecentEvents(appId) {
  const recent = await call('GET', `applications/${appId}/events?limit=${shownEvents}`).catch(
    () => undefined,
  );
  if (recent && appId === chosen) takeEvents(recent.events);
}

/** The newest first; those that come both ways once. */
function takeEvents(more) {
  const byId = new Map([...events, ...more].map((event) => [Number(event.id), event]));
  events = [...byId.entries()]
    .sort(([a], [b]) => b - a)
    .slice(0, shownEvents)
    .map(([, event]) => event);
  const rows = events.map(({ timestamp, type, data }) => {
    const { logLevel, ...rest } = data;
    const details = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
    return row([new Date(timestamp).toLocaleTimeString('en-GB'), type, details.join(', ')]);
  });
  element('events').tBodies[0].replaceChildren(...rows);
}

function takeTraffic({ requests, statuses, paths, latency, time }) {
  rates.push(requests?.perSecond ?? 0);
  if (rates.length > chartPoints) rates.shift();
  element('demo-window').textContent =
    `the last 10 seconds, at ${new Date(time).toLocaleTimeString('en-GB')}`;
  element('rate').textContent = number(requests?.perSecond, 1);
  for (const name of ['p50', 'p95', 'p99']) element(name).textContent = number(latency?.[name], 2);
  element('statuses').replaceChildren(
    ...Object.entries(statuses?.keys ?? {}).map(([name, { count }]) => row([name, number(count)], ['', 'n'])),
  );
  element('paths').replaceChildren(
    ...(paths?.top ?? []).map(({ key, count }) => row([key, number(count)], ['', 'n'])),
  );
  drawChart();
}

function drawChart() {
  const highest = Math.max(1, ...rates);
  const points = rates.map(
    (rate, index) => `${(index / (chartPoints - 1)) * 600},${76 - (rate / highest) * 70}`,
  );
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
  line.setAttribute('points', points.join(' '));
  element('chart').replaceChildren(line);
}

function take(topic, data) {
  if (topic === demoTopic) return takeTraffic(data);
  if (topic === 'applications') return takeApplications(data);
  if (topic.endsWith('.physicalOperators')) return takeOperators(data);
  if (topic.endsWith('.containers')) return takeContainers(data);
  if (topic.endsWith('.events')) return takeEvents([data]);
  latest.set(topic.slice('applications.'.length), data);
  showApplications();
}

function connect() {
  socket = new WebSocket(new URL('pubsub', location.href.replace(/^http/, 'ws')));
  socket.addEventListener('open', () => {
    element('connection').textContent = 'live';
    applications = [];
    chosen = undefined;
    send('subscribe', demoTopic);
    send('subscribe', 'applications');
  });
  socket.addEventListener('message', (message) => {
    const { topic, data } = JSON.parse(message.data);
    take(topic, data);
  });
  socket.addEventListener('close', () => {
    element('connection').textContent = 'not connected, trying again';
    setTimeout(start, reconnectMillis);
  });
}

async function start() {
  try {
    const profile = await call('GET', 'profile/user');
    show('console-view');
    element('logout').hidden = profile.authScheme === undefined;
    connect();
  } catch (error) {
    if (error.status === 401) show('login-view');
    else {
      element('connection').textContent = 'the server does not answer, trying again';
      setTimeout(start, reconnectMillis);
    }
  }
}

function show(view) {
  for (const id of ['login-view', 'console-view']) element(id).hidden = id !== view;
  if (view === 'login-view') element('connection').textContent = '';
}

element('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    await call('POST', 'login', Object.fromEntries(new FormData(event.target)));
    element('login-problem').textContent = '';
    await start();
  } catch (error) {
    element('login-problem').textContent = error.message;
  }
});

element('logout').addEventListener('click', async () => {
  await call('POST', 'logout');
  location.reload();
});

start();
