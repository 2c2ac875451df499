// Texts of points by name, for the charts that show them (chart.js).

const texts = (window.narrowConeTexts ??= new Map());
const held = new WeakMap(); // element -> the name of its texts

export default function ({ data, parentElement }) {
  const { name, texts: sent } = JSON.parse(new TextDecoder().decode(data));
  if (held.get(parentElement) !== name) texts.delete(held.get(parentElement));
  held.set(parentElement, name);
  texts.set(name, sent);
  const holder = parentElement.host ?? parentElement;
  return () => {
    if (!holder.isConnected) texts.delete(name);
  };
}
