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

function drawing(width, height, draw) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  draw((name, attributes) => {
    const part = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) part.setAttribute(key, attributes[key]);
    svg.append(part);
  });
  return svg;
}

function sparkline(rates) {
  const most = Math.max(...rates, 1e-9);
  return drawing(POINTS, 20, put => put("polyline", {
    points: rates.map((rate, i) => `${POINTS - rates.length + i},${19 - 18 * rate / most}`).join(" ") }));
}

// A bar for each unit: what it counted since the last values.
function bars(event, before) {
  const rates = event.series.map((one, i) => one.total - (before?.series[i]?.total ?? 0));
  const most = Math.max(...rates, 1);
  return drawing(rates.length * 10, 20, put => rates.forEach((rate, i) =>
    put("rect", { x: 10 * i + 1, width: 8, y: 20 - 19 * rate / most, height: 19 * rate / most + 1 })));
}

function row(event, before, seconds) {
  const tr = element("tr"), rates = history.get(event.event) ?? [];
  tr.append(element("td", event.event));
  if (event.unavailable) {
    tr.append(element("td", event.unavailable), element("td"), element("td"), element("td"));
    return tr;
  }
  if (before && seconds > 0) rates.push((sum(event) - sum(before)) / seconds);
  history.set(event.event, rates.slice(-POINTS));
  const cells = [element("td", rates.length ? `${figure(rates.at(-1))} ${event.unit}` : "", "number"), element("td"),
    element("td", figure(sum(event)), "number"), element("td")];
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
  document.getElementById("events").replaceChildren(
    ...rows.filter(([event]) => event.event.toLowerCase().includes(filter)).map(([, tr]) => tr));
  last = now;
}

async function ask() {
  try {
    const answer = await fetch("api/v1/values", { headers: token ? { Authorization: `Bearer ${token}` } : {} });
    if (answer.status === 401) token = prompt("Token of this server") ?? "";
    else if (answer.ok) show(await answer.json());
    else document.getElementById("state").textContent = await answer.text();
  } catch (error) {
    document.getElementById("state").textContent = `No answer from the server: ${error.message}`;
  }
  setTimeout(ask, 1000);
}
ask();
