'use strict';
const at = (id) => document.getElementById(id);
const program = at('program'), shown = at('shown'), output = at('output'), state = at('state');
const token = location.hash.slice(1);
const largest = 50000;  // longer texts have one colour
const grammars = {};
let running = null;     // the AbortController of what runs
let profiling = false;  // or did
let wrong = [];         // {line, column, text}, from 1; column 0: the whole line

// The editor: the text is a textarea's, and what is seen lies below it.

function piecesOf(text) {
  const rules = grammars[at('language').value];
  return rules && text.length <= largest ? highlight(rules, text) : [];
}

function placeOf(lines, {line, column}) {
  let from = 0;
  for (let k = 0; k < Math.min(line, lines.length) - 1; ++k) from += lines[k].length + 1;
  const length = (lines[line - 1] ?? '').length;
  const start = from + Math.min(Math.max(column - 1, 0), length);
  return {line: {from, to: from + length}, place: column > 0 ? {from: start, to: start + 1} : null};
}

function paint() {
  const text = program.value, lines = text.split('\n');
  const marks = piecesOf(text).map((p) => ({...p, name: p.kind}));
  for (const message of wrong) {
    const {line, place} = placeOf(lines, message);
    marks.push({...line, name: 'bad-line'});
    if (place) marks.push({...place, name: 'bad-place'});
  }
  const cuts = [...new Set([0, text.length, ...marks.flatMap((m) => [m.from, Math.min(m.to, text.length)])])].sort((a, b) => a - b);
  const whole = document.createDocumentFragment();
  marks.sort((a, b) => a.from - b.from);
  let open = [], next = 0;
  for (let k = 0; k + 1 < cuts.length; ++k) {
    while (next < marks.length && marks[next].from <= cuts[k]) open.push(marks[next++]);
    open = open.filter((m) => m.to > cuts[k]);
    const piece = text.slice(cuts[k], cuts[k + 1]);
    if (open.length === 0) {
      whole.append(piece);
    } else {
      const span = document.createElement('span');
      span.className = open.map((m) => m.name).join(' ');
      span.textContent = piece;
      whole.append(span);
    }
  }
  whole.append('\n ');
  shown.replaceChildren(whole);
  const bad = new Set(wrong.map((m) => m.line));
  at('gutter').replaceChildren(...lines.flatMap((_, k) => {
    const number = document.createElement('span');
    number.textContent = `${k + 1}\n`;
    number.className = bad.has(k + 1) ? 'wrong' : '';
    return [number];
  }));
}

function setMessages(list) {
  wrong = list;
  at('messages').replaceChildren(...list.map((message) => {
    const item = document.createElement('li');
    item.textContent = `line ${message.line}: ${message.text}`;
    item.addEventListener('click', () => {
      const {line, place} = placeOf(program.value.split('\n'), message);
      program.focus();
      program.setSelectionRange((place ?? line).from, (place ?? line).to);
    });
    return item;
  }));
  paint();
}

program.addEventListener('input', () => setMessages([]));
program.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    start(event.shiftKey);
  } else if (event.key === 'Escape') {
    running?.abort();
  } else if (event.key === 'Tab' && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey) {
    event.preventDefault();
    program.setRangeText('  ', program.selectionStart, program.selectionEnd, 'end');
    program.dispatchEvent(new Event('input'));
  }
});
at('language').addEventListener('change', () => setMessages([]));

// Results: text as it comes, charts among it as pictures, messages with their places.

const text = {out: '', err: '', report: ''};

function write(words, kind) {
  const span = document.createElement('span');
  span.className = kind;
  span.textContent = words;
  output.append(span);
}

// Programs write there, too.
function writeMessages(words) {
  for (const line of words.split(/(?<=\n)/)) write(line, /^(standard input:\d|nvm: )/.test(line) ? 'err' : 'out');
}

// What of `out` is whole: a chart is one document.
function flush(all) {
  for (;;) {
    const begin = text.out.indexOf('<svg'), end = text.out.indexOf('</svg>');
    if (begin >= 0 && end > begin) {
      write(text.out.slice(0, begin), 'out');
      const image = document.createElement('img');
      image.alt = 'chart';
      image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text.out.slice(begin, end + 6));
      output.append(image);
      text.out = text.out.slice(end + 6).replace(/^\n/, '');
      continue;
    }
    const whole = all ? text.out.length : begin >= 0 ? begin : text.out.length - (text.out.endsWith('<') ? 1 : 0);
    if (whole > 0) write(text.out.slice(0, whole), 'out');
    text.out = text.out.slice(whole);
    return;
  }
}

const message = /^standard input:(\d+)(?::(\d+))?: (?:error: )?(?!warning|note)(.*)$/gm;

function place() {
  setMessages([...text.err.matchAll(message)].map(([, line, column, words]) =>
    ({line: Number(line), column: Number(column ?? 0), text: words})));
}

function choose(profile) {
  at('page').hidden = !profile;
  output.hidden = profile;
  at('show-profile').classList.toggle('chosen', profile);
  at('show-output').classList.toggle('chosen', !profile);
}
at('show-output').addEventListener('click', () => choose(false));
at('show-profile').addEventListener('click', () => choose(true));

const ends = {good: 'done', failed: 'failed', refused: 'not a program yet', stopped: 'stopped'};

function take(event) {
  const [kind, value] = Object.entries(event)[0];
  if (kind === 'out') {
    text.out += value;
    flush(false);
  } else if (kind === 'err') {
    text.err += value;
    if (!profiling) return writeMessages(value);
    text.out += value;  // a profile has the other stream for itself
    flush(false);
  } else if (kind === 'report') {
    text.report += value;
  } else if (kind === 'page') {
    at('page').src = value;
    at('show-profile').disabled = false;
    choose(true);
  } else if (kind === 'trace') {
    at('trace').href = value;
    at('trace').hidden = false;
  } else if (kind === 'end') {
    finish(value, event.why);
  }
}

function finish(how, why) {
  flush(true);
  if (text.report) write('\n' + text.report, 'out');
  place();
  state.textContent = ends[how] + (why ? `: ${why}` : '');
  state.classList.toggle('bad', how !== 'good');
}

async function readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '', ended = false;
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return ended;
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const event = JSON.parse(line);
      ended ||= 'end' in event;
      take(event);
    }
  }
}

function begin() {
  for (const key of Object.keys(text)) text[key] = '';
  output.replaceChildren();
  setMessages([]);
  choose(false);
  at('show-profile').disabled = true;
  at('trace').hidden = true;
  state.className = '';
  state.textContent = 'running';
}

function busy(yes) {
  at('run').disabled = at('profile').disabled = yes;
  at('stop').disabled = !yes;
}

async function start(profile) {
  if (running) return;
  running = new AbortController();
  profiling = profile;
  busy(true);
  begin();
  try {
    const answer = await fetch('/run', {
      method: 'POST', signal: running.signal, headers: {'Content-Type': 'application/json', 'X-Nvm-Token': token},
      body: JSON.stringify({language: at('language').value, program: program.value, profile}),
    });
    if (!answer.ok) finish('stopped', (await answer.json()).error);
    else if (!await readEvents(answer.body)) finish('stopped', 'the server has gone');
  } catch (problem) {
    finish('stopped', problem.name === 'AbortError' ? 'by you' : 'the server does not answer');
  }
  running = null;
  busy(false);
}

at('run').addEventListener('click', () => start(false));
at('profile').addEventListener('click', () => start(true));
at('stop').addEventListener('click', () => running?.abort());

// The examples, and the beginning.

function open(example) {
  at('language').value = example.language;
  program.value = example.text;
  setMessages([]);
  at('sheet').scrollTo(0, 0);
}

async function load() {
  const examples = await (await fetch('/examples.json')).json();
  at('example').replaceChildren(...examples.map((e, k) =>
    new Option(e.name.replaceAll('_', ' ') + (e.language === 'nesl' ? '' : ' (Remora)'), k)));
  at('example').addEventListener('change', () => open(examples[at('example').value]));
  for (const language of ['nesl', 'remora']) grammars[language] = compileGrammar(await (await fetch(`/${language}.json`)).json());
  open(examples[0]);
  if (!token) finish('stopped', 'to run programs, open the address that nvm serve has printed, with all that stands behind the #');
  document.body.dataset.ready = 'yes';
}
load();
