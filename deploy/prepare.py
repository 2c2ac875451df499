"""Write the scripts that the app puts in its folder `static` at a first visit.

The image is built with them, because the app's folder is read-only while it runs.
"""

import sys

from pages.common.draw.charts import plotly_address
from pages.common.draw.scripts import STATIC, served

if __name__ == "__main__":
    plotly_address()
    served("twin_cloud")
    if len(list(STATIC.glob("*.js"))) != 2:
        sys.exit(f"The scripts could not be written to {STATIC}.")
