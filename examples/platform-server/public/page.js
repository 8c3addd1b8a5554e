// One login for both: the product's session opens the product's socket and the gateway's.
const element = (id) => document.getElementById(id);
const post = (path, body) =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  });
const socketAt = (path) => new WebSocket(new URL(path, location.href.replace(/^http/, 'ws')));

async function show() {
  const answer = await fetch('api/me');
  element('login').hidden = answer.ok;
  element('inside').hidden = !answer.ok;
  if (!answer.ok) return;
  const { name, groups } = await answer.json();
  element('who').textContent = `${name} (${groups.join(', ')})`;
  socketAt('live').onmessage = ({ data }) => {
    element('clock').textContent = data;
  };
  const gateway = socketAt('streams/pubsub');
  gateway.onopen = () => gateway.send(JSON.stringify({ type: 'subscribe', topic: 'applications' }));
  gateway.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.topic === 'applications')
      element('applications').replaceChildren(...message.data.apps.map(row));
  };
}

function row({ name, user, state, runningContainers }) {
  const tr = document.createElement('tr');
  for (const text of [name, user, state, runningContainers]) {
    const td = document.createElement('td');
    td.textContent = text;
    tr.append(td);
  }
  return tr;
}

element('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  const answer = await post('api/login', Object.fromEntries(new FormData(event.target)));
  element('refused').hidden = answer.ok;
  await show();
});
element('logout').addEventListener('click', async () => {
  await post('api/logout');
  location.reload();
});
await show();
