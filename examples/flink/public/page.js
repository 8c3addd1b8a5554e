const element = (id) => document.getElementById(id);
const say = (text) => {
  element('said').textContent = text;
};

/** Calls the gateway of this product, as whoever is logged in here. */
async function call(method, path) {
  const answer = await fetch(`streams/ws/v2/${path}`, { method });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.message);
  return told;
}

const rows = new Map();

/** One line for each job; the gateway says whether its reader may stop it. */
function rowOf({ id, name, canWrite }) {
  const row = element('jobs').tBodies[0].insertRow();
  for (const text of [name, '', '', '', '']) row.insertCell().textContent = text;
  if (canWrite) {
    const stop = document.createElement('button');
    stop.textContent = 'Stop with a savepoint';
    stop.onclick = async () => {
      stop.disabled = true;
      say(`${name} is being stopped`);
      await call('POST', `applications/${id}/shutdown`).then(
        async () => say((await call('GET', `applications/${id}`)).diagnostics),
        (error) => say(error.message),
      );
    };
    row.cells[4].append(stop);
  }
  return row;
}

/** States of all jobs that this person may see; figures of those that are theirs. */
function watch(jobs) {
  const socket = new WebSocket(new URL('streams/pubsub', location.href.replace(/^http/, 'ws')));
  socket.onopen = () => {
    const own = jobs.filter(({ canWrite }) => canWrite).map(({ id }) => `applications.${id}`);
    for (const topic of ['applications', ...own]) socket.send(JSON.stringify({ type: 'subscribe', topic }));
  };
  socket.onmessage = ({ data }) => {
    const { topic, data: told } = JSON.parse(data);
    if (topic === 'applications') for (const { id, state } of told.apps) show(id, state);
    else if (topic) show(told.id, told.state, told);
  };
  socket.onclose = () => say('Not live any more: load the page again');
}

function show(id, state, figures) {
  const row = rows.get(id);
  if (!row) return;
  row.cells[1].textContent = state;
  if (!figures) return;
  row.cells[2].textContent = figures.tuplesEmittedPSMA?.toFixed() ?? '';
  row.cells[3].textContent =
    figures.checkpointAge === undefined ? 'none' : `${Math.round(figures.checkpointAge / 1000)} s ago`;
}

element('login').onsubmit = async (event) => {
  event.preventDefault();
  const body = JSON.stringify(Object.fromEntries(new FormData(event.target)));
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch('login', { method: 'POST', body, headers });
  if (!answer.ok) return say('That is not right');
  event.target.hidden = true;
  element('jobs').hidden = false;
  say('');
  const { apps } = await call('GET', 'applications?states=RUNNING');
  for (const job of apps) rows.set(job.id, rowOf(job));
  watch(apps);
};
