const $ = (id) => document.getElementById(id);
const views = ['home', 'waiting', 'found', 'playing'];
let socket;
let sinceMs = 0;
let deadlineMs = 0;

function show(view) {
  for (const id of views) $(id).hidden = id !== view;
}

function connect() {
  socket = new WebSocket(`${location.origin.replace('http', 'ws')}/`);
  socket.onmessage = ({ data }) => take(JSON.parse(data));
  socket.onclose = () => {
    show('home');
    $('status').textContent = 'The connection to the lobby was lost. Connecting again …';
    setTimeout(connect, 1000 + 2000 * Math.random());
  };
  socket.onopen = () => {
    $('status').textContent = '';
  };
}

function take(message) {
  show(message.at);
  $('status').textContent = message.why ?? '';
  if (message.at === 'waiting') {
    sinceMs = Date.now();
    $('expected').textContent =
      message.expectedSeconds === undefined ? '' : ` of about ${message.expectedSeconds} s`;
  }
  if (message.at === 'found') {
    deadlineMs = Date.parse(message.deadline);
    for (const id of ['accept', 'decline']) $(id).disabled = false;
    $('accept').focus();
  }
  if (message.at === 'playing') $('teams').replaceChildren(...message.teams.map(teamList));
}

function teamList(names, team) {
  const list = document.createElement('ol');
  list.setAttribute('aria-label', `Team ${team + 1}`);
  for (const name of names) {
    const item = document.createElement('li');
    // Text, never HTML: a name may contain anything.
    item.textContent = name;
    list.append(item);
  }
  return list;
}

function send(message) {
  socket.send(JSON.stringify(message));
}

$('home').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  send({ do: 'find', name: form.get('name'), skill: Number(form.get('skill')) });
});
for (const [id, accepted] of [
  ['accept', true],
  ['decline', false],
]) {
  $(id).addEventListener('click', () => {
    for (const other of ['accept', 'decline']) $(other).disabled = true;
    $('status').textContent = accepted ? 'Waiting for the others …' : '';
    send({ do: 'answer', accepted });
  });
}
document.querySelector('[data-leave]').addEventListener('click', () => send({ do: 'leave' }));
$('again').addEventListener('click', () => show('home'));
setInterval(() => {
  $('waited').textContent = String(Math.round((Date.now() - sinceMs) / 1000));
  $('left').textContent = `${Math.max(0, Math.round((deadlineMs - Date.now()) / 1000))} s left to accept.`;
}, 250);
connect();
