// Draws every chart of the page from the JSON beside it, and recolours maps when a radio button asks for it.
"use strict";

const CHART_OPTIONS = {
  responsive: true,
  displaylogo: false,
  displayModeBar: "hover",
  modeBarButtons: [["toImage"]], // and no others: one of them would send the chart to plotly's server
  plotlyServerURL: "",
  toImageButtonOptions: { format: "svg" },
};

// Maps keep the shape of their world, whatever the width of their place: the rest is for the colour bar.
function mapHeight(place, aspect, rest = 56) {
  return Math.min(560, Math.round(place.clientWidth * aspect) + rest);
}

for (const place of document.querySelectorAll("div.chart")) {
  const figure = JSON.parse(document.getElementById(`${place.id}-data`).textContent);
  const { aspect } = figure.layout.meta ?? {};
  if (aspect) figure.layout.height = mapHeight(place, aspect);
  place.style.minHeight = `${figure.layout.height}px`;
  Plotly.newPlot(place, figure.data, figure.layout, CHART_OPTIONS);
}

// Maps hold their alternative colourings in layout.meta (see maps.py).
for (const choice of document.querySelectorAll('input[name="shade"]')) {
  choice.addEventListener("change", () => {
    for (const place of document.querySelectorAll("div.chart")) {
      const meta = place.layout.meta;
      if (meta && meta.shades && meta.shades[choice.value]) {
        Plotly.restyle(place, structuredClone(meta.shades[choice.value]), [meta.trace]);
      }
    }
  });
}
