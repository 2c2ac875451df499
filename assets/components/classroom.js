// Waits for news of the reader's room: goes where the teacher leads, and has the page drawn again
// when answers have come or an answer is revealed. The teacher's page says when its address changes.

const OWN = ["lang", "present", "class", "embed", "embed_options"]; // each reader's
const PAUSE = 3000; // ms after a failed request
const LOOK = 300; // ms between two looks at the teacher's address
let room; // what the page last said of the room; undefined outside of one
let waiting;
let timer; // of the looks at the teacher's address

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
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function wait() {
  let { code, version, heard } = room;
  while (room?.code === code) {
    const root = location.pathname.replace(/[^/]*$/, "");
    const since = `${version}.${room.leads ? heard : -1}`;
    const answer = await fetch(`${root}classroom/${code}?since=${since}`).catch(() => undefined);
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
      if (isNew && !room.leads && room.follows && !isThere(found.address)) go(found.address);
      else if (isNew || room.leads) room.tell("news", Date.now()); // also after a while: who is still here
      ({ version, heard } = found);
      room.address = found.address;
    }
  }
  waiting = undefined;
  if (room) waiting = wait();
}

function watch() {
  let before = here();
  return setInterval(() => {
    const now = here();
    if (now !== before) room?.tell("moved", Date.now());
    before = now;
  }, LOOK);
}

export default function ({ data: bytes, setTriggerValue }) {
  const last = room;
  room = { ...JSON.parse(new TextDecoder().decode(bytes)), tell: setTriggerValue };
  const isBack = room.follows && !(last?.code === room.code && last.follows);
  if (!room.leads && isBack && !isThere(room.address)) go(room.address);
  waiting ??= wait();
  clearInterval(timer); // this function runs again at each change, its cleanup only at the end
  timer = room.leads ? watch() : undefined;
  return () => {
    clearInterval(timer);
    room = undefined;
  };
}
