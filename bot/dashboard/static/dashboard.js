// The interactive layer: times in the reader's zone, charts that zoom, search and sort, run pages.
// Text from the data is set as text only, never as HTML.
"use strict";

const ROWS = 200; // in the table at once; the search looks at all runs
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9"];
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3], [1, 2], [10, 4]];
const DENSE = 1500; // points in view; more of them make dashes invisible, and slow to draw
const dark = matchMedia("(prefers-color-scheme: dark)");
const loaded = new Map();

function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function link(text, address) {
  return /^https?:\/\//.test(address || "") ? make("a", text, { href: address, rel: "noopener" }) : make("span", text);
}

function showTime(element) {
  const when = new Date(element.dateTime);
  if (Number.isNaN(when.getTime())) return;
  element.title = `${when.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  element.textContent = when.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

function timeOf(seconds) {
  const element = make("time", "", { datetime: new Date(seconds * 1000).toISOString() });
  showTime(element);
  return element;
}

const percent = (value) => (value === null || value === undefined ? "—" : `${(value * 100).toFixed(2)}%`);

async function load(path) {
  if (!loaded.has(path)) {
    loaded.set(path, fetch(path).then((answer) => {
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
      return answer.json();
    }));
  }
  return loaded.get(path);
}

// --- charts

function breaksPlugin(data) {
  return {
    hooks: {
      draw: [(plot) => {
        const { ctx, bbox } = plot;
        ctx.save();
        ctx.strokeStyle = dark.matches ? "#aab4c0" : "#6b7280";
        ctx.setLineDash([2, 4]);
        for (const [index] of data.breaks) {
          const x = Math.round(plot.valToPos(index - 0.5, "x", true));
          if (x < bbox.left || x > bbox.left + bbox.width) continue;
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
        }
        ctx.restore();
        performance.mark(`drawn-${data.suite}`);
      }],
    },
  };
}

function densePlugin() {
  return {
    hooks: {
      setScale: [(plot, key) => {
        if (key !== "x") return;
        const isDense = plot.scales.x.max - plot.scales.x.min > DENSE;
        for (const one of plot.series) {
          one.fullDash ??= one.dash || [];
          one.dash = isDense ? [] : one.fullDash;
        }
      }],
    },
  };
}

function panPlugin() {
  // drag with the right button or with shift pans; the wheel zooms; double click shows all
  return {
    hooks: {
      ready: [(plot) => {
        const total = plot.data[0].length - 1;
        const clamp = (low, high) => {
          const width = Math.min(high - low, total);
          const from = Math.max(0, Math.min(low, total - width));
          plot.setScale("x", { min: from, max: from + width });
        };
        plot.over.addEventListener("wheel", (event) => {
          if (!event.ctrlKey && !event.shiftKey) return; // plain scrolling scrolls the page
          event.preventDefault();
          const { min, max } = plot.scales.x;
          const at = plot.posToVal(event.offsetX, "x");
          const factor = event.deltaY + event.deltaX < 0 ? 0.8 : 1.25;
          clamp(at - (at - min) * factor, at + (max - at) * factor);
        }, { passive: false });
        plot.over.addEventListener("mousedown", (event) => {
          if (!event.shiftKey) return;
          event.preventDefault();
          event.stopImmediatePropagation();
          const { min, max } = plot.scales.x;
          const perPixel = (max - min) / plot.over.clientWidth;
          const move = (now) => clamp(min - (now.clientX - event.clientX) * perPixel, max - (now.clientX - event.clientX) * perPixel);
          const stop = () => { removeEventListener("mousemove", move); removeEventListener("mouseup", stop); };
          addEventListener("mousemove", move);
          addEventListener("mouseup", stop);
        }, true);
        plot.root.tabIndex = 0;
        plot.root.setAttribute("role", "group");
        plot.root.setAttribute("aria-label", "Chart. Left and right pan, plus and minus zoom, 0 shows all.");
        plot.root.addEventListener("keydown", (event) => {
          const { min, max } = plot.scales.x;
          const width = max - min;
          const step = { ArrowLeft: -0.2, ArrowRight: 0.2 }[event.key];
          if (step) clamp(min + step * width, max + step * width);
          else if (event.key === "+") clamp(min + width * 0.1, max - width * 0.1);
          else if (event.key === "-") clamp(min - width * 0.125, max + width * 0.125);
          else if (event.key === "0") clamp(0, total);
          else return;
          event.preventDefault();
        });
      }],
    },
  };
}

function rangeOf(columns) {
  // once for all runs: panning does not move the scale, and need not look at every point again
  let [low, high] = [1, 0];
  for (const column of columns) for (const value of column) if (value !== null) { low = Math.min(low, value); high = Math.max(high, value); }
  return low > high ? [0, 1] : [Math.max(0, low - 0.02), Math.min(1.01, high + 0.02)];
}

function drawChart(figure, chart, data) {
  const ink = dark.matches ? "#e6eaf0" : "#111827";
  const soft = dark.matches ? "#3d4654" : "#d1d5db";
  const picture = figure.querySelector("img");
  const width = Math.max(280, Math.floor(figure.clientWidth));
  const columns = [chart.lines[0].values, chart.baseline, chart.limit, ...chart.lines.slice(1).map((line) => line.values)];
  const look = [
    { label: chart.lines[0].title, stroke: ink, width: 2.5 },
    { label: "baseline", stroke: dark.matches ? "#c3cad4" : "#374151", dash: [5, 4], points: { show: false } },
    { label: "limit", stroke: dark.matches ? "#f97066" : "#b91c1c", dash: [2, 3], points: { show: false } },
    ...chart.lines.slice(1).map((line, i) => ({ label: line.title, stroke: COLOURS[i % COLOURS.length], dash: DASHES[i % DASHES.length], width: 1.5 })),
  ].map((one) => ({ ...one, value: (_, value) => percent(value), spanGaps: false }));
  const when = (index) => {
    const run = data.series[Math.round(index)];
    return run === undefined ? "" : new Date(data.runs.time[run] * 1000).toLocaleDateString();
  };
  const readout = make("p", "", { class: "readout" });
  const options = {
    width,
    height: 300,
    scales: { x: { time: false }, y: { auto: false, range: rangeOf(columns) } },
    axes: [
      { stroke: ink, grid: { show: false }, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? when(tick) : "")), space: 110 },
      { stroke: ink, grid: { stroke: soft, width: 1 }, values: (_, ticks) => ticks.map((tick) => `${Math.round(tick * 1000) / 10}%`), size: 60 },
    ],
    series: [{ label: "run", value: (_, index) => (index === null ? "—" : String(data.runs.number[data.series[index]])) }, ...look],
    plugins: [breaksPlugin(data), densePlugin(), panPlugin()],
    hooks: {
      setCursor: [(plot) => {
        const index = plot.cursor.idx;
        if (index === null || index === undefined) return;
        const run = data.series[index];
        const found = data.breaks.find(([at]) => at === index);
        readout.textContent = `${when(index)}, commit ${data.runs.sha[run].slice(0, 7)}, ${data.runs.passed[run] ? "pass" : "fail"}${found ? `; break: ${found[1].join("; ")}` : ""}`;
      }],
    },
  };
  const holder = make("div");
  picture.hidden = true;
  figure.querySelectorAll("div, .readout").forEach((old) => old.remove());
  figure.append(holder, readout);
  const plot = new uPlot(options, [data.series.map((_, i) => i), ...columns], holder);
  holder.addEventListener("click", (event) => {
    if (event.detail === 1 && plot.cursor.idx !== null && event.altKey) location.hash = runHash(data, data.series[plot.cursor.idx]);
  });
  return plot;
}

// --- runs

const runHash = (data, run) => `run=${data.suite}/${data.runs.sha[run].slice(0, 12)}-${data.runs.number[run]}-${encodeURIComponent(data.runs.provider[run])}-${run}`;

function runTable(place, data) {
  const { runs } = data;
  const heads = Object.keys(runs.headlines);
  const columns = [
    ["Run", (i) => runs.number[i]], ["When", (i) => runs.time[i]], ["Branch", (i) => runs.branch[i]],
    ["Commit", (i) => runs.sha[i]], ["Provider", (i) => `${runs.provider[i]}, ${runs.mode[i]}`], ["Gate", (i) => runs.passed[i]],
    ...heads.map((metric) => [data.titles[metric], (i) => runs.headlines[metric][i] ?? -1]),
  ];
  let column = 1;
  let downwards = true;
  const all = runs.sha.map((_, i) => i);
  const words = all.map((i) => `${runs.number[i]} ${runs.branch[i]} ${runs.sha[i]} ${runs.provider[i]} ${runs.model[i]} ${runs.mode[i]} ${runs.gold_set[i]} ${runs.passed[i] ? "pass" : "fail"}`.toLowerCase());
  const id = `search-${data.suite}`;
  const input = make("input", undefined, { type: "search", id });
  const tools = make("div", undefined, { class: "tools" });
  tools.append(make("label", "Search runs", { for: id }), input);
  const table = place.querySelector("table");
  const caption = table.querySelector("caption");
  caption.setAttribute("aria-live", "polite");
  const head = table.querySelector("thead tr");
  const body = table.querySelector("tbody");

  function row(i) {
    const line = make("tr");
    const first = make("th", undefined, { scope: "row" });
    first.append(make("a", String(runs.number[i]), { href: `#${runHash(data, i)}` }));
    const when = make("td");
    when.append(timeOf(runs.time[i]));
    const commit = make("td");
    commit.append(link(runs.sha[i].slice(0, 7), runs.commit_url[i]));
    line.append(first, when, make("td", runs.branch[i], { class: "branch" }), commit, make("td", `${runs.provider[i]}, ${runs.mode[i]}`), make("td", runs.passed[i] ? "✓ pass" : "✗ fail"));
    for (const metric of heads) line.append(make("td", percent(runs.headlines[metric][i]), { class: "number" }));
    return line;
  }
  function draw() {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter((i) => wanted.every((word) => words[i].includes(word)));
    const value = columns[column][1];
    found.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return ((x > y) - (x < y) || a - b) * (downwards ? -1 : 1);
    });
    body.replaceChildren(...found.slice(0, ROWS).map(row));
    caption.textContent = `${Math.min(ROWS, found.length)} of ${found.length} runs${wanted.length ? " found" : ""}`;
    [...head.children].forEach((cell, i) => cell.setAttribute("aria-sort", i === column ? (downwards ? "descending" : "ascending") : "none"));
  }
  head.replaceChildren(...columns.map(([title], i) => {
    const cell = make("th", undefined, { scope: "col" });
    const button = make("button", title, { type: "button" });
    button.addEventListener("click", () => {
      downwards = column === i ? !downwards : true;
      column = i;
      draw();
    });
    cell.append(button);
    return cell;
  }));
  input.addEventListener("input", draw);
  place.prepend(tools);
  draw();
}

// --- a run's page

function table(heads, rows, caption) {
  const holder = make("div", undefined, { class: "scroll", tabindex: "0", role: "region", "aria-label": caption });
  const made = make("table");
  made.append(make("caption", caption));
  const head = make("tr");
  head.append(...heads.map((title) => make("th", title, { scope: "col" })));
  made.append(make("thead"), make("tbody"));
  made.tHead.append(head);
  for (const cells of rows) {
    const line = make("tr");
    line.append(...cells.map((text) => make("td", text, { class: "text" })));
    made.tBodies[0].append(line);
  }
  holder.append(made);
  return holder;
}

async function showRun(hash) {
  const [, suite, place] = hash.match(/^#run=([a-z_]+)\/[0-9a-f]+-\d+-.*-(\d+)$/) || [];
  const page = document.getElementById("run-page");
  if (!suite) return false;
  page.replaceChildren(make("p", "Loading the run…"));
  let data, run, detail;
  try {
    data = await load(`data/${suite}.json`);
    // the sha and the number name the run; its position only where they are not enough
    const [, sha, number, provider] = hash.match(/\/([0-9a-f]+)-(\d+)-(.*)-\d+$/);
    const own = (i) => data.runs.sha[i].startsWith(sha) && data.runs.number[i] === Number(number) && encodeURIComponent(data.runs.provider[i]) === provider;
    run = own(Number(place)) ? Number(place) : data.runs.sha.findIndex((_, i) => own(i));
    if (run < 0) throw new Error("there is no such run in this dashboard");
    detail = (await load(`data/${suite}-runs-${Math.floor(run / data.runs_a_file)}.json`))[run % data.runs_a_file];
  } catch (error) {
    page.replaceChildren(make("p", `The run cannot be shown: ${error.message}`), make("a", "Back to the overview", { href: "#" }));
    return true;
  }
  const { runs } = data;
  const verdict = make("p", undefined, { class: `verdict ${runs.passed[run] ? "pass" : "fail"}` });
  verdict.append(make("strong", runs.passed[run] ? "✓ PASS" : "✗ FAIL"), ` on ${runs.branch[run]} at commit `, link(runs.sha[run].slice(0, 7), runs.commit_url[run]), ", ", timeOf(runs.time[run]), "; ", link(`workflow run ${runs.number[run]}`, runs.run_url[run]));
  const facts = make("ul");
  for (const line of [
    `${runs.provider[run]} (${runs.model[run]}), mode ${runs.mode[run]}, ${detail.conversation_count} conversations of gold set ${runs.gold_set[run]}`,
    `prompt ${detail.prompt_sha256 || "not recorded"}`, `schema ${detail.schema_sha256 || "not recorded"}`, `cassettes ${detail.cassette_kind || "not recorded"}`,
    ...detail.changed.map((change) => `changed since ${detail.before}: ${change}`),
  ]) facts.append(make("li", line));
  const share = make("button", "Copy the link", { type: "button" });
  share.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(location.href); share.textContent = "Copied"; } catch { share.textContent = location.href; }
  });
  const detectable = detail.detectable_drop_pp;
  const heads = ["", "Check", "Baseline", "Now", "Change (points)", "Limit", ...(detectable ? ["Smallest drop it can show"] : [])];
  const checks = detail.checks.map((check) => {
    const metric = check.name.replace(/^[^.]*\./, "").replace(/ regression \(pp\)$/, "");
    const shows = detectable ? [detectable[metric] === null || detectable[metric] === undefined ? "—" : detectable[metric].toFixed(1)] : [];
    return [check.ok ? "✓ ok" : "✗ fails", check.name, percent(check.baseline), percent(check.current), check.drop_pp === null ? "—" : `${(-check.drop_pp).toFixed(2)}`, String(check.limit_pp), ...shows];
  });
  const parts = [make("p"), make("h2", `Run ${runs.number[run]}`), verdict, facts, share, make("h3", "Checks"), table(heads, checks, `${checks.length} checks of the gate`), make("h3", "Cases")];
  parts[0].append(make("a", "Back to the overview", { href: "#" }));
  if (detail.cases === null) parts.push(make("p", "The cases are in the report (latest.json) of the workflow run's artifact; the dashboard was built without it."));
  else if (detail.cases.length === 0) parts.push(make("p", "None: nothing was missed, invented or mislabelled."));
  else parts.push(table(["Conversation", "Turn", "What", "Expected", "Predicted"], detail.cases.map((one) => [one.conversation, String(one.turn), one.detail ? `${one.what} (${one.detail})` : one.what, one.expected, one.predicted]), `${detail.cases.length} cases`));
  page.replaceChildren(...parts);
  return true;
}

async function route() {
  const page = document.getElementById("run-page");
  const isRun = location.hash.startsWith("#run=") && (page.hidden = false, await showRun(location.hash));
  page.hidden = !isRun;
  document.getElementById("overview").hidden = isRun;
  if (isRun) { page.tabIndex = -1; page.focus(); scrollTo(0, 0); }
}

async function enhance(section) {
  const place = section.querySelector("[data-runs]");
  if (!place) return;
  let data;
  try { data = await load(`data/${section.dataset.suite}.json`); } catch { return; } // the base layer stays
  const charts = new Map(data.charts.map((chart) => [chart.name, chart]));
  const draw = () => {
    if (typeof uPlot === "undefined" || section.closest("[hidden]")) return;
    for (const figure of section.querySelectorAll("figure")) drawChart(figure, charts.get(figure.dataset.chart), data);
  };
  draw();
  runTable(place, data);
  dark.addEventListener("change", draw);
  let waiting;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(draw, 150); });
  addEventListener("hashchange", () => setTimeout(draw, 0));
}

document.querySelectorAll("time").forEach(showTime);
addEventListener("hashchange", route);
route();
document.querySelectorAll("section[data-suite]").forEach(enhance);
