/* The page's data, what is chosen, and how the parts are drawn again. Names come from a recording,
 * so from anybody: text becomes part of the page by textContent alone, never as HTML. */

const D = JSON.parse(document.getElementById('data').textContent);
const EVENTS = D.events.length;

/* What is chosen. `only` has a number for each key that rows are restricted to. */
const state = {
  measure: '', tab: 'line', begin: -1, end: -1, only: {}, search: '', sort: '', more: 0, zoom: 0,
};
const KEYS = ['line', 'function', 'object', 'thread'];

/* ---- small things ---- */

function make(tag, attributes, ...children) {
  const svg = ['svg', 'rect', 'path', 'text', 'g', 'line', 'title', 'pattern', 'defs'].includes(tag);
  const it = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on')) it.addEventListener(name.slice(2), value);
    else if (value === true) it.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) it.setAttribute(name, value);
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== '')
      it.append(child);
  return it;
}

const at = (id) => document.getElementById(id);
const digits = (n) => Math.round(n).toLocaleString('en-US');
const percent = (part, whole) => {
  const p = whole > 0 ? 100 * part / whole : 0;
  return (p >= 10 || p === 0 ? p.toFixed(0) : p >= 0.1 ? p.toFixed(1) : '<0.1') + '\u00a0%';
};
/* "7.8 GB/s", "224M lookups/s", "96.5 % of cycles", "1.2k" */
function brief(n, unit = '') {
  const after = unit && ' ' + unit;
  for (const [size, letter] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
    if (n >= size) {
      const number = (n / size).toFixed(n / size < 10 ? 1 : 0);
      return /^B/.test(unit) ? number + ' ' + letter + unit : number + letter + after;
    }
  return String(Math.round(n * 10) / 10) + after;
}
function seconds(cycles) {
  const s = cycles / (D.run.cycles_per_second || 1e9);
  for (const [size, unit] of [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']])
    if (s >= size) return (s / size).toPrecision(3) + ' ' + unit;
  return (s * 1e9).toFixed(0) + ' ns';
}
const cut = (text, n) => text.length > n ? text.slice(0, Math.max(1, n - 1)) + '…' : text;
const ending = (path) => path ? path.slice(path.lastIndexOf('/') + 1) : '';

/* ---- cells: who caused what, when ---- */

const cells = { place: [], object: [], thread: [], node: [], event: [], span: [], count: [] };

function readCells() {
  for (const group of D.cells)
    for (let i = 4; i < group.length; i += 3) {
      cells.place.push(group[0]);
      cells.object.push(group[1]);
      cells.thread.push(group[2]);
      cells.node.push(group[3]);
      cells.event.push(group[i]);
      cells.span.push(group[i + 1]);
      cells.count.push(group[i + 2]);
    }
}

/* Functions of the same name in different files are one. */
const functionNumber = [];
function numberFunctions() {
  const first = new Map();
  D.functions.forEach(([name], i) => {
    if (!first.has(name)) first.set(name, i);
    functionNumber[i] = first.get(name);
  });
}

const keyOf = {
  line: (i) => cells.place[i],
  function: (i) => D.places[cells.place[i]] ? functionNumber[D.places[cells.place[i]][0]] : -1,
  object: (i) => cells.object[i],
  thread: (i) => cells.thread[i],
};

/* A row's name: what it is, where it is, all of it. */
function nameOf(key, id) {
  const cutAway = { main: '(not on this page)', sub: '' };
  if (key === 'function')
    return id < 0 ? cutAway : { main: D.functions[id][0] || '(unknown)', sub: ending(D.functions[id][1]) };
  if (key === 'line') {
    const place = D.places[id];
    if (!place) return cutAway;
    const [name, file] = D.functions[place[0]];
    return { main: name || '(unknown)', sub: file ? ending(file) + ':' + place[1] : '(no line)',
      title: file ? file + ':' + place[1] : '' };
  }
  if (key === 'object') {
    const object = D.objects[id];
    if (!object) return id === 1 ? { main: '(no object)', sub: '' } : cutAway;
    return { main: object[0] || '(unknown)', sub: object[1] };
  }
  const thread = D.threads[id];
  if (!thread) return id === 1 ? { main: '(no thread)', sub: '' } : cutAway;
  return { main: 'thread ' + thread[0], sub: 'process ' + thread[1] + ', ' + ending(thread[2]), title: thread[2] };
}

/* ---- measures: what shares are of ---- */

/* Groups of [value, name]. */
function measures() {
  const some = (member) => D.events.some((e) => e[member] && e.total);
  const groups = { 'Time': [], 'Events': [], 'Cycles by cause': [] };
  if (some('cycles')) groups.Time.push(['time', 'all cycles of the cores']);
  if (some('wait')) groups.Time.push(['wait', 'waits: cycles in which cores wait']);
  D.events.forEach((e, i) => {
    if (!e.attributed || !e.total) return;
    const words = e.wait && e.words ? 'waits ' + e.words : e.words;
    groups[e.cycles ? 'Cycles by cause' : 'Events'].push([String(i), words ? words + ' — ' + e.name : e.name]);
  });
  return Object.entries(groups).filter(([, list]) => list.length);
}
function counts(event) {
  return state.measure === 'wait' ? D.events[event].wait
    : state.measure === 'time' ? D.events[event].cycles : Number(state.measure) === event;
}
function measureName() {
  return state.measure === 'wait' ? 'waits' : state.measure === 'time' ? 'cycles'
    : state.measure ? labelOf(Number(state.measure)) : '';
}
const labelOf = (event) => D.columns.includes(event) ? D.labels[D.columns.indexOf(event)]
  : D.events[event].wait ? 'waits ' + (D.events[event].words || D.events[event].short) : D.events[event].short;

/* ---- what is chosen ---- */

const hasTime = () => state.begin >= 0;

function isChosen(i, except) {
  if (hasTime() && (cells.span[i] - 1 < state.begin || cells.span[i] - 1 > state.end)) return false;
  for (const key of KEYS)
    if (key !== except && state.only[key] !== undefined && keyOf[key](i) !== state.only[key])
      return false;
  return true;
}

/* Counts of each event for each row of a key; events after EVENTS are by prefetchers. */
function tabulate(key) {
  const rows = new Map();
  const sum = new Float64Array(2 * EVENTS);
  for (let i = 0; i < cells.count.length; i++) {
    if (!isChosen(i, key)) continue;
    const id = keyOf[key](i);
    let row = rows.get(id);
    if (!row) rows.set(id, row = { id, value: new Float64Array(2 * EVENTS) });
    row.value[cells.event[i]] += cells.count[i];
    sum[cells.event[i]] += cells.count[i];
  }
  return { rows: [...rows.values()], sum };
}
const measured = (value) => D.events.reduce((sum, e, i) => sum + (counts(i) ? value[i] : 0), 0);
const cyclesIn = (value) => D.events.reduce((sum, e, i) => sum + (e.cycles ? value[i] : 0), 0);
const waitsIn = (value) => D.events.reduce((sum, e, i) => sum + (e.wait ? value[i] : 0), 0);
function causeOf(value) {
  let most = -1;
  D.events.forEach((e, i) => {
    if (e.wait && value[i] > 0 && (most < 0 || value[i] > value[most])) most = i;
  });
  return most < 0 ? '' : D.events[most].name.slice(5) + ' ' + percent(value[most], waitsIn(value));
}

/* ---- controls ---- */

function choose(change) {
  Object.assign(state, change);
  if (!('more' in change)) state.more = 0;
  draw();
}
function restrict(key, id) {
  const only = { ...state.only };
  if (id === undefined || only[key] === id) delete only[key];
  else only[key] = id;
  choose({ only, zoom: 0 });
}

function drawChips() {
  const chips = KEYS.filter((key) => state.only[key] !== undefined).map((key) => {
    const name = nameOf(key, state.only[key]);
    return make('button', { class: 'chip', title: 'show all again', onclick: () => restrict(key) },
      key + ': ' + cut(name.main + (key === 'line' ? ' ' + name.sub : ''), 60) + ' ✕');
  });
  if (hasTime())
    chips.push(make('button', { class: 'chip', title: 'show all again', onclick: () => choose({ begin: -1, end: -1 }) },
      'time: ' + seconds(D.spans[state.begin][0] - D.spans[0][0]) + ' to '
      + seconds(D.spans[state.end][1] - D.spans[0][0]) + ' ✕'));
  at('chips').replaceChildren(...(chips.length ? [make('span', { class: 'soft' }, 'only '), ...chips] : []));
}

function drawControls() {
  const groups = measures();
  const select = make('select', { id: 'measure', onchange: (e) => choose({ measure: e.target.value, sort: '' }) },
    groups.map(([label, list]) => make('optgroup', { label },
      list.map(([value, name]) => make('option', { value, selected: value === state.measure }, name)))));
  const search = make('input', { id: 'search', type: 'search', placeholder: 'name, or / to search',
    'aria-label': 'search names', oninput: (e) => choose({ search: e.target.value }) });
  at('controls').replaceChildren(make('label', {}, 'Shares are of ', select), search,
    make('div', { id: 'chips', 'aria-live': 'polite' }));
  at('controls').hidden = groups.length === 0;
}

/* A card leads to the rows that it is about. */
function openFinding(finding) {
  const only = {};
  const name = D.functions.findIndex(([f]) => f === finding.function);
  const line = D.places.findIndex((p) => p && D.functions[p[0]][0] === finding.function
    && D.functions[p[0]][1] === finding.file && p[1] === finding.line);
  const object = D.objects.findIndex((o) => o && o[0] === finding.object);
  const shared = finding.rule.endsWith('-sharing') && at('shared');
  if (object >= 0) only.object = object;
  if (!shared && line >= 0) only.line = line;
  else if (!shared && name >= 0) only.function = functionNumber[name];
  choose({ only, begin: -1, end: -1, zoom: 0, tab: shared ? 'shared' : object >= 0 && line < 0 ? 'object' : 'line' });
  at('controls').scrollIntoView({ behavior: 'smooth', block: 'start' });
}

function startCards() {
  for (const card of document.querySelectorAll('[data-finding]')) {
    const finding = D.findings[Number(card.dataset.finding)];
    card.append(make('button', { class: 'open', onclick: () => openFinding(finding) }, 'Show the rows'));
  }
  for (const card of document.querySelectorAll('.card.hot')) {
    const { place, object } = card.dataset;
    const colon = place.lastIndexOf(':');
    const finding = { rule: '', function: card.dataset.function, object: object || null,
      file: place ? place.slice(0, colon) : null, line: place ? Number(place.slice(colon + 1)) : 0 };
    card.append(make('button', { class: 'open', onclick: () => openFinding(finding) }, 'Show the rows'));
  }
}

function startMoved() {
  const words = document.querySelector('#causes .moved');
  if (words && at('shared'))
    words.append(make('button', { class: 'open', onclick: () => {
      choose({ tab: 'shared', sort: '' });
      at('controls').scrollIntoView({ behavior: 'smooth', block: 'start' });
    } }, 'Show them'));
}

function draw() {
  drawChips();
  drawTables();
  drawTime();
  drawFlame();
}

function start() {
  document.documentElement.classList.add('js');
  readCells();
  numberFunctions();
  const list = measures().flatMap(([, group]) => group.map(([value]) => value));
  state.measure = list.includes(D.measure) ? D.measure : list[0] || '';
  startCards();
  startMoved();
  drawControls();
  startTables();
  startTime();
  startFlame();
  drawMachine();
  at('drawings').hidden = !at('drawings').querySelector('svg');
  draw();
  addEventListener('keydown', (e) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
    if (e.key === '/' && !typing) {
      e.preventDefault();
      at('search').focus();
    } else if (e.key === 'Escape') {
      at('search').value = '';
      choose({ only: {}, begin: -1, end: -1, search: '', zoom: 0 });
    }
  });
  let width = innerWidth;
  addEventListener('resize', () => {
    if (width !== innerWidth) drawFlame();
    width = innerWidth;
  });
}
