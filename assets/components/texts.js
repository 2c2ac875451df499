// Keeps the texts of points for the charts that show them (chart.js looks them up by name).

export default function ({ data }) {
  const { name, texts } = JSON.parse(new TextDecoder().decode(data));
  window.narrowConeTexts ??= new Map();
  window.narrowConeTexts.set(name, texts);
}
