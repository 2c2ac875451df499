// What Streamlit leaves as it is when the page or the language changes: the document's language, the
// scroll position, the levels of headings. And a table of contents, which lists the headings.

const FEWEST = 2; // headings of a page with a table of contents
const OWN = "narrow-cone-corpus"; // in this tab's storage: the name of the reader's own corpus
const PAUSE = 200; // ms between two lists of headings
let page;

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
  return () => {
    observer.disconnect();
    clearTimeout(timer);
  };
}
