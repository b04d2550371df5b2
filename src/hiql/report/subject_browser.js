// One subject beside the population: choose whom; its numbers are dots, those of the population rings.
"use strict";

whenInSight(document.getElementById("subject-panel"), () => {
  const book = JSON.parse(themedText(document.getElementById("subject_browser-data").textContent));
  const chosen = document.getElementById("subject-chosen"), about = document.getElementById("subject-about");
  const places = [...document.querySelectorAll("div.subject-chart")];
  const FAINT = themed("#8C8C8C"), INK = themed("#222222");

  const percent = (p) => `${(100 * p).toFixed(p > 0.0995 && p < 0.9005 ? 0 : 1)} %`;
  const written = (chart, value) => (chart.shares ? percent(value) : value.toFixed(2));

  function traces(chart, who) {
    const y = chart.rows.map((_, row) => row), own = chart.subjects[who];
    const apart = own.flatMap((value, row) => [[value, row], [chart.population[row], row], [null, row]]);
    const within = chart.bounds && { low: chart.bounds[0][who], high: chart.bounds[1][who] };
    const bars = within && {
      type: "data", symmetric: false, thickness: 1.2, width: 3, color: FAINT,
      array: own.map((value, row) => Math.max(within.high[row] - value, 0)),
      arrayminus: own.map((value, row) => Math.max(value - within.low[row], 0)),
    };
    const said = own.map((value, row) => {
      const sure = within ? ` (${chart.sure}: ${written(chart, within.low[row])} to ${written(chart, within.high[row])})` : "";
      return `${chart.rows[row]}: ${written(chart, value)}${sure}<br>population ${written(chart, chart.population[row])}`;
    });
    const ring = { symbol: "circle-open", size: 11, color: INK, line: { width: 1.5 } };
    return [
      { x: apart.map(([x]) => x), y: apart.map(([, row]) => row), mode: "lines", line: { color: FAINT, width: 1 }, hoverinfo: "skip" },
      { x: chart.population, y, mode: "markers", marker: ring, text: said, hovertemplate: "%{text}<extra></extra>" },
      { x: own, y, mode: "markers", marker: { size: 9, color: chart.colours }, error_x: bars || {}, text: said, hovertemplate: "%{text}<extra></extra>" },
    ];
  }

  function layout(chart) {
    const rows = { ...book.layout.template.layout.yaxis, tickvals: chart.rows.map((_, row) => row), ticktext: chart.rows, range: [chart.rows.length - 0.4, -0.6], ticks: "" };
    const values = { range: chart.range, title: { text: chart.axis }, tickformat: chart.shares ? ".0%" : "", zeroline: !chart.shares, zerolinecolor: FAINT, nticks: 5 };
    return { ...book.layout, height: 84 + 24 * Math.max(chart.rows.length, 2), showlegend: false, xaxis: values, yaxis: rows };
  }

  function show(who) {
    about.textContent = book.subjects[who].about;
    book.charts.forEach((chart, i) => {
      const spoken = chart.rows.map((row, j) => `${row} ${written(chart, chart.subjects[who][j])}, population ${written(chart, chart.population[j])}`);
      places[i].setAttribute("aria-label", `${chart.title}, ${book.subjects[who].name}: ${spoken.join("; ")}`);
      Plotly.react(places[i], traces(chart, who), layout(chart), CHART_OPTIONS);
    });
  }

  book.subjects.forEach(({ name }, i) => chosen.add(new Option(name, i)));
  chosen.addEventListener("change", () => show(Number(chosen.value)));
  show(0);
});
