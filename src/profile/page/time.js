/* What happened when: a strip for each event, and a drag over them that chooses a time. A time is a
 * number of spans: those are what the tables know. */

const STRIP = { width: 600, height: 40, most: 5 };

/* The waits' share of all cycles in each span. */
function waitSeries() {
  if (!D.spans.length || !D.events.some((e) => e.wait && e.total)) return null;
  const all = new Float64Array(D.spans.length), waits = new Float64Array(D.spans.length);
  for (const [event, span, n] of D.moments) {
    if (D.events[event].cycles) all[span - 1] += n;
    if (D.events[event].wait) waits[span - 1] += n;
  }
  return { label: 'cores wait', begin: D.spans.map((s) => s[0]), end: D.spans.map((s) => s[1]),
    value: [...waits].map((w, i) => all[i] ? 100 * w / all[i] : 0), unit: '% of cycles', measure: 'wait' };
}

/* A count in each interval becomes one in each second. */
function eventSeries(sum) {
  const { begin, end } = D.series;
  const hz = D.run.cycles_per_second || 1e9;
  const event = D.events[sum.event];
  const bytes = /^64 B/.test(event.unit || '') ? 64 : 1;
  return { label: labelOf(sum.event), title: event.name + (sum.gaps ? ' (some intervals have no value)' : ''), begin, end,
    value: sum.n.map((n, i) => end[i] > begin[i] ? bytes * n * hz / (end[i] - begin[i]) : 0),
    unit: bytes > 1 ? 'B/s' : (event.unit || '') + '/s', measure: String(sum.event) };
}

function chosenSeries() {
  const list = [waitSeries()];
  const sums = new Map(D.series.sums.map((sum) => [sum.event, sum]));
  const order = [Number(state.measure), ...D.columns, ...sums.keys()].filter((e) => sums.has(e));
  const most = D.cells.length ? STRIP.most : time.all ? 1000 : 8;
  for (const event of [...new Set(order)].slice(0, most)) list.push(eventSeries(sums.get(event)));
  return list.filter(Boolean);
}

const time = { first: 0, last: 0, all: false, from: null };

function bounds() {
  const ends = [...D.spans.map((s) => s[1]), ...D.series.end];
  const begins = [...D.spans.map((s) => s[0]), ...D.series.begin];
  time.first = begins.length ? begins.reduce((a, b) => Math.min(a, b)) : 0;
  /* Spans are wider than the run is long: the series ends where the run does. */
  const used = D.moments.reduce((most, m) => Math.max(most, m[1]), 0);
  time.last = D.series.end.length ? D.series.end[D.series.end.length - 1]
    : used ? D.spans[used - 1][1] : ends.length ? ends.reduce((a, b) => Math.max(a, b)) : 0;
}

const xOf = (t) => STRIP.width * (t - time.first) / (time.last - time.first || 1);

/* Steps, not slopes: a value holds for its whole interval. */
function drawStrip(series) {
  const most = series.value.reduce((a, b) => Math.max(a, b), 0);
  let path = 'M0 ' + STRIP.height;
  series.value.forEach((v, i) => {
    const y = (STRIP.height - (most ? (STRIP.height - 3) * v / most : 0)).toFixed(1);
    path += 'L' + xOf(series.begin[i]).toFixed(1) + ' ' + y + 'H' + xOf(series.end[i]).toFixed(1);
  });
  path += 'V' + STRIP.height + 'Z';
  const chosen = series.measure === state.measure;
  return make('div', { class: 'strip' + (chosen ? ' chosen' : '') },
    make('div', { title: series.title || series.label }, make('span', { class: 'label' }, breakable(series.label)),
      make('span', { class: 'soft' }, 'max ' + brief(most, series.unit))),
    make('svg', { viewBox: '0 0 ' + STRIP.width + ' ' + STRIP.height, preserveAspectRatio: 'none', role: 'img',
      'aria-label': series.label + ' over time, at most ' + brief(most, series.unit) },
    make('path', { d: path })));
}

/* The function with most cycles in each span; neighbours with the same one are joined. */
function drawPhases() {
  const by = D.spans.map(() => new Map());
  for (let i = 0; i < cells.count.length; i++)
    if (cells.event[i] < EVENTS && D.events[cells.event[i]].cycles && cells.span[i]) {
      const id = keyOf.function(i);
      const map = by[cells.span[i] - 1];
      map.set(id, (map.get(id) || 0) + cells.count[i]);
    }
  const phases = [];
  by.forEach((map, i) => {
    let best = null;
    for (const [id, n] of map) if (!best || n > best[1]) best = [id, n];
    if (!best) return;
    const last = phases[phases.length - 1];
    if (last && last.id === best[0]) last.end = i;
    else phases.push({ id: best[0], begin: i, end: i });
  });
  if (!phases.length) return null;
  return make('div', { class: 'strip phases' }, make('div', {}, make('span', { class: 'label' }, 'most cycles in')),
    make('div', { class: 'track' }, phases.map((phase) => {
      const name = nameOf('function', phase.id).main;
      const left = xOf(D.spans[phase.begin][0]), right = Math.min(STRIP.width, xOf(D.spans[phase.end][1]));
      const style = 'left:' + (left / 6).toFixed(2) + '%;width:' + ((right - left) / 6).toFixed(2) + '%';
      return make('button', { style, title: name, onclick: () => choose({ begin: phase.begin, end: phase.end }) }, name);
    })));
}

/* ---- choosing ---- */

function spanAt(x) {
  const t = time.first + Math.min(1, Math.max(0, x)) * (time.last - time.first);
  let at = D.spans.findIndex((s) => t < s[1]);
  return at < 0 ? D.spans.length - 1 : at;
}

function startTime() {
  bounds();
  if (time.last <= time.first) {
    at('time').remove();
    return;
  }
  const box = at('time');
  if (D.spans.length)
    box.querySelector('h2').append(make('span', { class: 'soft' }, ' — drag over it, and the tables show that time only'));
  box.append(make('div', { id: 'strips', tabindex: 0, role: 'group',
    'aria-label': 'time: arrow keys choose a span, with shift they widen it, Escape chooses all' }));
  const strips = at('strips');
  const place = (e) => {
    const track = strips.querySelector('.strip svg, .strip .track').getBoundingClientRect();
    return (e.clientX - track.left) / track.width;
  };
  strips.addEventListener('pointerdown', (e) => {
    if (!D.spans.length || e.target.tagName === 'BUTTON' || place(e) < 0) return;
    time.from = spanAt(place(e));
    strips.setPointerCapture(e.pointerId);
  });
  strips.addEventListener('pointermove', (e) => {
    if (time.from === null) return;
    const to = spanAt(place(e));
    drawSelection(Math.min(time.from, to), Math.max(time.from, to));
  });
  strips.addEventListener('pointerup', (e) => {
    if (time.from === null) return;
    const from = time.from, to = spanAt(place(e));
    time.from = null;
    choose({ begin: Math.min(from, to), end: Math.max(from, to) });
  });
  strips.addEventListener('pointercancel', () => { time.from = null; drawSelection(state.begin, state.end); });
  strips.addEventListener('keydown', (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step || !D.spans.length || e.target !== strips) return;
    e.preventDefault();
    const last = spanAt(1);
    const move = (i) => Math.min(last, Math.max(0, i + step));
    if (!hasTime()) choose({ begin: step > 0 ? 0 : last, end: step > 0 ? 0 : last });
    else if (e.shiftKey) choose(step > 0 ? { end: move(state.end) } : { begin: move(state.begin) });
    else choose({ begin: move(state.begin), end: move(state.end) });
  });
}

function drawSelection(begin, end) {
  const old = at('selection');
  if (old) old.remove();
  const track = at('strips') && at('strips').querySelector('.strip svg, .strip .track');
  if (!track || begin < 0) return;
  const box = at('strips').getBoundingClientRect(), over = track.getBoundingClientRect();
  const left = xOf(D.spans[begin][0]) / STRIP.width * over.width;
  const right = Math.min(STRIP.width, xOf(D.spans[end][1])) / STRIP.width * over.width;
  at('strips').append(make('div', { id: 'selection',
    style: 'left:' + (over.left - box.left + left) + 'px;width:' + Math.max(2, right - left) + 'px' }));
}

function drawTime() {
  if (!at('strips')) return;
  const length = time.last - time.first;
  const parts = [...chosenSeries().map(drawStrip), D.cells.length ? drawPhases() : null,
    make('div', { class: 'strip axis' }, make('div', {}),
      make('div', {}, make('span', {}, '0'), make('span', {}, seconds(length / 2)), make('span', {}, seconds(length))))];
  if (D.series.each > 1)
    parts.push(make('p', { class: 'soft' }, 'A step is the sum of ' + digits(D.series.each) + ' intervals of the '
      + digits(D.series.intervals) + ' that were recorded.'));
  if (!D.cells.length && D.series.sums.length > 8 && !time.all)
    parts.push(make('button', { onclick: () => { time.all = true; drawTime(); } },
      'show all ' + D.series.sums.length + ' events'));
  at('strips').replaceChildren(...parts.filter(Boolean));
  drawSelection(state.begin, state.end);
}
