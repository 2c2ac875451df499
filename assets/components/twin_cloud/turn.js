// One turn of the pictures when they first appear, so that their depth is seen. Then they rest: a page
// that is left open costs nothing.

const TURN_SECONDS = 8;
const HAS_TURNED = "narrow-cone-turned"; // in this tab's storage: a reader who comes back has seen it

export class Turn {
  // stage: its camera is turned; draw(): draws the pictures.
  constructor(stage, draw) {
    Object.assign(this, { stage, draw, frame: 0 });
  }

  begin() {
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isCalm || this.stage.camera.k !== 3 || sessionStorage.getItem(HAS_TURNED)) return;
    sessionStorage.setItem(HAS_TURNED, "1");
    const { azimuth } = this.stage.camera;
    const start = performance.now();
    const step = (now) => {
      const share = Math.min(Math.max(now - start, 0) / (1000 * TURN_SECONDS), 1);
      const eased = (1 - Math.cos(Math.PI * share)) / 2;
      const turned = share < 1 ? azimuth + 2 * Math.PI * eased : azimuth;
      this.stage.setCamera({ ...this.stage.camera, azimuth: turned });
      this.draw();
      this.frame = share < 1 ? requestAnimationFrame(step) : 0;
    };
    this.frame = requestAnimationFrame(step);
  }

  // The reader acts: the picture stays as it is.
  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }
}
