'use strict';
// The page of `nvm profile --html`. Everything it shows stands in the JSON of #data.
const data = JSON.parse(document.getElementById('data').textContent);
const modes = ['interpreted', 'fused', 'block', 'compile'];
const byId = (id) => document.getElementById(id);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const svgNs = 'http://www.w3.org/2000/svg';
let query = '';

function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) k === 'onclick' ? (e.onclick = v) : e.setAttribute(k, v);
  e.append(...children);
  return e;
}
function svg(tag, attributes, text) {
  const e = document.createElementNS(svgNs, tag);
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  return e;
}

// Figures for people.
function scaled(x, step, units) {
  let u = 0;
  while (Math.abs(x) >= 999.5 && u + 1 < units.length) { x /= step; ++u; }
  return (u > 0 && x < 10 ? x.toFixed(1) : x.toFixed(0)) + units[u];
}
function seconds(x) {
  if (x >= 1) return x.toFixed(3) + ' s';
  if (x >= 1e-3) return (x * 1e3).toFixed(2) + ' ms';
  return (x * 1e6).toFixed(1) + ' µs';
}
const bytes = (x) => scaled(x, 1000, [' B', ' kB', ' MB', ' GB', ' TB']);
const count = (x) => scaled(x, 1000, ['', 'k', 'M', 'G', 'T']);
const percent = (x) => (x < 9.95 ? x.toFixed(1) : x.toFixed(0)) + '%';
function figure(x, how) {
  if (!x) return '–';
  return how === 't' ? seconds(x) : how === 'b' ? bytes(x) : how === 'p' ? percent(x) : count(x);
}

const tip = byId('tip');
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const y = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8);
  tip.style.left = Math.max(x, 4) + 'px';
  tip.style.top = Math.max(y, 4) + 'px';
}
function hideTip() { tip.hidden = true; }
function withTip(e, text) {
  e.addEventListener('mousemove', (event) => showTip(event, text));
  e.addEventListener('mouseleave', hideTip);
  return e;
}

// ---- head ----
function showSummary() {
  byId('title').textContent = data.title;
  document.title = 'nvm profile: ' + data.title;
  for (const panel of document.querySelectorAll('.panel'))
    byId('nav').append(element('a', {href: '#' + panel.id}, panel.querySelector('h2').textContent));
  const tile = (value, label) => byId('summary').append(element('div', {class: 'tile'}, element('b', {}, value), element('span', {}, label)));
  const all = data.function.filter((f) => f.level === undefined);
  const sum = (name) => data.line.reduce((s, r) => s + (r[name] || 0), 0);
  const inMode = modes.map((m) => data.line.reduce((s, r) => s + r.self * (r[m] || 0) / 100, 0));
  const total = inMode.reduce((a, b) => a + b, 0) || 1;
  tile(seconds(data.run_seconds), 'run, of ' + seconds(data.seconds));
  tile(count(sum('work')), 'elements of work');
  tile(count(sum('depth')), 'instructions of depth');
  tile(count(sum('depth') ? sum('work') / sum('depth') : 0), 'average parallelism');
  tile(bytes(data.peak_bytes), 'peak memory');
  tile(String(all.length), 'functions; ' + data.kernel.length + ' kernels');
  const shares = element('div', {class: 'shares'});
  const keys = element('div', {class: 'keys'});
  modes.forEach((m, i) => {
    const bar = element('i');
    bar.style.cssText = `width:${100 * inMode[i] / total}%;background:var(--${m})`;
    shares.append(withTip(bar, m + ' ' + seconds(inMode[i])));
    const key = element('i', {class: 'key'});
    key.style.background = `var(--${m})`;
    keys.append(element('span', {class: 'mode'}, key, `${m} ${percent(100 * inMode[i] / total)} `));
  });
  const box = element('div', {class: 'tile'}, shares, keys);
  byId('summary').append(box);
}

// ---- tables ----
function showTable(id, rows, first) {
  const table = byId(id);
  const columns = data.columns.filter((c) => rows.some((r) => r[c.name]));
  let sort = 'self';
  const draw = () => {
    const body = element('tbody');
    const sorted = sort === first ? [...rows] : [...rows].sort((a, b) => (b[sort] || 0) - (a[sort] || 0));
    for (const r of sorted) {
      const row = element('tr', {}, element('td', {title: r.where}, r.where));
      for (const c of columns) row.append(element('td', {}, figure(r[c.name], c.text)));
      row.dataset.text = r.where.toLowerCase();
      body.append(row);
    }
    const head = element('tr');
    head.append(element('th', {onclick: () => { sort = first; draw(); }}, first));
    for (const c of columns) {
      const th = element('th', {title: c.help, onclick: () => { sort = c.name; draw(); }}, c.name);
      if (sort === c.name) th.className = 'sorted';
      head.append(th);
    }
    table.replaceChildren(element('thead', {}, head), body);
    markTables();
  };
  draw();
}
function markTables() {
  for (const row of document.querySelectorAll('tbody tr'))
    row.classList.toggle('hit', query !== '' && row.dataset.text.includes(query));
}

// ---- timeline ----
const timeline = (() => {
  const canvas = byId('timeline-canvas');
  const rowHeight = 17;
  const slices = [], counters = [];
  let tracks = [], from = 0, to = 1, view = [0, 1], drag = null;

  function load() {
    const names = {1: 'host', 2: 'kernels'}, open = {}, byTrack = new Map();
    const add = (e, dur) => slices.push({track: e.tid, name: e.name, kind: e.cat || '', at: e.ts, dur, args: e.args});
    for (const e of data.events) {
      if (e.ph === 'M' && e.name === 'thread_name') names[e.tid] = e.args.name;
      else if (e.ph === 'X') add(e, e.dur);
      else if (e.ph === 'B') (open[e.tid] = open[e.tid] || []).push(e);
      else if (e.ph === 'E') {
        const begun = (open[e.tid] || []).pop();
        if (begun) add(begun, e.ts - begun.ts);
      } else if (e.ph === 'C' && e.name === 'memory') counters.push(e);
      else if (e.ph === 'i') slices.push({track: e.tid, name: e.name, kind: e.cat || '', at: e.ts, dur: 0, args: e.args});
    }
    const last = slices.reduce((m, s) => Math.max(m, s.at + s.dur), 0);
    for (const rest of Object.values(open)) for (const e of rest) add(e, last - e.ts);
    slices.sort((a, b) => a.at - b.at || b.dur - a.dur);
    for (const s of slices) {
      if (!byTrack.has(s.track)) byTrack.set(s.track, {id: s.track, name: names[s.track] || String(s.track), ends: [], depth: 0});
      const track = byTrack.get(s.track);
      while (track.ends.length && track.ends[track.ends.length - 1] <= s.at + 1e-6) track.ends.pop();
      s.depth = Math.min(track.ends.length, 30);
      if (s.dur > 0) track.ends.push(s.at + s.dur);
      track.depth = Math.max(track.depth, s.depth + 1);
    }
    tracks = [...byTrack.values()].sort((a, b) => a.id - b.id);
    let y = 22;
    if (counters.length) y += 46;
    for (const t of tracks) { t.y = y + 14; y = t.y + t.depth * rowHeight + 8; }
    canvas.dataset.height = y;
    from = slices.length ? slices[0].at : 0;
    to = Math.max(last, from + 1);
    view = [from, to];
    byId('timeline-note').textContent = slices.length + ' slices on ' + tracks.length + ' tracks.';
  }

  const colours = () => ({call: css('accent'), line: css('interpreted'), region: css('fused'), kernel: css('fused'),
    compile: css('compile'), block: css('block'), guard: css('compile'), phase: css('host'), level: css('quiet')});
  const xOf = (t) => (t - view[0]) / (view[1] - view[0]) * canvas.clientWidth;

  function drawMemory(c, width) {
    if (!counters.length) return;
    const most = Math.max(...counters.map((e) => e.args.pool), 1);
    const yOf = (v) => 62 - 38 * v / most;
    for (const [name, colour, alpha] of [['pool', css('host'), 0.25], ['live', css('accent'), 0.55]]) {
      c.beginPath();
      c.moveTo(xOf(counters[0].ts), 62);
      counters.forEach((e, i) => {
        c.lineTo(xOf(e.ts), yOf(e.args[name]));
        c.lineTo(i + 1 < counters.length ? xOf(counters[i + 1].ts) : width, yOf(e.args[name]));
      });
      c.lineTo(width, 62);
      c.globalAlpha = alpha;
      c.fillStyle = colour;
      c.fill();
      c.globalAlpha = 1;
    }
    c.fillStyle = css('quiet');
    c.fillText('memory: live and pool, at most ' + bytes(most), 4, 32);
  }

  function draw() {
    const width = canvas.clientWidth, height = Number(canvas.dataset.height), ratio = devicePixelRatio || 1;
    canvas.style.height = height + 'px';
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const c = canvas.getContext('2d');
    c.scale(ratio, ratio);
    c.font = '11px system-ui, sans-serif';
    const step = Math.pow(10, Math.floor(Math.log10((view[1] - view[0]) / 4)));
    c.fillStyle = css('quiet');
    c.strokeStyle = css('line');
    const every = (view[1] - view[0]) / step > 12 ? 5 * step : (view[1] - view[0]) / step > 6 ? 2 * step : step;
    for (let t = Math.ceil(view[0] / every) * every; t <= view[1]; t += every) {
      c.beginPath();
      c.moveTo(xOf(t), 16);
      c.lineTo(xOf(t), height);
      c.stroke();
      c.fillText(seconds(t / 1e6), xOf(t) + 3, 12);
    }
    drawMemory(c, width);
    const colour = colours(), where = new Map(tracks.map((t) => [t.id, t]));
    for (const t of tracks) { c.fillStyle = css('ink'); c.fillText(t.name, 4, t.y - 3); }
    let lastX = new Map();
    for (const s of slices) {
      if (s.at + s.dur < view[0] || s.at > view[1]) continue;
      const x = Math.max(xOf(s.at), 0), w = Math.max(Math.min(xOf(s.at + s.dur), width) - x, 1);
      const y = where.get(s.track).y + s.depth * rowHeight, row = s.track * 100 + s.depth;
      if (w < 1.5 && Math.floor(x) === lastX.get(row)) continue;
      lastX.set(row, Math.floor(x));
      c.fillStyle = query && s.name.toLowerCase().includes(query) ? css('found') : colour[s.kind] || css('host');
      c.globalAlpha = s.kind === 'call' && s.depth % 2 ? 0.8 : 1;
      if (s.dur === 0) { c.beginPath(); c.moveTo(x, y); c.lineTo(x + 4, y + 7); c.lineTo(x - 4, y + 7); c.fill(); continue; }
      c.fillRect(x, y, Math.max(w - (w > 3 ? 1 : 0), 1), rowHeight - 2);
      c.globalAlpha = 1;
      if (w > 34) {
        c.save();
        c.beginPath();
        c.rect(x, y, w - 2, rowHeight);
        c.clip();
        c.fillStyle = '#fff';
        c.fillText(s.name, x + 4, y + 11.5);
        c.restore();
      }
    }
  }

  function at(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const t = view[0] + x / canvas.clientWidth * (view[1] - view[0]);
    const slack = (view[1] - view[0]) / canvas.clientWidth * 3;
    let best = null;
    for (const s of slices) {
      if (s.at > t + slack) break;
      const top = tracks.find((k) => k.id === s.track).y + s.depth * rowHeight;
      if (y < top || y > top + rowHeight || s.at + s.dur < t - slack) continue;
      if (!best || s.at >= best.at) best = s;
    }
    return best;
  }
  function zoom(centre, factor) {
    const width = Math.min(Math.max((view[1] - view[0]) * factor, 0.05), to - from);
    const share = (centre - view[0]) / (view[1] - view[0]);
    const begin = Math.min(Math.max(centre - share * width, from), to - width);
    view = [begin, begin + width];
    draw();
  }
  function start() {
    load();
    draw();
    canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      const t = view[0] + e.offsetX / canvas.clientWidth * (view[1] - view[0]);
      zoom(t, e.deltaY < 0 ? 0.75 : 1 / 0.75);
    }, {passive: false});
    canvas.addEventListener('mousedown', (e) => { drag = {x: e.clientX, view: [...view]}; });
    addEventListener('mouseup', () => { drag = null; });
    canvas.addEventListener('mousemove', (e) => {
      if (drag) {
        const d = (drag.x - e.clientX) / canvas.clientWidth * (drag.view[1] - drag.view[0]), w = drag.view[1] - drag.view[0];
        const begin = Math.min(Math.max(drag.view[0] + d, from), to - w);
        view = [begin, begin + w];
        return draw();
      }
      const s = at(e);
      if (!s) return hideTip();
      const args = Object.entries(s.args || {}).map(([k, v]) => `${k}: ${typeof v === 'object' ? JSON.stringify(v) : v}`);
      showTip(e, [s.name + (s.dur ? ' · ' + seconds(s.dur / 1e6) : ''), ...args].join('\n'));
    });
    canvas.addEventListener('mouseleave', hideTip);
    canvas.addEventListener('dblclick', () => { view = [from, to]; draw(); });
    addEventListener('resize', draw);
  }
  return {start, draw, zoom, range: () => [...view], slices, middle: () => (view[0] + view[1]) / 2};
})();

// ---- flame graph ----
const flame = (() => {
  const graph = byId('flame-graph');
  const rowHeight = 19;
  let root = null, focus = null;

  function load() {
    const nodes = data.flame.nodes.map(([parent, name, ...self]) => ({parent, name: data.flame.names[name], self, children: [], total: 0}));
    for (let i = nodes.length; i-- > 0;) {
      const n = nodes[i];
      n.total += n.self.reduce((a, b) => a + b, 0);
      if (n.parent >= 0) { nodes[n.parent].total += n.total; nodes[n.parent].children.push(n); n.up = nodes[n.parent]; }
    }
    const merge = (n) => {  // calls from several lines look the same here
      const byName = new Map();
      for (const c of n.children.reverse()) {
        const known = byName.get(c.name);
        if (!known) { byName.set(c.name, c); continue; }
        known.total += c.total;
        c.self.forEach((s, i) => { known.self[i] += s; });
        known.children.push(...c.children);
      }
      n.children = [...byName.values()].sort((a, b) => b.total - a.total);
      for (const c of n.children) { c.up = n; merge(c); }
    };
    root = focus = nodes[0];
    merge(root);
  }
  const dominant = (n) => {
    const sum = [0, 0, 0, 0];
    const add = (m) => { m.self.forEach((s, i) => { sum[i] += s; }); m.children.forEach(add); };
    add(n);
    return modes[sum.indexOf(Math.max(...sum))];
  };

  function draw() {
    const width = graph.clientWidth || 1000, shown = [];
    const place = (n, x, w, depth) => {
      shown.push({n, x, w, depth});
      let at = x;
      for (const c of n.children) {
        const cw = w * c.total / n.total;
        if (cw >= 0.4) place(c, at, cw, depth + 1);
        at += cw;
      }
    };
    const above = [];
    for (let n = focus.up; n; n = n.up) above.unshift(n);
    above.forEach((n, i) => shown.push({n, x: 0, w: width, depth: i, dim: true}));
    place(focus, 0, width, above.length);
    const rows = Math.max(...shown.map((s) => s.depth)) + 1;
    graph.replaceChildren();
    graph.setAttribute('height', rows * rowHeight);
    graph.setAttribute('viewBox', `0 0 ${width} ${rows * rowHeight}`);
    for (const s of shown) {
      const g = svg('g', {class: (s.dim ? 'dim ' : '') + (query && s.n.name.toLowerCase().includes(query) ? 'hit' : '')});
      const share = root.total ? s.n.total / root.total : 0;
      const rect = svg('rect', {x: s.x, y: s.depth * rowHeight, width: Math.max(s.w, 0.5), height: rowHeight - 1, rx: 2});
      rect.style.fill = `color-mix(in srgb, var(--${dominant(s.n)}) ${s.n.children.length ? 45 : 75}%, #f4efe4)`;
      withTip(rect, `${s.n.name}\n${seconds(s.n.total)}, ${percent(100 * share)}\nitself ${seconds(s.n.self.reduce((a, b) => a + b, 0))}`);
      rect.addEventListener('click', () => { focus = s.n; draw(); });
      g.append(rect);
      if (s.w > 28) {
        const fits = Math.floor((s.w - 8) / 6.3);
        g.append(svg('text', {x: s.x + 4, y: s.depth * rowHeight + 13}, s.n.name.length > fits ? s.n.name.slice(0, Math.max(fits - 1, 1)) + '…' : s.n.name));
      }
      graph.append(g);
    }
  }
  function start() {
    load();
    draw();
    byId('flame-reset').onclick = () => { focus = root; draw(); };
    addEventListener('resize', draw);
  }
  return {start, draw, focusName: () => focus.name};
})();

// ---- source ----
function showSource() {
  const view = byId('source-view');
  for (const source of data.sources) {
    const self = new Map(), wall = new Map();
    for (const r of data.line) {
      if (r.file !== source.file || !r.line) continue;
      self.set(r.line, (self.get(r.line) || 0) + r.self);
      wall.set(r.line, Math.max(wall.get(r.line) || 0, r.wall));
    }
    if (!self.size) continue;
    const most = Math.max(...self.values(), 1e-12), total = data.run_seconds || 1;
    const code = element('div', {class: 'code'});
    source.text.replace(/\n$/, '').split('\n').forEach((text, i) => {
      const s = self.get(i + 1) || 0;
      const line = element('div', {}, element('span', {}, s ? seconds(s) : ''), element('span', {}, s ? percent(100 * s / total) : ''),
        element('span', {}, String(i + 1)), element('span', {}, text || ' '));
      line.dataset.text = text.toLowerCase();
      if (s) {
        line.style.background = `color-mix(in srgb, var(--interpreted) ${(8 + 52 * Math.sqrt(s / most)).toFixed(0)}%, transparent)`;
        withTip(line, `line ${i + 1}: ${seconds(s)} itself, ${seconds(wall.get(i + 1))} with what it calls`);
      }
      code.append(line);
    });
    view.append(element('h3', {}, source.file), code);
  }
  if (!view.children.length) view.append('No source of this program is known.');
}

// ---- kernels ----
function showRoofline() {
  const graph = byId('roofline'), width = 560, height = 330, left = 58, bottom = 40, top = 14, right = 14;
  graph.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const kernels = data.kernel.filter((k) => k.operations_per_byte > 0 && k.operations_per_second > 0);
  const roof = data.machine, ridge = roof.operations_per_second / roof.bytes_per_second;
  const xs = [0.01, ridge * 4, ...kernels.map((k) => k.operations_per_byte)];
  const ys = [roof.operations_per_second * 1.6, roof.bytes_per_second * 0.01, ...kernels.map((k) => k.operations_per_second / 2)];
  const log = Math.log10, x0 = log(Math.min(...xs)), x1 = log(Math.max(...xs)), y0 = log(Math.min(...ys)), y1 = log(Math.max(...ys));
  const xOf = (v) => left + (log(v) - x0) / (x1 - x0) * (width - left - right);
  const yOf = (v) => height - bottom - (log(v) - y0) / (y1 - y0) * (height - bottom - top);
  for (let p = Math.ceil(x0); p <= x1; ++p) {
    graph.append(svg('line', {x1: xOf(10 ** p), x2: xOf(10 ** p), y1: top, y2: height - bottom, stroke: 'var(--line)'}));
    graph.append(svg('text', {x: xOf(10 ** p), y: height - bottom + 14, 'text-anchor': 'middle'}, String(+(10 ** p).toPrecision(2))));
  }
  for (let p = Math.ceil(y0); p <= y1; ++p) {
    graph.append(svg('line', {x1: left, x2: width - right, y1: yOf(10 ** p), y2: yOf(10 ** p), stroke: 'var(--line)'}));
    graph.append(svg('text', {x: left - 6, y: yOf(10 ** p) + 4, 'text-anchor': 'end'}, count(10 ** p) + '/s'));
  }
  const low = 10 ** x0;
  graph.append(svg('polyline', {fill: 'none', stroke: 'var(--accent)', 'stroke-width': 2,
    points: [[low, low * roof.bytes_per_second], [ridge, roof.operations_per_second], [10 ** x1, roof.operations_per_second]].map(([a, b]) => `${xOf(a)},${Math.min(yOf(b), height - bottom)}`).join(' ')}));
  graph.append(svg('text', {x: width - right, y: yOf(roof.operations_per_second) - 6, 'text-anchor': 'end'}, count(roof.operations_per_second) + ' operations/s'));
  graph.append(svg('text', {x: xOf(ridge) - 12, y: yOf(roof.operations_per_second) + 34, 'text-anchor': 'end'}, bytes(roof.bytes_per_second) + '/s'));
  graph.append(svg('text', {x: (left + width) / 2, y: height - 6, 'text-anchor': 'middle'}, 'scalar operations for each byte moved'));
  const most = Math.max(...data.kernel.map((k) => k.self), 1e-12);
  for (const k of kernels) {
    const dot = svg('circle', {cx: xOf(k.operations_per_byte), cy: yOf(k.operations_per_second), r: 3 + 9 * Math.sqrt(k.self / most),
      fill: 'var(--fused)', 'fill-opacity': 0.55, stroke: 'var(--fused)'});
    graph.append(withTip(dot, `${k.where}\n${seconds(k.self)} in ${count(k.calls)} runs\n${bytes(k.bytes / (k.self || 1))}/s, ${percent(k.bandwidth)} of the machine's\n${count(k.operations_per_second)} operations/s`));
  }
  if (!kernels.length) graph.append(svg('text', {x: width / 2, y: height / 2, 'text-anchor': 'middle'}, 'No kernel computed anything.'));
  showTable('kernel-table', data.kernel, 'kernel');
}

// ---- fusion graphs ----
// Layers by the longest way from the inputs, in rows that fit `room` pixels; boxes of one kernel have one colour where
// `fused`.
function fusionGraph(region, fused, room) {
  const nodes = region.nodes.map((n, i) => ({...n, i, layer: 0}));
  for (const n of nodes) for (const f of n.inputs) n.layer = Math.max(n.layer, nodes[f].layer + 1);
  const w = 128, h = 34, gapX = 18, gapY = 26, layers = [];
  const inRow = Math.max(Math.floor((room - 24 + gapX) / (w + gapX)), 2);
  let top = 14;
  for (const n of nodes) (layers[n.layer] = layers[n.layer] || []).push(n);
  for (const layer of layers) {
    if (fused) layer.sort((a, b) => a.kernel - b.kernel || a.i - b.i);
    layer.forEach((n, i) => { n.x = 10 + (i % inRow) * (w + gapX); n.y = top + Math.floor(i / inRow) * (h + 8); });
    top += Math.ceil(layer.length / inRow) * (h + 8) - 8 + gapY;
  }
  const width = Math.max(...nodes.map((n) => n.x + w), 200) + 12, height = Math.max(...nodes.map((n) => n.y + h), 30) + 14;
  const graph = svg('svg', {width, height, viewBox: `0 0 ${width} ${height}`});
  const palette = ['--fused', '--accent', '--block', '--interpreted', '--compile', '--host'];
  const colour = (n) => !fused || n.kernel < 0 ? 'var(--host)' : `var(${palette[n.kernel % palette.length]})`;
  for (const n of nodes)
    for (const f of n.inputs) {
      const a = nodes[f];
      graph.append(svg('path', {d: `M${a.x + w / 2},${a.y + h} C${a.x + w / 2},${a.y + h + 14} ${n.x + w / 2},${n.y - 14} ${n.x + w / 2},${n.y}`,
        fill: 'none', stroke: 'var(--quiet)', 'stroke-opacity': 0.7}));
    }
  for (const n of nodes) {
    const box = svg('rect', {x: n.x, y: n.y, width: w, height: h, rx: 6, fill: colour(n), 'fill-opacity': fused && n.kernel < 0 ? 0.08 : 0.22, stroke: colour(n)});
    if (fused && n.kernel < 0) box.setAttribute('stroke-dasharray', '4 3');
    graph.append(withTip(box, `${n.operation || n.name} (${n.name}) at ${n.place}` + (fused ? n.kernel < 0 ? '\ncomputed where it is used' : `\nkernel ${n.kernel}` : '')));
    graph.append(svg('text', {x: n.x + w / 2, y: n.y + 14, 'text-anchor': 'middle', class: 'operation'}, (n.operation || n.name) + (fused && n.kernel >= 0 ? ' · k' + n.kernel : '')));
    graph.append(svg('text', {x: n.x + w / 2, y: n.y + 27, 'text-anchor': 'middle', 'fill-opacity': 0.65}, n.place.length > 20 ? '…' + n.place.slice(-19) : n.place));
  }
  return graph;
}
function showFusion(all) {
  const list = byId('fusion-list');
  const alike = new Map();  // the same line compiled for other facts, often
  for (const r of data.regions) {
    const key = JSON.stringify([r.place, r.reason, r.nodes]);
    if (r.nodes.length) alike.set(key, {...r, times: (alike.get(key) || {times: 0}).times + 1});
  }
  const regions = [...alike.values()].sort((a, b) => b.nodes.length - a.nodes.length);
  const shown = all ? regions : regions.slice(0, 6);
  list.replaceChildren();
  for (const region of shown) {
    const kernels = new Set(region.nodes.map((n) => n.kernel).filter((k) => k >= 0)).size;
    const stored = region.nodes.filter((n) => n.kernel >= 0).length;
    const text = kernels ? `${region.nodes.length} combinators, ${kernels} kernel${kernels > 1 ? 's' : ''}, ${region.nodes.length - stored} never stored`
      : 'not compiled: ' + region.reason;
    list.append(element('h3', {}, `${region.place || 'region'} · ${text}` + (region.times > 1 ? ` · compiled ${region.times} times` : '')));
    const sides = [false, true].map(() => element('div', {class: 'scroll', tabindex: 0}));
    list.append(element('div', {class: 'fusion'}, ...sides));
    sides.forEach((side, i) => side.append(fusionGraph(region, i === 1, side.clientWidth)));
  }
  if (!regions.length) list.append('Nothing was hot enough to be compiled.');
  if (shown.length < regions.length)
    list.append(element('button', {type: 'button', onclick: () => showFusion(true)}, `${regions.length - shown.length} smaller ones`));
}

// ---- recursion levels ----
function showLevels() {
  const list = byId('level-list'), byFunction = new Map();
  for (const l of data.levels) byFunction.set(l.function, [...(byFunction.get(l.function) || []), l]);
  for (const [name, levels] of byFunction) {
    const table = element('div', {class: 'level-table'});
    list.append(element('h3', {}, name), table);
    const head = element('div', {class: 'level head'});
    for (const t of ['level', 'calls', 'segments', 'elements', 'longest']) head.append(element('span', {}, t));
    head.append(element('div', {}, 'segments by length, short ones left'));
    table.append(head);
    for (const l of levels.slice(0, 64)) {
      const row = element('div', {class: 'level'});
      for (const v of [String(l.level), count(l.calls), count(l.segments), count(l.elements), count(l.longest)]) row.append(element('span', {}, v));
      const bars = svg('svg', {viewBox: '0 0 480 26', preserveAspectRatio: 'none'}), entries = Object.entries(l.lengths);
      const most = Math.max(...entries.map((e) => e[1]), 1);
      for (const [label, n] of entries) {
        const from = Number(label.split('-')[0]), k = from === 0 ? 0 : Math.floor(Math.log2(from)) + 1, tall = Math.max(24 * n / most, 1.5);
        bars.append(withTip(svg('rect', {x: k * 14, y: 26 - tall, width: 12, height: tall, fill: 'var(--accent)'}), `length ${label}: ${count(n)} segments`));
      }
      row.append(bars);
      table.append(row);
    }
    if (levels.length > 64) list.append(element('p', {class: 'quiet'}, `and ${levels.length - 64} deeper ones`));
  }
  if (!byFunction.size) list.append('No function was called with segments.');
}

// ---- search ----
function search() {
  query = byId('search').value.trim().toLowerCase();
  flame.draw();
  timeline.draw();
  markTables();
  let lines = 0;
  for (const line of document.querySelectorAll('.code div')) {
    const hit = query !== '' && line.dataset.text.includes(query);
    line.lastChild.classList.toggle('hit', hit);
    lines += hit;
  }
  const boxes = document.querySelectorAll('#flame-graph .hit').length;
  byId('found').textContent = query ? `${boxes} in the flame graph, ${lines} lines` : '';
}

showSummary();
timeline.start();
flame.start();
showSource();
showRoofline();
showFusion();
showLevels();
showTable('function-table', data.function, 'function');
showTable('line-table', data.line, 'line');
byId('search').addEventListener('input', search);
addEventListener('keydown', (e) => { if (e.key === '/' && e.target === document.body) { e.preventDefault(); byId('search').focus(); } });
