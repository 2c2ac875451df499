"""The landing page: the raw cloud beside the whitened one."""

PAGE = "narrow_cone"
