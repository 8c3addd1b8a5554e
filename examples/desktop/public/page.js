const element = (id) => document.getElementById(id);
const socket = new WebSocket(new URL('pubsub', location.href.replace(/^http/, 'ws')));
socket.onopen = () => {
  for (const topic of ['desktop.memory', 'applications'])
    socket.send(JSON.stringify({ type: 'subscribe', topic }));
};
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.topic === 'applications') {
    const [application] = message.data.apps;
    if (application) element('application').textContent = `${application.name}: ${application.state}`;
  } else if (message.topic === 'desktop.memory') {
    const { usedMB, totalMB } = message.data;
    Object.assign(element('meter'), { max: totalMB, value: usedMB });
    element('reading').textContent = `${usedMB} of ${totalMB} MB in use`;
    document.title = `Memory ${Math.round((usedMB / totalMB) * 100)} %`;
  }
};
