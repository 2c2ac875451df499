// What does not fit on the screen: lines of text that are cut, lie on each other or are too small for
// an audience, and values that are longer than their field. Returns a sentence for each.
() => {
  const CUT = 1.5; // pixels
  const HIGH = 0.35; // share of the lower line's height; less is the empty part of two lines
  const SMALLEST = 15.9; // pixels of a word for an audience
  const UNSEEN = 'script, style, title, noscript, .katex-mathml, [data-testid="stIconMaterial"]';
  const isSeen = (part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const isPresented = innerWidth > 640 && new URLSearchParams(location.search).get("present") === "1";
  const main = document.querySelector('[data-testid="stMain"]');
  const said = (text) => JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 40));
  const found = new Set();
  const lines = [];

  // The part of a line that its containers show: undefined if none does. Parts that are scrolled out
  // of a container are not cut.
  function shown(part, { left, right, top, bottom, height }, text) {
    for (let above = part; above && above !== main; above = above.parentElement) {
      const { position, overflowX, overflowY } = getComputedStyle(above);
      if (position === "fixed") break;
      if (overflowX === "visible" && overflowY === "visible") continue;
      const frame = above.getBoundingClientRect();
      if (left >= frame.right || right <= frame.left || top >= frame.bottom || bottom <= frame.top) return undefined;
      const isCut = right > frame.right + CUT || left < frame.left - CUT
        || bottom > frame.bottom + HIGH * height || top < frame.top - HIGH * height;
      // the cells of .near show the whole text on hover and by keyboard
      if (isCut && !/auto|scroll/.test(overflowX + overflowY) && !part.closest(".near")) found.add(`${text} is cut`);
      [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
      [top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
    }
    return { left, right, top, bottom };
  }

  function sizeOf(part) {
    const matrix = part.getScreenCTM?.();
    return parseFloat(getComputedStyle(part).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
  }

  if (main.scrollWidth > main.clientWidth + 1) found.add("the page is wider than the screen");
  const range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const part = node.parentElement;
    if (!node.data.trim() || part.closest(UNSEEN) || !isSeen(part)) continue;
    const text = said(node.data);
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 2 || box.height < 2) continue;
      const line = shown(part, box, text);
      if (!line || line.right - line.left < 2 || line.bottom - line.top < 2) continue;
      if (line.right > innerWidth + CUT || line.left < -CUT) found.add(`${text} is beyond the screen`);
      if (isPresented && !part.closest("sub, sup, .katex, tspan[dy]") && sizeOf(part) < SMALLEST) {
        found.add(`${text} has ${sizeOf(part).toFixed(1)} px`);
      }
      lines.push({ node, text, ...line });
    }
  }
  for (const field of document.querySelectorAll("input")) {
    const isCut = field.value && field.scrollWidth > field.clientWidth + 1;
    if (isCut && isSeen(field) && field.getBoundingClientRect().left >= 0) found.add(`${said(field.value)} is cut in its field`);
  }
  for (const button of document.querySelectorAll(".page-tools button")) {
    const box = button.getBoundingClientRect();
    for (const { node, text, left, right, top, bottom } of lines) {
      const isBelow = left < box.right && right > box.left && top < box.bottom - CUT && bottom > box.top + CUT;
      if (isBelow && !button.contains(node)) found.add(`a button lies on ${text}`);
    }
  }
  lines.sort((first, second) => first.top - second.top);
  lines.forEach((first, i) => {
    for (const second of lines.slice(i + 1)) {
      if (second.top >= first.bottom) break;
      const wide = Math.min(first.right, second.right) - Math.max(first.left, second.left);
      const high = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top);
      const lower = Math.min(first.bottom - first.top, second.bottom - second.top);
      const meet = first.node !== second.node && wide > 2 && high > HIGH * lower;
      if (meet) found.add(`${first.text} lies on ${second.text}`);
    }
  });
  return [...found];
}
