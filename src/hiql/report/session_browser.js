// The session browser: choose a session, see its states, actions and intentions step by step.
// browser.py packs the sessions; only the chosen one is unpacked, and only what can be seen of it is drawn. Nothing at
// all is done before the reader comes near it.
"use strict";

whenInSight(document.getElementById("browse-panel"), () => {
  const MOST_POINTS = 1000; // a row shows at most about this many steps as they are; more are thinned
  const MARKERS_UP_TO = 80; // curves of at most this many steps carry a dot for each
  const TICKS_UP_TO = 12; // axes of at most this many states or actions carry their labels
  const FAINT = themed("#8C8C8C"), INK = themed("#222222"), GRID = themed("#E6E8EB");

  const book = JSON.parse(themedText(document.getElementById("session_browser-data").textContent));
  const K = book.intentions.length;
  const find = (name) => document.getElementById(`browse-${name}`);
  const plot = find("plot"), track = find("map");
  const hasTruth = book.columns.some((column) => column.name === "truth");
  const touch = matchMedia("(pointer: coarse)").matches;
  const options = { ...CHART_OPTIONS, scrollZoom: false };
  const HINT = touch ? "Tap a step to read it off." : "Point at a step to read it off; drag to zoom, double-click to see all.";

  let current = 0; // index of the session shown
  let steps = null; // its columns
  let view = [0, 0]; // first and last step in sight
  let method = "smoothed"; // or "causal": which posterior is drawn

  // --- data ---------------------------------------------------------------------------------------------

  // base64 → one typed array a column; the largest code of a column means "missing".
  function unpack(session) {
    const bytes = Uint8Array.from(atob(session.data), (character) => character.charCodeAt(0));
    const columns = { n: session.steps };
    let at = 0;
    for (const { name, array, perStep } of book.columns) {
      const type = { Uint8Array, Uint16Array, Uint32Array }[array];
      const end = at + session.steps * perStep * type.BYTES_PER_ELEMENT;
      columns[name] = new type(bytes.buffer.slice(at, end));
      columns[name].missing = 2 ** (8 * type.BYTES_PER_ELEMENT) - 1;
      at = end;
    }
    return columns;
  }

  const known = (name, t) => steps[name][t] !== steps[name].missing;
  const code = (name, t) => (known(name, t) ? steps[name][t] : null);
  const both = (t) => known("state", t) && known("action", t);
  const taken = (t) => (both(t) ? steps.taken[t] / 255 : null);
  const posterior = (t, k) => steps[method][t * K + k] / 255;

  // Plotly reads a little HTML in every text: quote it, and keep it short.
  function label(text, most = 18) {
    const short = text.length > most ? `${text.slice(0, most - 1)}…` : text;
    return short.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  }

  function stateName(s) {
    const name = book.states ? book.states[s] : String(s);
    const place = book.map && book.map.places[s];
    return place ? `${name} (${place})` : name;
  }

  // --- thinning -----------------------------------------------------------------------------------------

  // The steps to draw: all in sight (and one beyond either edge, so that lines go on), or every so manieth.
  function inSight() {
    const first = Math.max(0, Math.floor(view[0]) - 1), last = Math.min(steps.n - 1, Math.ceil(view[1]) + 1);
    const every = Math.ceil((last - first + 1) / MOST_POINTS);
    return { first, last, every: Math.max(1, every) };
  }

  function sampled({ first, last, every }) {
    const chosen = [];
    for (let t = first; t <= last; t += every) chosen.push(t);
    return chosen;
  }

  // Of each stretch of ``every`` steps its middle and the mean, lowest and highest value; null where all are missing.
  function stretches({ first, last, every }, value) {
    const found = { x: [], mean: [], low: [], high: [] };
    for (let start = first; start <= last; start += every) {
      let sum = 0, n = 0, low = Infinity, high = -Infinity;
      const end = Math.min(last, start + every - 1);
      for (let t = start; t <= end; t++) {
        const v = value(t);
        if (v === null) continue;
        sum += v;
        n += 1;
        if (v < low) low = v;
        if (v > high) high = v;
      }
      found.x.push((start + end) >> 1);
      found.mean.push(n ? sum / n : null);
      found.low.push(n ? low : null);
      found.high.push(n ? high : null);
    }
    return found;
  }

  // --- drawing ------------------------------------------------------------------------------------------

  const ROWS = [
    { axis: "yaxis", height: hasTruth ? 0.08 : 0.045, title: () => `most likely path${hasTruth ? ", and the truth" : ""}` },
    { axis: "yaxis2", height: 0.3, title: () => `P(intention), ${method}` },
    { axis: "yaxis3", height: 0.18, title: () => "action" },
    { axis: "yaxis4", height: 0.12, title: () => "p(action), predicted from the past" },
    { axis: "yaxis5", height: 0.2, title: () => "state" },
  ];

  function band(span) {
    const at = sampled(span);
    const paths = hasTruth ? ["truth", "decoded"] : ["decoded"];
    const scale = book.intentions.flatMap(({ colour }, k) => [[k / K, colour], [(k + 1) / K, colour]]);
    return {
      type: "heatmap", x: at, y: paths, z: paths.map((name) => at.map((t) => code(name, t))), yaxis: "y", ygap: 3,
      zmin: -0.5, zmax: K - 0.5, colorscale: scale, showscale: false, hoverinfo: "none", name: "decoded",
    };
  }

  // An outline: along one border, and back along the other.
  const outline = (border, other) => [...border, ...[...other].reverse()];

  // One line an intention and, where steps are thinned, a shade from the lowest to the highest value behind it.
  function curves(span) {
    const dots = span.last - span.first < MARKERS_UP_TO;
    const found = book.intentions.map((_, k) => stretches(span, (t) => posterior(t, k)));
    const lines = book.intentions.map(({ name, colour }, k) => ({
      x: found[k].x, y: found[k].mean, yaxis: "y2", mode: dots ? "lines+markers" : "lines", name: label(name),
      line: { color: colour, width: 2 }, marker: { size: 5 }, hoverinfo: "none",
    }));
    const shades = book.intentions.map(({ colour }, k) => ({
      x: outline(found[k].x, found[k].x), y: outline(found[k].low, found[k].high), yaxis: "y2",
      mode: "lines", line: { width: 0 }, fill: "toself", fillcolor: colour, opacity: 0.2, hoverinfo: "skip",
    }));
    return { lines, shades: span.every > 1 ? shades : [] };
  }

  // What was met or done at each step, in the colour of the decoded intention; ``joined`` by a line, or not.
  function marks(span, name, lines, yaxis, joined) {
    const at = sampled(span);
    const colours = at.map((t) => (known("decoded", t) ? book.intentions[steps.decoded[t]].colour : FAINT));
    const size = at.length < MARKERS_UP_TO ? 8 : at.length < 400 ? 6 : 4;
    return {
      x: at, y: at.map((t) => (known(name, t) ? lines.place(steps[name][t]) : null)), yaxis, name, connectgaps: false,
      mode: joined && span.every === 1 ? "lines+markers" : "markers", line: { color: "#C9CCD1", width: 1 },
      marker: { color: colours, size, symbol: joined ? "circle" : "square" }, hoverinfo: "none",
    };
  }

  function surprise(span) {
    const { x, mean } = stretches(span, taken);
    return {
      type: "bar", x, y: mean, yaxis: "y4", width: span.every, name: "p(action)", marker: { color: "#9AA1AA" },
      hoverinfo: "none",
    };
  }

  // Where sorted codes lie on their axis: few of them one below the other with their labels, many by their number.
  function codeLines(codes, name) {
    if (codes.length > TICKS_UP_TO) {
      const low = codes[0], high = codes[codes.length - 1], room = 0.05 * (high - low);
      return { place: (c) => c, axis: { range: [low - room, high + room] } };
    }
    const rank = new Map(codes.map((c, i) => [c, i]));
    const ticktext = codes.map((c) => label(name(c)));
    return { place: (c) => rank.get(c), axis: { range: [codes.length - 0.4, -0.6], tickvals: [...rank.values()], ticktext } };
  }

  function met(name) {
    return [...new Set(steps[name])].filter((c) => c !== steps[name].missing).sort((a, b) => a - b);
  }

  function layout(axes) {
    const gap = 0.042, shown = {
      height: 660, showlegend: false, hovermode: "x", bargap: 0, dragmode: touch ? false : "zoom", annotations: [],
      font: { family: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif", size: 12, color: INK },
      margin: { l: 8, r: 10, t: 30, b: 8 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      modebar: { bgcolor: "rgba(0,0,0,0)", color: FAINT, activecolor: INK },
      xaxis: {
        anchor: "y5", range: [view[0] - 0.5, view[1] + 0.5], title: { text: "step of the session", standoff: 6 },
        showgrid: false, zeroline: false, automargin: true, showspikes: true, spikemode: "across", spikesnap: "hovered data",
        spikecolor: FAINT, spikethickness: 1, spikedash: "dot", minallowed: -0.5, maxallowed: steps.n - 0.5, tickformat: "d",
      },
    };
    let top = 1;
    for (const { axis, height, title } of ROWS) {
      shown[axis] = {
        domain: [Math.max(0, top - height), top], fixedrange: true, zeroline: false, gridcolor: GRID, automargin: true,
        ticks: "", tickfont: { size: 11 }, ...axes[axis],
      };
      shown.annotations.push({
        text: title(), xref: "paper", yref: "paper", x: 0, y: top, xanchor: "left", yanchor: "bottom", showarrow: false,
        font: { size: 12, color: themed("#5b6068") },
      });
      top -= height + gap;
    }
    return shown;
  }

  function draw() {
    const span = inSight();
    const few = book.actions.length <= TICKS_UP_TO;
    const actions = codeLines(few ? [...book.actions.keys()] : met("action"), (a) => book.actions[a]);
    const states = codeLines(met("state"), stateName);
    const { lines, shades } = curves(span);
    const traces = [
      band(span), ...lines, marks(span, "action", actions, "y3", false), surprise(span),
      marks(span, "state", states, "y5", true), ...shades,
    ];
    const axes = {
      yaxis: { showgrid: false, showticklabels: hasTruth },
      yaxis2: { range: [-0.04, 1.04], tickvals: [0, 0.5, 1] },
      yaxis3: actions.axis,
      yaxis4: { range: [0, 1.04], tickvals: [0, 1] },
      yaxis5: states.axis,
    };
    Plotly.react(plot, traces, layout(axes), options);
    find("thinned").textContent = span.every === 1 ? "" : howThinned(span.every);
    if (track) drawTrack(span);
  }

  function howThinned(every) {
    const many = (view[1] - view[0] + 1).toLocaleString("en");
    return (
      `${many} steps are in sight, too many to draw each: curves and bars are means of ${every} steps, shades span the ` +
      `lowest and highest; actions, states and the band show one step in ${every}. Zoom in to see every step.`
    );
  }

  // The way through the world: dots lie a little beside their state, so that returns can be told apart.
  function drawTrack(span) {
    const at = sampled(span).filter((t) => known("state", t));
    const beside = (t, turn) => 0.13 * book.map.unit * Math.cos(2.4 * t + turn);
    const x = at.map((t) => book.map.x[steps.state[t]] + beside(t, 0));
    const y = at.map((t) => book.map.y[steps.state[t]] + beside(t, Math.PI / 2));
    const colours = at.map((t) => book.intentions[steps.decoded[t]].colour);
    const trail = {
      x, y, mode: "lines+markers", line: { color: "rgba(60,60,60,0.35)", width: 1.2 }, marker: { color: colours, size: 7 },
      customdata: at, hoverinfo: "none",
    };
    const last = at.length - 1, returns = last >= 0 && steps.state[at[0]] === steps.state[at[last]];
    const ends = {
      x: [x[0], x[last]], y: [y[0], y[last]], mode: "text", text: returns ? ["start, end", ""] : ["start", "end"],
      textposition: ["bottom left", "top left"], textfont: { size: 11, color: INK }, hoverinfo: "skip",
    };
    const ring = { size: 15, color: "rgba(0,0,0,0)", line: { color: INK, width: 2.5 } };
    const here = { x: [], y: [], mode: "markers", marker: ring, hoverinfo: "skip" };
    const { data, layout: floor } = book.map.figure;
    const height = mapHeight(track, floor.meta.aspect, 8);
    Plotly.react(track, [...data, trail, ends, here], { ...floor, hovermode: "closest", height }, options);
  }

  // --- reading off --------------------------------------------------------------------------------------

  function tell(t) {
    const state = known("state", t) ? `state ${stateName(steps.state[t])}` : "state missing";
    const p = both(t) ? `, which had p = ${taken(t).toFixed(2)}` : "";
    const action = known("action", t) ? `action ${book.actions[steps.action[t]]}${p}` : "action missing";
    const chances = book.intentions.map(({ name }, k) => `${name} ${posterior(t, k).toFixed(2)}`).join(", ");
    find("readout").textContent = `Step ${t}: ${state}; ${action}; ${method} ${chances}`;
    if (track && known("state", t)) {
      const s = steps.state[t];
      Plotly.restyle(track, { x: [[book.map.x[s]]], y: [[book.map.y[s]]] }, [track.data.length - 1]);
    }
  }

  // --- choosing -----------------------------------------------------------------------------------------

  function fillSessions(subject) {
    find("session").length = 0;
    book.sessions.forEach((session, i) => session.subject === subject && find("session").add(new Option(session.name, i)));
  }

  function describe(session) {
    let missing = 0;
    for (let t = 0; t < steps.n; t++) missing += !both(t);
    const gaps = missing ? `, ${missing.toLocaleString("en")} with state or action missing (gaps)` : "";
    const cut = session.cut ? " (the first of a longer session)" : "";
    return `Session ${session.name}: ${steps.n.toLocaleString("en")} steps${cut}${gaps}`;
  }

  function show(index) {
    current = index;
    const session = book.sessions[index];
    if (Number(find("subject").value) !== session.subject || !find("session").options.length) {
      find("subject").value = session.subject;
      fillSessions(session.subject);
    }
    find("session").value = index;
    steps = unpack(session);
    view = [0, session.steps - 1];
    find("about").textContent = describe(session);
    find("readout").textContent = HINT;
    find("previous").disabled = index === 0;
    find("next").disabled = index === book.sessions.length - 1;
    draw();
  }

  const go = (by) => show(Math.min(book.sessions.length - 1, Math.max(0, current + by)));

  function zoom(first, last) {
    const low = Math.max(0, Math.round(first)), high = Math.min(steps.n - 1, Math.round(last));
    view = high > low ? [low, high] : [0, steps.n - 1];
    draw();
  }

  function zoomBy(factor) {
    const middle = (view[0] + view[1]) / 2, half = Math.max(2, ((view[1] - view[0]) / 2) * factor);
    zoom(middle - half, middle + half);
  }

  function onScreen() {
    const { top, bottom } = find("panel").getBoundingClientRect();
    return bottom > 80 && top < innerHeight - 80;
  }

  book.subjects.forEach((name, i) => find("subject").add(new Option(name, i)));
  find("subject").parentElement.hidden = book.subjects.length < 2;
  find("subject").addEventListener("change", () => {
    fillSessions(Number(find("subject").value));
    show(Number(find("session").value));
  });
  find("session").addEventListener("change", () => show(Number(find("session").value)));
  find("previous").addEventListener("click", () => go(-1));
  find("next").addEventListener("click", () => go(1));
  find("closer").addEventListener("click", () => zoomBy(0.5));
  find("wider").addEventListener("click", () => zoomBy(2));
  find("all").addEventListener("click", () => zoom(0, steps.n - 1));
  document.querySelectorAll('input[name="posterior"]').forEach((choice) =>
    choice.addEventListener("change", () => {
      method = choice.value;
      draw();
    }));
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest("input, select, textarea") || event.altKey || event.ctrlKey || event.metaKey;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && !busy && onScreen()) {
      event.preventDefault();
      go(by);
    }
  });

  show(0);
  plot.on("plotly_hover", (event) => tell(Math.round(event.points[0].x)));
  plot.on("plotly_relayout", (change) => {
    if ("xaxis.range[0]" in change) zoom(change["xaxis.range[0]"], change["xaxis.range[1]"]);
    else if (change["xaxis.autorange"]) zoom(0, steps.n - 1);
  });
  if (track) track.on("plotly_hover", ({ points: [{ customdata: step }] }) => step !== undefined && tell(step));
});
