// Sends the camera of the pictures to the page, which writes it into the address.

export default function ({ parentElement, setTriggerValue }) {
  const send = (text) => setTriggerValue("turned", text);
  window.narrowConeCamera = send;
  const holder = parentElement.host ?? parentElement;
  return () => {
    if (!holder.isConnected && window.narrowConeCamera === send) delete window.narrowConeCamera;
  };
}
