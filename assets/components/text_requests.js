// Texts of points, fetched one by one where a page has too many points to send all texts.

const texts = (window.narrowConeTexts ??= new Map()); // name -> texts by row
const requests = (window.narrowConeTextRequests ??= new Map()); // name -> function that requests a row's text

export default function ({ data, parentElement, setTriggerValue }) {
  const { name, answers } = JSON.parse(new TextDecoder().decode(data));
  texts.set(name, { ...texts.get(name), ...answers });
  requests.set(name, (row) => setTriggerValue("requested", row));
  window.dispatchEvent(new Event("narrow-cone-text"));
  const holder = parentElement.host ?? parentElement;
  return () => {
    if (holder.isConnected) return;
    texts.delete(name);
    requests.delete(name);
  };
}
