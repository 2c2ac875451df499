// What Streamlit leaves as it is when the page or the language changes: the document's language, the
// English names that it gives to its controls, the scroll position, the levels of headings. A table of contents, which lists the headings. And the
// browser's history: one entry for each page and each example.

const FEWEST = 2; // headings of a page with a table of contents
const OWN = "narrow-cone-corpus"; // in this tab's storage: the name of the reader's own corpus
const PAUSE = 200; // ms between two lists of headings
const EXAMPLES = ".st-key-presets button, .st-key-basis-presets button";
const NAMES = ["aria-label", "title", "placeholder"];
const WITH_WORDS = 'a, button, [role="tooltip"], [data-testid^="stFileUploader"], [data-testid^="stTooltip"]';
let page;
let isTranslated = false;

// A function from an English name to the reader's; undefined for a name that is not Streamlit's.
function translatorOf(words) {
  const patterns = Object.entries(words)
    .filter(([english]) => english.includes("{name}"))
    .map(([english, own]) => {
      const [before, after] = english.split("{name}");
      return (text) =>
        text.startsWith(before) && text.endsWith(after) && text.length > before.length + after.length
          ? own.replace("{name}", text.slice(before.length, text.length - after.length))
          : undefined;
    });
  return (text) => words[text] ?? patterns.map((pattern) => pattern(text)).find(Boolean);
}

// React does not write a name again that it has not changed, so the English one is kept for the
// next language.
function rename(owner, key, now, translate, write) {
  const kept = (owner.streamlit ??= {});
  const english = kept[key]?.own === now ? kept[key].english : now;
  const own = translate(english.trim()) ?? english;
  if (own !== english) kept[key] = { english, own };
  if (own !== now) write(own);
}

function translateNames(translate) {
  for (const part of document.querySelectorAll(NAMES.map((name) => `[${name}]`).join())) {
    for (const name of NAMES) {
      const now = part.getAttribute(name);
      if (now) rename(part, name, now, translate, (own) => part.setAttribute(name, own));
    }
  }
  for (const part of document.querySelectorAll(WITH_WORDS)) {
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      rename(text, "text", text.data, translate, (own) => (text.data = own));
  }
}

// Now and after each change. In English there is nothing to do, unless another language was before.
function translateSoon(words) {
  const isEnglish = !Object.keys(words).length;
  if (isEnglish && !isTranslated) return () => {};
  isTranslated = !isEnglish;
  const translate = translatorOf(words);
  translateNames(translate);
  let timer;
  const observer = new MutationObserver(() => {
    timer ??= setTimeout(() => ((timer = undefined), translateNames(translate)), PAUSE);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    observer.disconnect();
    clearTimeout(timer);
  };
}

// Streamlit adds an entry for each setting that the server writes to the address. Here a setting
// changes the current entry. Another page adds one, and so does an example.
function tidyHistory() {
  if (history.pushState.isTidy) return;
  const push = history.pushState.bind(history);
  let left; // the address of a page whose link to another page was clicked
  history.pushState = (state, title, url) => {
    const isPage = new URL(url ?? "", location.href).pathname !== location.pathname;
    // the root shows the first page, whose own address then takes its place
    if (isPage && !location.pathname.endsWith("/")) {
      if (left) history.replaceState(history.state, "", left);
      left = undefined;
      push(state, title, url);
    } else history.replaceState(state, title, url);
  };
  history.pushState.isTidy = true;
  const isCurrent = ({ ariaChecked, dataset }) =>
    ariaChecked === "true" || /Active|primary/.test(dataset.testid ?? "");
  // in capture, before Streamlit sends the new settings, which then change the new entry
  document.addEventListener("click", ({ target }) => {
    // Streamlit clears the address before it shows the other page
    if (target.closest?.('[data-testid="stPageLink"]')) left = location.href;
    const button = target.closest?.(EXAMPLES);
    if (button && !isCurrent(button)) push(history.state, "", location.href);
  }, { capture: true });
}

function mainPart() {
  return document.querySelector('[data-testid="stMain"]');
}

function headings() {
  return [...mainPart().querySelectorAll("h3[id]")].filter((heading) => heading.offsetParent !== null);
}

// The headings' ids repeat their words, so the list is made again only when they change.
function listHeadings(nav, label) {
  const found = headings();
  for (const heading of found) heading.setAttribute("aria-level", "2"); // the title above them is h1
  // a region that scrolls can be scrolled by keys
  for (const region of mainPart().querySelectorAll(".katex-display, .st-key-inspector")) {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = region;
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) region.tabIndex = 0;
  }
  const ids = JSON.stringify(found.map(({ id, textContent }) => [id, textContent]));
  if (nav.dataset.ids === ids) return;
  nav.dataset.ids = ids;
  nav.hidden = found.length < FEWEST;
  nav.setAttribute("aria-label", label);
  const items = found.map(({ id, textContent }) => {
    const link = document.createElement("a");
    Object.assign(link, { href: `#${id}`, textContent });
    link.onclick = (event) => {
      event.preventDefault(); // the address keeps the settings only
      headings().find((heading) => heading.id === id)?.scrollIntoView();
    };
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  const title = document.createElement("p");
  title.textContent = label;
  const list = document.createElement("ul");
  list.append(...items);
  nav.replaceChildren(title, list);
}

// A session ends when the page is reloaded, and with it the reader's own corpus: its name is sent.
function followCorpus(own, send) {
  const before = sessionStorage.getItem(OWN);
  if (own) sessionStorage.setItem(OWN, own);
  else sessionStorage.removeItem(OWN);
  if (page === undefined && !own && before) send("gone", before);
}

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(bytes));
  document.documentElement.lang = data.lang;
  tidyHistory();
  followCorpus(data.own, setTriggerValue);
  const place = `${data.page} ${data.uses}`; // own data that are used shorten the form above
  if (page !== undefined && page !== place) mainPart().scrollTo(0, 0);
  page = place;
  const nav = parentElement.querySelector("nav");
  const list = () => listHeadings(nav, data.contents);
  list();
  // not at each change: a drag changes the page at each frame, and the list needs its layout
  let timer;
  const listSoon = () => (timer ??= setTimeout(() => ((timer = undefined), list()), PAUSE));
  const observer = new MutationObserver(listSoon);
  observer.observe(mainPart(), { childList: true, subtree: true });
  const stopTranslating = translateSoon(data.words);
  return () => {
    observer.disconnect();
    clearTimeout(timer);
    stopTranslating();
  };
}
