/* The tables: tabs, rows, sorting, and the source of the most expensive line. */

const ROWS = 25;

/* ---- tabs ---- */

const TITLES = { line: 'Lines', function: 'Functions', object: 'Objects', thread: 'Threads',
  shared: 'Shared lines', flame: 'Flame graph', event: 'Events' };

const sharedLines = () => digits(at('shared').querySelectorAll('tbody tr:not(.side)').length);

function startTables() {
  if (D.nodes.length > 2)
    at('event').before(make('section', { class: 'panel', id: 'flame' }, make('h2', {}, 'Flame graph')));
  const there = Object.keys(TITLES).filter((id) => at(id));
  if (!there.includes(state.tab)) state.tab = there[0];
  const tabs = make('div', { id: 'tabs', role: 'tablist', 'aria-label': 'tables', onkeydown: (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    const next = (there.indexOf(state.tab) + step + there.length) % there.length;
    choose({ tab: there[next], sort: '' });
    at('tab-' + there[next]).focus();
  } }, there.map((id) => make('button', { id: 'tab-' + id, role: 'tab', 'aria-controls': id,
    onclick: () => choose({ tab: id, sort: '' }) }, TITLES[id] + (id === 'shared' ? ' (' + sharedLines() + ')' : ''))));
  at('tables').prepend(tabs);
  for (const id of there) {
    at(id).setAttribute('role', 'tabpanel');
    at(id).setAttribute('aria-labelledby', 'tab-' + id);
  }
  at('tables').append(make('aside', { id: 'source', 'aria-live': 'polite' }));
  startSharedLines();
}

/* ---- rows ---- */

function columnsOf() {
  const list = [];
  if (D.events.some((e) => e.cycles && e.total)) {
    list.push({ id: 'time', label: 'cycles', of: cyclesIn, title: 'issue and all waits' });
    list.push({ id: 'wait', label: 'waits', of: waitsIn, title: 'cycles in which a core waits' });
    list.push({ id: 'cause', label: 'waits for', text: causeOf, title: 'the cause of most of the waits' });
  }
  const events = [...D.columns];
  const measure = Number(state.measure);
  if (state.measure && !Number.isNaN(measure) && !events.includes(measure)) events.unshift(measure);
  for (const i of events)
    list.push({ order: events.indexOf(i), id: String(i), label: labelOf(i), title: D.events[i].name, of: (v) => v[i],
      trained: (v) => v[EVENTS + i] });
  return list;
}

/* On narrow screens the last columns are left out. */
const classOf = (c) => c.text ? 'cause' : c.id === 'time' ? 'late' : c.order > 3 ? 'late' : c.order === 3 ? 'later' : '';

/* Breaks a long event's name where it has words. */
function breakable(label) {
  return label.split(/(?<=[_:. ])/).flatMap((word, i) => i ? [make('wbr'), word] : [word]);
}

function headOf(key, columns) {
  const sorted = state.sort || state.measure;
  return make('tr', {}, make('th', { scope: 'col' }, TITLES[key].slice(0, -1)),
    make('th', { scope: 'col', title: 'of ' + measureName() + ' that are chosen' }, 'share of ' + measureName()),
    columns.map((c) => make('th', { scope: 'col', title: c.title, class: classOf(c),
      'aria-sort': c.id === sorted ? 'descending' : false },
    c.text ? c.label : make('button', { onclick: () => choose({ sort: c.id }) }, breakable(c.label)))));
}

function cellsOf(columns, value, whole, row) {
  const part = measured(value);
  const share = whole > 0 ? Math.min(100, 100 * part / whole) : 0;
  return [make('td', { class: 'share', 'data-l': 'share' }, make('i', { style: 'width:' + share.toFixed(1) + '%' }),
    percent(part, whole)),
  columns.map((c) => {
    if (c.text) return make('td', { class: classOf(c), 'data-l': c.label }, row ? c.text(value) : '');
    const prefetched = c.trained ? c.trained(value) : 0;
    return make('td', { 'data-l': c.label, class: classOf(c) + (c.of(value) ? '' : ' zero'),
      title: prefetched ? digits(prefetched) + ' of them by prefetchers' : false },
    digits(c.of(value)));
  })];
}

const matches = (name) => !state.search
  || (name.main + ' ' + name.sub + ' ' + (name.title || '')).toLowerCase().includes(state.search.toLowerCase());

function rowOf(key, row, columns, whole) {
  const name = row.name;
  const chosen = state.only[key] === row.id;
  return make('tr', { tabindex: 0, 'aria-selected': chosen ? 'true' : 'false', class: chosen ? 'on' : '',
    onclick: () => { if (!String(getSelection())) restrict(key, row.id); },
    onkeydown: (e) => {
      if (e.key === 'Enter' || e.key === ' ') {
        e.preventDefault();
        const at = [...e.currentTarget.parentNode.children].indexOf(e.currentTarget);
        restrict(key, row.id);
        document.querySelectorAll('#' + key + ' tbody tr')[at].focus();
      }
      const next = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[e.key];
      if (next && e.currentTarget[next]) {
        e.preventDefault();
        e.currentTarget[next].focus();
      }
    } },
  make('th', { scope: 'row', title: name.title || name.main }, make('code', {}, name.main), ' ',
    make('span', { class: 'at' }, name.sub)),
  cellsOf(columns, row.value, whole, true));
}

function drawTable(key) {
  const { rows, sum } = tabulate(key);
  const columns = columnsOf();
  const by = columns.find((c) => c.id === (state.sort || state.measure) && c.of);
  const rank = by ? by.of : measured;
  for (const row of rows) row.name = nameOf(key, row.id);
  const found = rows.filter((row) => matches(row.name) && (row.value.some((v) => v) || row.id === state.only[key]));
  found.sort((a, b) => rank(b.value) - rank(a.value) || a.id - b.id);
  const shown = found.slice(0, ROWS + state.more);
  const rest = sum.slice();
  for (const row of shown) row.value.forEach((v, i) => { rest[i] -= v; });
  const whole = measured(sum);
  const table = at(key).querySelector('table');
  const foot = [];
  if (shown.length < rows.length)
    foot.push(make('tr', { class: 'rest' }, make('th', { scope: 'row' },
      digits(rows.length - shown.length) + ' other rows ',
      found.length > shown.length ? make('button', { onclick: () => choose({ more: state.more + 200 }) }, 'show more') : ''),
    cellsOf(columns, rest, whole, false)));
  const all = !hasTime() && !KEYS.some((k) => k !== key && state.only[k] !== undefined);
  foot.push(make('tr', { class: 'all' }, make('th', { scope: 'row' },
    all ? 'all: what the machine’s counters have' : 'all that is chosen'), cellsOf(columns, sum, whole, false)));
  table.replaceChildren(make('thead', {}, headOf(key, columns)),
    make('tbody', {}, shown.map((row) => rowOf(key, row, columns, whole))), make('tfoot', {}, foot));
}

function searchStatic(id) {
  if (!at(id)) return;
  for (const row of at(id).querySelectorAll('tbody tr'))
    row.hidden = state.search !== '' && !row.textContent.toLowerCase().includes(state.search.toLowerCase());
}

function drawTables() {
  for (const id of Object.keys(TITLES)) {
    if (!at(id)) continue;
    const open = id === state.tab;
    at(id).classList.toggle('open', open);
    at('tab-' + id).setAttribute('aria-selected', open ? 'true' : 'false');
    at('tab-' + id).tabIndex = open ? 0 : -1;
  }
  for (const key of KEYS) if (at(key) && key === state.tab) drawTable(key);
  searchStatic('event');
  searchStatic('shared');
  drawSource();
}

/* ---- source ---- */

function excerptOf(file, line) {
  return D.sources.find(([path, from, text]) => path === file && line >= from && line < from + text.split('\n').length - 1);
}

/* The most expensive line of what is chosen, with what its neighbours cost. */
function drawSource() {
  const box = at('source');
  const rows = D.places.length ? tabulateChosen('line') : [];
  const best = rows.filter((row) => D.places[row.id] && D.functions[D.places[row.id][0]][1])
    .sort((a, b) => measured(b.value) - measured(a.value)).find((row) => {
      const place = D.places[row.id];
      return excerptOf(D.functions[place[0]][1], place[1]);
    });
  box.hidden = state.tab === 'flame' || state.tab === 'event' || !rows.length;
  if (box.hidden) return;
  const parts = [];
  if (best) {
    const [number, line] = D.places[best.id];
    const file = D.functions[number][1];
    const [, from, text] = excerptOf(file, line);
    const cost = new Map();
    for (const row of rows)
      if (D.places[row.id] && D.functions[D.places[row.id][0]][1] === file)
        cost.set(D.places[row.id][1], (cost.get(D.places[row.id][1]) || 0) + measured(row.value));
    const whole = [...cost.values()].reduce((a, b) => a + b, 0);
    parts.push(make('h2', { title: file }, ending(file) + ':' + line), make('p', { class: 'soft' },
      'The most expensive line of what is chosen; left: ' + measureName() + '.'),
    make('pre', { tabindex: 0 }, text.split('\n').slice(0, -1).map((source, i) => {
      const here = cost.get(from + i) || 0;
      return make('span', { class: from + i === line ? 'hot' : here > whole / 50 ? 'warm' : '' },
        make('i', {}, here ? digits(here) : ''), make('b', {}, String(from + i)), make('code', {}, source + '\n'));
    })));
  } else {
    parts.push(make('h2', {}, 'Source'), make('p', { class: 'soft' },
      'The source of these lines is not on this page.'));
  }
  for (const key of ['object', 'function']) parts.push(drawTop(key));
  box.replaceChildren(...parts.filter(Boolean));
  showHotLine(box);
}

/* Where the pane is lower than the excerpt, the line is in its middle. */
function showHotLine(box) {
  const hot = box.querySelector('.hot');
  if (hot) box.scrollTop += hot.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
}

/* All rows of a key with all restrictions, its own too. */
function tabulateChosen(key) {
  const rows = new Map();
  for (let i = 0; i < cells.count.length; i++) {
    if (!isChosen(i, '')) continue;
    const id = keyOf[key](i);
    let row = rows.get(id);
    if (!row) rows.set(id, row = { id, value: new Float64Array(2 * EVENTS) });
    row.value[cells.event[i]] += cells.count[i];
  }
  return [...rows.values()];
}

function drawTop(key) {
  if (state.tab === key) return null;
  const rows = tabulateChosen(key).map((row) => ({ ...row, n: measured(row.value) }))
    .filter((row) => row.n).sort((a, b) => b.n - a.n);
  const whole = rows.reduce((sum, row) => sum + row.n, 0);
  if (!rows.length) return null;
  return make('div', { class: 'top' }, make('h2', {}, key === 'object' ? 'Its data' : 'Its functions'),
    rows.slice(0, 4).map((row) => {
      const name = nameOf(key, row.id);
      return make('button', { class: 'small', title: name.main, onclick: () => restrict(key, row.id) },
        make('b', {}, percent(row.n, whole)), ' ', name.main, ' ', make('span', { class: 'at' }, name.sub));
    }));
}

/* ---- shared lines: which bytes of the line each thread uses ---- */

function startSharedLines() {
  if (!at('shared')) return;
  let row = null, uses = [];
  const end = () => {
    if (row && uses.length) row.querySelector('th').append(drawBytes(uses));
  };
  for (const next of at('shared').querySelectorAll('tbody tr')) {
    if (next.classList.contains('side')) {
      uses.push({ byte: Number(next.dataset.byte), thread: next.dataset.thread, count: Number(next.dataset.count) });
      continue;
    }
    end();
    row = next;
    uses = [];
  }
  end();
}

/* A box for each eight bytes, and the threads that use them; uses below 5 % of all are left out. */
function drawBytes(uses) {
  const all = uses.reduce((sum, use) => sum + use.count, 0);
  const boxes = [...Array(8)].map(() => new Map());
  for (const { byte, thread, count } of uses)
    if (byte >= 0 && byte < 64) boxes[byte >> 3].set(thread, (boxes[byte >> 3].get(thread) || 0) + count);
  const threads = boxes.map((box) => [...box].filter(([, n]) => n >= all / 20).map(([thread]) => thread).sort());
  const svg = make('svg', { viewBox: '0 0 320 30', width: 320, height: 30, role: 'img', class: 'bytes',
    'aria-label': 'threads by byte of the line: ' + threads.map((of, i) => of.length ? 8 * i + ': ' + of.join(' and ') : '')
      .filter(Boolean).join(', ') });
  threads.forEach((of, i) => svg.append(
    make('rect', { x: 40 * i + 1, y: 1, width: 38, height: 18, rx: 2, class: of.length > 1 ? 'both' : of.length ? 'one' : 'none' }),
    make('text', { x: 40 * i + 20, y: 14, 'text-anchor': 'middle' }, cut(of.map((t) => 'T' + t).join(' '), 6)),
    make('text', { x: 40 * i + 2, y: 29, class: 'soft' }, '+' + 8 * i)));
  return svg;
}
