// Waits for news of the reader's room: goes where the teacher leads, and has the page drawn again
// when answers have come or an answer is revealed. The teacher's page says when its address changes,
// a following student's page when the student has gone elsewhere.

const OWN = ["lang", "present", "class", "embed", "embed_options"]; // each reader's
const PAUSE = 3000; // ms after a failed request
const LOOK = 300; // ms between two looks at the address
const HAND = ["pointerup", "click", "keydown", "popstate"]; // what readers do; popstate: Back, Forward
let room; // what the page last said of the room; undefined outside of one
let waiting;
let request; // for news: the code of its room, and how to end it
let timer; // of the looks at the address
let known; // the entry into a room, and whether this reader followed; also while no page is there
let arrived; // the address to which the teacher led, as the page then completed it
let isTouched = false; // whether the reader has done something since then

// The page and its settings, in one order; without those that are each reader's own.
function canonical(page, query) {
  const kept = [...new URLSearchParams(query)].filter(([name]) => !OWN.includes(name));
  return `${page}?${new URLSearchParams(kept.sort())}`;
}

const here = () => canonical(location.pathname.split("/").pop(), location.search);

function isThere(address) {
  const [page, query] = address.split("?");
  return !address || canonical(page, query) === here();
}

// As Back and Forward do: the address decides about every setting.
function go(address) {
  const [page, query] = address.split("?");
  const wanted = new URLSearchParams(query);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (OWN.includes(name)) wanted.set(name, value);
  }
  history.pushState({}, "", `${location.pathname.replace(/[^/]*$/, page)}?${wanted}`);
  arrive();
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

for (const name of HAND) {
  addEventListener(name, (event) => (isTouched ||= event.isTrusted), { capture: true });
}

function arrive() {
  isTouched = false;
  arrived = here();
}

// Whether the reader went elsewhere. Pages complete their address themselves until a reader acts.
function hasLeft() {
  if (!isTouched) arrived = here();
  return here() !== arrived && !isThere(room.address);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function wait() {
  let { code, version, heard } = room;
  while (room?.code === code) {
    const root = location.pathname.replace(/[^/]*$/, "");
    const since = `${version}.${room.leads ? heard : -1}`;
    const ender = new AbortController();
    request = { code, ender };
    const url = `${root}classroom/${code}?since=${since}`;
    const answer = await fetch(url, { signal: ender.signal }).catch(() => undefined);
    if (room?.code !== code) break;
    if (answer?.status === 404) {
      room.tell("news", Date.now());
      await pause(PAUSE);
    } else if (!answer?.ok) {
      await pause(PAUSE);
    } else {
      const found = await answer.json();
      if (room?.code !== code) break;
      const isNew = found.version !== version;
      const isAway = !room.leads && room.follows && !isThere(found.address);
      if (isNew && isAway) hasLeft() ? room.tell("left", Date.now()) : go(found.address);
      else if (isNew || room.leads) room.tell("news", Date.now()); // also after a while: who is still here
      ({ version, heard } = found);
      room.address = found.address;
    }
  }
  waiting = undefined;
  if (room) waiting = wait();
}

// Tells "moved" when the teacher's address has changed, "left" once it is sure that a student left.
function watch() {
  let before = here();
  return setInterval(() => {
    const now = here();
    if (room?.leads && now !== before) room.tell("moved", Date.now());
    if (room?.follows && !room.leads && hasLeft() && now === before) {
      room.follows = false;
      room.tell("left", Date.now());
    }
    before = now;
  }, LOOK);
}

export default function ({ data: bytes, setTriggerValue }) {
  room = { ...JSON.parse(new TextDecoder().decode(bytes)), tell: setTriggerValue };
  const entry = `${room.code} ${room.entry}`;
  const isBack = room.follows && !(known?.entry === entry && known.follows);
  known = { entry, follows: room.follows };
  if (isBack) arrive();
  if (!room.leads && isBack && !isThere(room.address)) go(room.address);
  if (request?.code !== room.code) request?.ender.abort();
  waiting ??= wait();
  clearInterval(timer); // this function runs again at each change, its cleanup only at the end
  timer = watch();
  return () => {
    clearInterval(timer);
    room = undefined;
  };
}
