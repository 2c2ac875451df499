// Texts of points that are fetched one by one, because all of them would be too many.

const texts = (window.narrowConeTexts ??= new Map()); // name -> texts by row
const askers = (window.narrowConeAsk ??= new Map()); // name -> asks the server for a row's text

export default function ({ data, parentElement, setTriggerValue }) {
  const { name, answers } = JSON.parse(new TextDecoder().decode(data));
  texts.set(name, { ...texts.get(name), ...answers });
  askers.set(name, (row) => setTriggerValue("asked", row));
  window.dispatchEvent(new Event("narrow-cone-text"));
  const holder = parentElement.host ?? parentElement;
  return () => {
    if (holder.isConnected) return;
    texts.delete(name);
    askers.delete(name);
  };
}
