/* The flame graph: callers above callees, width by the chosen measure. */

const FRAME = 20;

function startFlame() {
  if (at('flame'))
    at('flame').append(make('p', { class: 'soft', id: 'flame-note' }),
      make('div', { id: 'frames', role: 'tree', 'aria-label': 'calls' }));
}

/* Calls of what is chosen, as a tree of functions with their sums. */
function callTree() {
  const tree = { id: -1, n: 0, own: 0, below: new Map() };
  const paths = [];
  const child = (node, id) => {
    if (!node.below.has(id)) node.below.set(id, { id, n: 0, own: 0, below: new Map() });
    return node.below.get(id);
  };
  const pathOf = (node) => {
    if (!paths[node]) {
      const path = [];
      for (let n = node; n > 1; n = D.nodes[n][0]) path.push(functionNumber[D.nodes[n][1]]);
      paths[node] = node === 1 ? [-2] : path.reverse();
    }
    return paths[node];
  };
  for (let i = 0; i < cells.count.length; i++) {
    const event = cells.event[i];
    if (event >= EVENTS || !counts(event) || !isChosen(i, '')) continue;
    let node = tree;
    tree.n += cells.count[i];
    for (const id of [...pathOf(cells.node[i]), keyOf.function(i)]) {
      node = child(node, id);
      node.n += cells.count[i];
    }
    node.own += cells.count[i];
  }
  return tree;
}

const frameName = (id) => id === -2 ? '(calls not on this page)' : nameOf('function', id).main;

/* Shows `node` from x on, `width` wide, and below it its callees. */
function drawFrames(svg, node, x, width, depth, whole, path) {
  if (width < 1.5) return depth;
  let deepest = depth;
  if (node.id !== -1) {
    const name = frameName(node.id);
    const hit = state.search && name.toLowerCase().includes(state.search.toLowerCase());
    const text = name + ': ' + digits(node.n) + ' ' + measureName() + ', ' + percent(node.n, whole)
      + ', itself ' + percent(node.own, whole);
    const frame = make('g', { class: 'frame' + (hit ? ' hit' : '') + ' shade' + (depth % 2), tabindex: -1,
      role: 'treeitem', 'aria-label': text, 'aria-level': depth + 1, 'data-path': path.join(' '),
      onclick: () => zoomTo(path), onkeydown: moveInFlame },
    make('title', {}, text),
    make('rect', { x: x.toFixed(1), y: depth * FRAME, width: Math.max(1, width - 1).toFixed(1), height: FRAME - 1, rx: 1 }));
    if (width > 34)
      frame.append(make('text', { x: (x + 4).toFixed(1), y: depth * FRAME + 14 }, cut(name, Math.floor((width - 6) / 6.7))));
    svg.append(frame);
    deepest = depth + 1;
  }
  const below = [...node.below.values()].sort((a, b) => b.n - a.n || a.id - b.id);
  let from = x;
  for (const callee of below) {
    const part = width * callee.n / node.n;
    deepest = Math.max(deepest, drawFrames(svg, callee, from, part, node.id === -1 ? depth : depth + 1, whole, [...path, callee.id]));
    from += part;
  }
  return deepest;
}

function zoomTo(path) {
  choose({ zoom: state.zoom && state.zoom.join(' ') === path.join(' ') ? 0 : path });
  const frame = at('frames').querySelector('.frame');
  if (frame) frame.focus();
}

/* Arrows go to the caller, the first callee and the neighbours; Enter zooms. */
function moveInFlame(e) {
  const own = e.currentTarget.dataset.path.split(' ');
  const frames = [...at('frames').querySelectorAll('.frame')];
  const is = (path, depth, under) => path.length === depth && under.every((id, i) => path[i] === id);
  const paths = frames.map((f) => f.dataset.path.split(' '));
  let next = -1;
  if (e.key === 'Enter') return zoomTo(own.map(Number));
  if (e.key === 'ArrowUp') next = paths.findIndex((p) => is(p, own.length - 1, own.slice(0, -1)));
  else if (e.key === 'ArrowDown') next = paths.findIndex((p) => is(p, own.length + 1, own));
  else if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') {
    const level = paths.map((p, i) => i).filter((i) => paths[i].length === own.length);
    next = level[level.indexOf(frames.indexOf(e.currentTarget)) + (e.key === 'ArrowRight' ? 1 : -1)];
  } else return undefined;
  e.preventDefault();
  if (next >= 0) frames[next].focus();
  return undefined;
}

function drawFlame() {
  if (!at('flame') || state.tab !== 'flame') return;
  const tree = callTree();
  let node = tree, path = [];
  for (const id of state.zoom || []) {
    if (!node.below.has(id)) break;
    node = node.below.get(id);
    path = [...path, id];
  }
  const width = Math.max(280, at('frames').clientWidth);
  const svg = make('svg', { width });
  const depth = tree.n ? drawFrames(svg, node, 0, width, 0, tree.n, path) : 0;
  svg.setAttribute('height', Math.max(1, depth) * FRAME);
  svg.setAttribute('viewBox', '0 0 ' + width + ' ' + Math.max(1, depth) * FRAME);
  const first = svg.querySelector('.frame');
  if (first) first.setAttribute('tabindex', 0);
  at('frames').replaceChildren(svg);
  at('flame-note').replaceChildren('Callers are above; width is the share of ' + digits(tree.n) + ' ' + measureName()
    + ' that are chosen. A click on a frame shows it alone. ',
  path.length ? make('button', { onclick: () => choose({ zoom: 0 }) }, 'all calls') : '');
}
