"use strict";
// Asks for the values each second, and shows what has changed since the last time.
const POINTS = 60;
const history = new Map(); // by event: rates, the last one at the end
let last = null, token = "";

const element = (name, text, kind) => {
  const made = document.createElement(name);
  made.textContent = text ?? "";
  if (kind) made.className = kind;
  return made;
};
const figure = value => new Intl.NumberFormat("en", { maximumSignificantDigits: 4 }).format(value);
const sum = event => event.series.reduce((all, one) => all + one.total, 0);
// What a unit counted since the last values, or its level now.
const grown = (event, before) => event.series.map((one, i) =>
  event.level ? one.now ?? 0 : one.total - (before?.series[i]?.total ?? 0));

function drawing(width, height, draw) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  draw((name, attributes, text) => {
    const part = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) part.setAttribute(key, attributes[key]);
    if (text !== undefined && name === "text") part.textContent = text;
    else if (text !== undefined) part.append(Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), { textContent: text }));
    svg.append(part);
  });
  return svg;
}

function sparkline(rates) {
  const most = Math.max(...rates, 1e-9);
  return drawing(POINTS, 20, put => put("polyline", {
    points: rates.map((rate, i) => `${POINTS - rates.length + i},${19 - 18 * rate / most}`).join(" ") }));
}

// A bar for each unit.
function bars(event, before) {
  const rates = grown(event, before);
  const most = Math.max(...rates, 1);
  return drawing(rates.length * 10, 20, put => rates.forEach((rate, i) =>
    put("rect", { x: 10 * i + 1, width: 8, y: 20 - 19 * rate / most, height: 19 * rate / most + 1 })));
}

// The machine: a box for each package, in it a row for each PMU with its units, coloured by the selected event.
const WIDTH = 680, BOX = 26, LABEL = 180;
let machine = null, chosen = null;

function unitRows() {
  const uncore = machine.pmus.filter(pmu => pmu.units.length);
  return uncore.map(pmu => ({ ...pmu, height: Math.ceil(pmu.units.length / 10) * (BOX + 4) }));
}

// "cycles" and others that perf's users know are events of the cores.
const pmuOf = event => event.includes("::") ? event.split("::")[0] : machine.pmus.find(pmu => pmu.title.startsWith("core PMU"))?.pmu;

function diagram(event, before) {
  const rows = unitRows(), height = rows.reduce((all, one) => all + one.height, 0) + 30;
  const rates = new Map();
  for (const [i, value] of (event ? grown(event, before) : []).entries())
    rates.set(`${event.series[i].package ?? 0}/${event.series[i].unit ?? 0}`, value);
  const most = Math.max(...rates.values(), 1e-12), pmu = pmuOf(event?.event ?? "");
  const svg = drawing(WIDTH, height * Math.max(machine.packages, 1), put => {
    for (let p = 0; p < machine.packages; p++) {
      let y = p * height;
      put("rect", { class: "package", x: 1, y: y + 1, width: WIDTH - 2, height: height - 8, rx: 6 });
      put("text", { x: 10, y: y + 18 }, `package ${p}`);
      y += 24;
      for (const row of rows) {
        put("text", { class: "soft", x: 10, y: y + 17 }, row.title.split(":")[0].slice(0, 34));
        row.units.forEach((name, u) => {
          const rate = row.pmu === pmu ? rates.get(`${p}/${u}`) : undefined;
          const x = LABEL + 20 + u % 10 * (BOX * 1.7), top = y + Math.floor(u / 10) * (BOX + 4);
          put("rect", { class: rate === undefined ? "unit none" : "unit", x, y: top, width: BOX * 1.6, height: BOX - 2, rx: 3,
            "fill-opacity": rate === undefined ? 0.06 : 0.15 + 0.85 * rate / most },
            `${name}${rate === undefined ? "" : `: ${figure(rate)} ${event.unit}, ${figure(100 * rate / most)} % of the largest`}`);
          put("text", { class: "number-of", x: x + BOX * 0.8, y: top + 16 }, u);
        });
        y += row.height;
      }
    }
  });
  svg.setAttribute("preserveAspectRatio", "xMinYMin");
  svg.setAttribute("class", "machine");
  return svg;
}

function row(event, before, seconds) {
  const tr = element("tr"), rates = history.get(event.event) ?? [];
  tr.tabIndex = 0;
  tr.ariaSelected = String(event.event === chosen);
  tr.dataset.event = event.event;
  tr.append(element("td", event.event));
  if (event.unavailable) {
    tr.append(element("td", event.unavailable), element("td"), element("td"), element("td"));
    return tr;
  }
  if (event.level) rates.push(grown(event).reduce((all, one) => all + one, 0));
  else if (before && seconds > 0) rates.push((sum(event) - sum(before)) / seconds);
  history.set(event.event, rates.slice(-POINTS));
  const cells = [element("td", rates.length ? `${figure(rates.at(-1))} ${event.unit}` : "", "number"), element("td"),
    element("td", event.level ? "" : figure(sum(event)), "number"), element("td")];
  cells[1].append(sparkline(rates.slice(-POINTS)));
  if (event.series.length > 1) cells[3].append(bars(event, before));
  tr.append(...cells);
  return tr;
}

function show(now) {
  const seconds = last ? now.seconds - last.seconds : 0;
  const filter = document.getElementById("filter").value.toLowerCase();
  const before = new Map((last?.events ?? []).map(event => [event.event, event]));
  const rows = now.events.map(event => [event, row(event, before.get(event.event), seconds)]);
  document.getElementById("machine").textContent = now.machine ?? "";
  document.getElementById("state").textContent = now.up
    ? `${figure(now.seconds)} s of the machine's ${now.clock} time counted` : `Counting has ended. ${now.failure ?? ""}`;
  chosen ??= (now.events.find(event => event.series.length > 1 && event.event.includes("::")) ?? now.events[0])?.event;
  const shown = now.events.find(event => event.event === chosen);
  document.getElementById("chosen").textContent = shown ? `Units, by ${shown.event}: select another event in the table.` : "";
  if (machine?.packages) document.getElementById("diagram").replaceChildren(diagram(shown, before.get(chosen)));
  document.getElementById("obstacle").textContent = now.obstacle ?? "";
  const focused = [...document.getElementById("events").children].indexOf(document.activeElement);
  document.getElementById("events").replaceChildren(
    ...rows.filter(([event]) => event.event.toLowerCase().includes(filter)).map(([, tr]) => tr));
  document.getElementById("events").children[focused]?.focus();
  last = now;
}

const get = what => fetch(`api/v1/${what}`, { headers: token ? { Authorization: `Bearer ${token}` } : {} });

async function ask() {
  try {
    const answer = await get("values");
    if (answer.ok && !machine) machine = await (await get("machine")).json();
    if (answer.status === 401) token = prompt("Token of this server") ?? "";
    else if (answer.ok) show(await answer.json());
    else document.getElementById("state").textContent = await answer.text();
  } catch (error) {
    document.getElementById("state").textContent = `No answer from the server: ${error.message}`;
  }
  setTimeout(ask, 1000);
}
// Rows are new each second, so a click may begin on one and end on another: its begin counts.
const choose = event => { chosen = event.target.closest("tr")?.dataset.event ?? chosen; };
document.getElementById("events").onpointerdown = choose;
document.getElementById("events").onkeydown = key => { if (key.key === "Enter") choose(key); };
ask();
