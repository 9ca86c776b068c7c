/* The machine: cores, slices of the last-level cache, other units and memory, shaded by what they
 * counted. A box has its number as text, so shades only help. */

/* Which event stands for the traffic of a kind of unit: the first that was counted. */
const TRAFFIC = {
  cbo: ['CBO_CACHE_LOOKUP:ANY_MESI', 'C_LLC_LOOKUP:ANY', 'C_TOR_INSERTS:ALL'], cbox: ['LLC_HITS:ALL', 'TRANS_IRQ'],
  arb: ['ARB_TRK_REQUESTS:ALL'], imc: ['DRAM_DATA_READS', 'M_CAS_COUNT:RD', 'M_CAS_COUNT'], mbox: ['BBOX_CMDS_ALL', 'FVC:BBOX_CMDS.READS'],
  sbox: ['TO_R_B_REQUESTS', 'PKTS_RCVD'], bbox: ['MSGS_S_TO_B'], rbox: ['FLITS_SENT', 'NEW_PACKETS_RECV'], ha: ['H_REQUESTS'],
  qpi: ['Q_TXL_FLITS'], p6: ['BUS_TRAN_ANY', 'BUS_TRAN'],
};
const WORDS = { cbo: 'LLC slices', cbox: 'LLC slices', arb: 'ARB', imc: 'memory controller', mbox: 'memory controllers (M-boxes)',
  sbox: 'S-boxes', bbox: 'B-boxes', rbox: 'R-box: links to other packages', ha: 'home agents', qpi: 'QPI links',
  pcu: 'power', clock: 'clock', wbox: 'W-box', ubox: 'U-box', p6: 'bus' };
const ORDER = ['cbo', 'cbox', 'sbox', 'arb', 'ha', 'bbox', 'p6', 'imc', 'mbox', 'qpi', 'rbox'];

function kindOf(pmu) {
  return pmu.slice(pmu.lastIndexOf('_') + 1);
}

/* The event of each kind of unit, and its counts: {kind: {event, packages: [[n, …], …]}}. */
function trafficOf() {
  const kinds = new Map();
  for (const [event, pmu, pack, unit, n] of D.units) {
    const kind = kindOf(pmu);
    if (!ORDER.includes(kind)) continue;
    if (!kinds.has(kind)) kinds.set(kind, new Map());
    const events = kinds.get(kind);
    if (!events.has(event)) events.set(event, []);
    const packs = events.get(event);
    (packs[pack] = packs[pack] || [])[unit] = n;
  }
  return ORDER.filter((kind) => kinds.has(kind)).map((kind) => {
    const events = [...kinds.get(kind).keys()];
    const sum = (e) => kinds.get(kind).get(e).flat().reduce((a, b) => a + b, 0);
    const wanted = (TRAFFIC[kind] || []).map((name) => events.find((e) => D.events[e].short.startsWith(name) && sum(e)));
    const event = wanted.find((e) => e !== undefined) ?? events.find((e) => sum(e)) ?? events[0];
    return { kind, event, packages: kinds.get(kind).get(event) };
  });
}

/* Of each core: cycles, waits, and what it asked the last-level cache for. */
function coresOf() {
  const cores = new Map();
  for (const [event, core, n] of D.cores) {
    if (!cores.has(core)) cores.set(core, { cycles: 0, waits: 0 });
    if (D.events[event].cycles) cores.get(core).cycles += n;
    if (D.events[event].wait) cores.get(core).waits += n;
  }
  const packages = [];
  const units = D.coreUnits.length ? D.coreUnits : [...cores.keys()].map((core) => [0, core]);
  const each = new Map();
  for (const [pack] of units) each.set(pack, (each.get(pack) || 0) + 1);
  for (const [pack, unit] of units) {
    const core = pack * each.get(pack) + unit;
    (packages[pack] = packages[pack] || []).push({ core, ...(cores.get(core) || { cycles: 0, waits: 0 }) });
  }
  return packages;
}

/* Three lines at most; the shade is the part of the largest. */
function box(x, y, width, height, lines, part, title) {
  const shade = part > 0.66 ? 4 : part > 0.33 ? 3 : part > 0.1 ? 2 : part > 0 ? 1 : 0;
  const from = y + height / 2 - (lines.length - 1) * 6.5 + 4;
  return make('g', { class: 'unit' }, make('title', {}, title),
    make('rect', { x, y, width, height, rx: 3, class: 'heat' + shade }),
    lines.map((line, i) => make('text', { x: x + width / 2, y: from + 13 * i, 'text-anchor': 'middle' },
      cut(line, Math.max(3, Math.floor(width / 6))))));
}

function rowOfBoxes(svg, y, width, label, n, draw) {
  const columns = Math.min(n, width < 300 ? 4 : n > 10 ? 8 : n);
  const gap = 4, each = (width - gap * (columns - 1)) / columns, height = 34;
  svg.append(make('text', { x: 0, y: y + 10, class: 'soft' }, cut(label, Math.floor(width / 5.8))));
  for (let i = 0; i < n; i++)
    svg.append(draw(i, (i % columns) * (each + gap), y + 15 + Math.floor(i / columns) * (height + gap), each, height));
  return y + 15 + Math.ceil(n / columns) * (height + gap) + 6;
}

function drawPackage(pack, packs, cores, traffic, width) {
  const svg = make('g', {});
  let y = 0;
  if (packs > 1) {
    svg.append(make('text', { x: 0, y: 12, class: 'strong' }, 'package ' + pack));
    y = 20;
  }
  const own = cores[pack] || [];
  const most = Math.max(1, ...cores.flat().map((c) => c.cycles));
  if (own.length)
    y = rowOfBoxes(svg, y, width, own.length > 1 ? 'cores: the part of their cycles that is waiting' : 'core: the part of its cycles that is waiting', own.length, (i, x, top, w, h) =>
      box(x, top, w, h, own[i].cycles ? ['core ' + own[i].core, 'waits ' + percent(own[i].waits, own[i].cycles)] : ['core ' + own[i].core, 'idle'],
        own[i].waits / most, 'core ' + own[i].core + ': ' + digits(own[i].cycles) + ' cycles, waits in ' + digits(own[i].waits)));
  for (const { kind, event, packages } of traffic) {
    const counts = packages[pack] || [];
    const largest = Math.max(1, ...packages.flat().map((n) => n || 0));
    if (!counts.length) continue;
    y = rowOfBoxes(svg, y, width, (WORDS[kind] || kind) + ': ' + D.events[event].short, counts.length, (i, x, top, w, h) =>
      box(x, top, w, h, counts.length > 1 ? [(kind.startsWith('cbo') ? 'slice ' : '') + i, brief(counts[i] || 0)] : [digits(counts[i] || 0)],
        counts.length > 1 || packages.length > 1 ? (counts[i] || 0) / largest : 0, D.events[event].name + ' of unit ' + i + ': ' + digits(counts[i] || 0)));
  }
  return { svg, height: y };
}

/* Which core asked which slice: one row for each core, the last one for devices and nobody. */
const MATRIX_MOST = 16;

function matrixOf() {
  if (!D.matrix.length || D.matrix.some(([, , pack]) => pack !== D.matrix[0][2])) return null;
  const cores = [...new Set(D.matrix.map(([, core]) => core))].sort((a, b) => (a === null) - (b === null) || a - b);
  const units = 1 + Math.max(...D.matrix.map(([, , , unit]) => unit));
  if (units < 2 || units > MATRIX_MOST || cores.length > MATRIX_MOST + 1) return null;
  const rows = cores.map((core) => ({ name: core === null ? 'others' : 'core ' + core, counts: new Array(units).fill(0) }));
  for (const [, core, , unit, n] of D.matrix) rows[cores.indexOf(core)].counts[unit] += n;
  return { event: D.matrix[0][0], units, rows };
}

function drawMatrix(svg, y, width, matrix) {
  const label = 48, gap = 4, height = 24, each = (width - label - gap * (matrix.units - 1)) / matrix.units;
  const largest = Math.max(1, ...matrix.rows.flatMap((row) => row.counts));
  const group = make('g', { class: 'matrix' }, make('text', { x: 0, y: y + 10, class: 'soft' },
    cut('which core asks which slice: ' + D.events[matrix.event].short, Math.floor(width / 5.8))));
  svg.append(group);
  y += 15;
  for (const row of matrix.rows) {
    group.append(make('text', { x: 0, y: y + height / 2 + 4 }, row.name),
      ...row.counts.map((n, i) => box(label + i * (each + gap), y, each, height, [brief(n)], n / largest,
        row.name + ', slice ' + i + ': ' + digits(n))));
    y += height + gap;
  }
  return y + 6;
}

/* What went to and from memory, if events say so in lines. */
function memoryLine() {
  const sum = (pattern) => {
    const e = D.events.find((event) => pattern.test(event.name) && event.total !== null);
    return e ? e.total : null;
  };
  const reads = sum(/::DRAM_DATA_READS$|CAS_COUNT:RD$|BBOX_CMDS\.READS$/);
  const writes = sum(/::DRAM_DATA_WRITES$|CAS_COUNT:WR$|BBOX_CMDS\.WRITES$/);
  if (reads === null && writes === null) return '';
  const bytes = (n) => n === null ? 'not counted' : brief(64 * n, 'B');
  return 'memory: read ' + bytes(reads) + ', written ' + bytes(writes);
}

function drawMachine() {
  const cores = coresOf(), traffic = trafficOf();
  const packs = Math.max(cores.length, ...traffic.map((t) => t.packages.length), 1);
  if (!traffic.length && !D.cores.length) {
    at('machine').remove();
    return;
  }
  const columns = packs > 1 ? 2 : 1, gap = 16;
  const width = packs > 1 ? 260 : 400;
  const svg = make('svg', { role: 'img', 'aria-label': 'the machine; its numbers are in the table of events' });
  let y = 0;
  for (let pack = 0; pack < packs; pack += columns) {
    let height = 0;
    for (let i = 0; i < columns && pack + i < packs; i++) {
      const drawn = drawPackage(pack + i, packs, cores, traffic, width);
      drawn.svg.setAttribute('transform', 'translate(' + i * (width + gap) + ' ' + y + ')');
      svg.append(drawn.svg);
      height = Math.max(height, drawn.height);
    }
    y += height + 10;
  }
  const all = columns * width + (columns - 1) * gap;
  const matrix = matrixOf();
  if (matrix) y = drawMatrix(svg, y, all, matrix);
  if (memoryLine()) {
    svg.append(make('rect', { x: 0, y, width: all, height: 24, rx: 3, class: 'heat0' }),
      make('text', { x: all / 2, y: y + 16, 'text-anchor': 'middle' }, memoryLine()));
    y += 28;
  }
  svg.style.maxWidth = 1.15 * all + 'px';
  svg.setAttribute('viewBox', '-1 0 ' + (all + 2) + ' ' + y);
  at('machine').append(svg, make('p', { class: 'soft' },
    'Darker boxes have more of their row' + (matrix ? ', or of the matrix' : '') + '. Of the whole run.'));
}
