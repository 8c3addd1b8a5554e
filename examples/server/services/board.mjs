// A service to try: a page with notes that everybody who may see it can add to. It knows nothing of the gateway in front.
import { createServer } from 'node:http';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Board</title>
<link rel="stylesheet" href="board.css">
<h1>Board</h1>
<ul id="notes"></ul>
<form><input name="note" placeholder="A note" required> <button>Pin it</button></form>
<script type="module" src="board.js"></script>
</html>`;
const style = 'body { font: 16px/1.5 system-ui, sans-serif; margin: 3rem; } li { font-style: italic; }';
const script = `const list = document.querySelector('#notes');
const show = (notes) => list.replaceChildren(...notes.map((note) => Object.assign(document.createElement('li'), { textContent: note })));
show(await (await fetch('notes')).json());
document.querySelector('form').onsubmit = async (event) => {
  event.preventDefault();
  const note = new FormData(event.target).get('note');
  show(await (await fetch('notes', { method: 'POST', body: note })).json());
  event.target.reset();
};`;
const files = {
  '/': ['text/html; charset=utf-8', page],
  '/board.css': ['text/css', style],
  '/board.js': ['text/javascript', script],
};
const most = 100;
const longest = 500;
const notes = ['It works'];

const server = createServer(async (request, response) => {
  const [type, content] = files[request.url] ?? [];
  if (content) return response.writeHead(200, { 'content-type': type }).end(content);
  if (request.url !== '/notes') return response.writeHead(404).end();
  if (request.method === 'POST') {
    let note = '';
    for await (const chunk of request) note = (note + chunk).slice(0, longest);
    notes.push(note);
    notes.splice(0, notes.length - most);
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(notes));
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
