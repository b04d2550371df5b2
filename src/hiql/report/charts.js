// Draws every chart of the page from the JSON beside it once it comes into sight, and recolours maps on request.
"use strict";

const CHART_OPTIONS = {
  responsive: true,
  displaylogo: false,
  displayModeBar: "hover",
  modeBarButtons: [["toImage"]], // and no others: one of them would send the chart to plotly's server
  plotlyServerURL: "",
  toImageButtonOptions: { format: "svg" },
};

// In the dark, ink and paper of charts trade places; the colours of intentions stay.
const DARK = matchMedia("(prefers-color-scheme: dark)");
const IN_THE_DARK = {
  "#222222": "#e4e6e9", "#8C8C8C": "#9aa0a8", "#E6E8EB": "#34383e", "#F4F4F5": "#24272b", white: "#24272b", "#5b6068": "#a4abb4",
  "rgba(255,255,255,0.65)": "rgba(23,25,28,0.65)",
};
let printing = false;
const themed = (colour) => (DARK.matches && !printing ? IN_THE_DARK[colour] ?? colour : colour);
const themedText = (json) => json.replace(/"(#222222|#8C8C8C|#E6E8EB|#F4F4F5|white|rgba\(255,255,255,0\.65\))"/g, (_, colour) => `"${themed(colour)}"`);

// Maps keep the shape of their world, whatever the width of their place: the rest is for the colour bar.
function mapHeight(place, aspect, rest = 56) {
  return Math.min(560, Math.round(place.clientWidth * aspect) + rest);
}

function draw(place) {
  const figure = JSON.parse(themedText(document.getElementById(`${place.id}-data`).textContent));
  const { aspect } = figure.layout.meta ?? {};
  if (aspect) figure.layout.height = mapHeight(place, aspect);
  place.style.minHeight = `${figure.layout.height}px`;
  Plotly.newPlot(place, figure.data, figure.layout, CHART_OPTIONS);
  const shade = document.querySelector('input[name="shade"]:checked');
  if (shade) recolour(place, shade.value);
}

// Maps hold their alternative colourings in layout.meta (see maps.py).
function recolour(place, shade) {
  const meta = place.layout && place.layout.meta;
  if (meta && meta.shades && meta.shades[shade]) {
    Plotly.restyle(place, structuredClone(meta.shades[shade]), [meta.trace]);
  }
}

const charts = [...document.querySelectorAll("div.chart")];
const drawn = (place) => place.data !== undefined;

// Does something once a part of the page comes near what can be seen, or at last when everything is printed.
function whenInSight(place, act) {
  const once = () => { near.disconnect(); removeEventListener("beforeprint", once); act(); };
  const near = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && once(), { rootMargin: "300px 0px" });
  near.observe(place);
  addEventListener("beforeprint", once);
}
charts.forEach((place) => whenInSight(place, () => draw(place)));

for (const choice of document.querySelectorAll('input[name="shade"]')) {
  choice.addEventListener("change", () => charts.forEach((place) => recolour(place, choice.value)));
}

// Paper has everything, in ink.
addEventListener("beforeprint", () => { printing = true; charts.forEach((place) => DARK.matches && drawn(place) && draw(place)); }, { capture: true });
addEventListener("afterprint", () => { printing = false; if (DARK.matches) charts.forEach(draw); });
DARK.addEventListener("change", () => charts.filter(drawn).forEach(draw));
