"""What the page shows in one run: a training, one of its steps, the controls' settings."""

from __future__ import annotations

from dataclasses import dataclass

from .run import ContrastRun, HeadSettings, Moment


@dataclass(frozen=True)
class Scene:
    """A recorded or live training, and a step of it.

    Attributes
    ----------
    run : ContrastRun
    moment : Moment
        The step of the cloud and of the numbers.
    settings : HeadSettings
        The settings of the controls; those of the run may be others.
    is_active : bool
        True while the run is being trained.
    """

    run: ContrastRun
    moment: Moment
    settings: HeadSettings
    is_active: bool = False
