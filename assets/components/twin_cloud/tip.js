// The tooltip of the hovered point, placed inside the pictures.

const TIP_GAP = 14; // pixels from the pointer

export function hideTip(tip) {
  tip.hidden = true;
}

export function showTip(tip, { text, about }, [x, y], { clientWidth, clientHeight }) {
  tip.hidden = false;
  tip.replaceChildren(text, document.createElement("br"), about);
  const left = Math.min(x + TIP_GAP, clientWidth - tip.offsetWidth);
  const below = y + TIP_GAP;
  const isLow = below + tip.offsetHeight > clientHeight;
  tip.style.left = `${Math.max(left, 0)}px`;
  tip.style.top = `${Math.max(isLow ? y - TIP_GAP - tip.offsetHeight : below, 0)}px`;
}
