// Two buttons beside the title: copy the page's address, and show the page to an audience. And the keys
// in front of an audience.

const TYPED = "input, textarea, select, button, summary, a, [contenteditable], [role=slider]";
const ARROWS = `${TYPED}, [role=application], [role=radiogroup], [role=tablist], .plane`;
const SAID = 2000; // ms that "Copied" is shown
let wasPresenting;
let scrolledFor; // the lesson's step whose part has been shown

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // without https there is no clipboard
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

// The lesson's next step; without a lesson another page, by the sidebar's links, which are hidden in
// front of an audience.
function goTo(step) {
  const inLesson = document.querySelector(step > 0 ? ".st-key-lesson-next button" : ".st-key-lesson-back button");
  if (inLesson) return inLesson.click();
  const links = [...document.querySelectorAll('[data-testid="stSidebar"] [data-testid="stPageLink"] a')];
  const here = location.pathname.split("/").pop();
  const at = links.findIndex((link) => link.pathname.split("/").pop() === here);
  links[at + step]?.click();
}

// Once a step: the lesson's part of the page, as soon as it is there, unless the reader scrolls.
function scrollTo(step, part, signal) {
  if (scrolledFor === step) return;
  scrolledFor = step;
  if (!part) return;
  const stop = () => clearInterval(timer);
  const timer = setInterval(() => {
    const place = document.querySelector(`.st-key-${part}`);
    if (!place || document.querySelector(".picture-frame")?.checkVisibility()) return;
    const bar = document.querySelector(".st-key-lesson-bar");
    place.style.scrollMarginTop = `${bar ? bar.offsetHeight + 32 : 0}px`;
    place.scrollIntoView({ block: "start" });
    stop();
  }, 300);
  setTimeout(stop, 30_000);
  for (const moved of ["wheel", "touchmove", "keydown"]) addEventListener(moved, stop, { once: true, signal });
}

function onKey(event, isPresenting, leave) {
  const { key, target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const isIn = (places) => Boolean(target.closest?.(places));
  const isArrow = key === "ArrowRight" || key === "ArrowLeft";
  if (!isPresenting && !(isArrow && document.querySelector(".st-key-lesson-next"))) return;
  if (key === "Escape") {
    if (!isIn("[role=application], [role=dialog], .twin-more[open], input, textarea")) leave();
  } else if (isArrow && (!isIn(ARROWS) || isIn(".st-key-lesson-bar"))) {
    goTo(key === "ArrowRight" ? 1 : -1);
  } else if (key === " " && !isIn(TYPED)) {
    const play = document.querySelector('.twin [data-do="play"]:not([hidden]), .st-key-play button');
    if (!play) return;
    play.click();
  } else if (/^[1-9]$/.test(key) && !isIn(TYPED)) {
    document.querySelectorAll(".st-key-presets button")[Number(key) - 1]?.click();
  } else return;
  event.preventDefault();
}

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(bytes));
  const box = parentElement.querySelector(".page-tools");
  const [copied, present] = box.querySelectorAll("button");
  const label = (button, text) => {
    button.querySelector("span").textContent = text;
    button.setAttribute("aria-label", text);
    button.title = text;
  };
  const toggle = () => setTriggerValue("present", data.presenting ? "off" : "on");
  label(copied, data.words.copy);
  label(present, data.presenting ? data.words.leave : data.words.present);
  present.onclick = toggle;
  copied.onclick = async () => {
    await copy(location.href);
    label(copied, data.words.copied);
    box.querySelector("p").textContent = data.words.copied;
    setTimeout(() => {
      label(copied, data.words.copy);
      box.querySelector("p").textContent = "";
    }, SAID);
  };
  // the space bar then plays, and does not press the button again
  if (data.presenting !== wasPresenting) document.activeElement?.blur?.();
  wasPresenting = data.presenting;
  const ending = new AbortController();
  const { signal } = ending;
  scrollTo(...data.scroll, signal);
  document.addEventListener("keydown", (event) => onKey(event, data.presenting, toggle), { signal });
  // among the answers of a guess, ↑ and ↓ move, and → and ← go through the lesson
  const onAnswers = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !event.target.closest?.(".st-key-lesson-bar [role=radiogroup]")) return;
    event.stopPropagation();
    event.preventDefault();
    goTo(step);
  };
  document.addEventListener("keydown", onAnswers, { capture: true, signal });
  return () => ending.abort();
}
